import MAVLink
import MAVLinkServices
import ServiceRuntime
import Testing
import Vehicle

@testable import VehicleLink

/// Tells inputs apart; SHA-256 itself is judged elsewhere.
@Sendable private func mixer(_ bytes: [UInt8]) -> [UInt8] {
  var state: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  return (0..<32).map { UInt8(truncatingIfNeeded: state >> (8 * UInt64($0 % 8))) &+ UInt8($0) }
}

@Suite struct SigningTests {
  private final class Kept { var times: [SigningTimestamp] = [] }
  private let now = SigningTimestamp(unixMicroseconds: 1_796_000_000_000_000)

  private func signing(stored: SigningTimestamp? = nil, kept: Kept = Kept()) throws -> LineSigning {
    LineSigning(
      key: try #require(SigningKey([UInt8](repeating: 7, count: 32))), stored: stored,
      wallClock: { [now] in now },
      sha256: mixer, store: { kept.times.append($0) })
  }

  private func autopilotSigning(_ key: UInt8 = 7) throws -> FrameSigning {
    FrameSigning(
      key: try #require(SigningKey([UInt8](repeating: key, count: 32))), linkID: 1, timestamp: now,
      sha256: mixer)
  }

  private func heartbeat(_ signing: inout FrameSigning) -> [UInt8] {
    var autopilot = ScriptedAutopilot()
    autopilot.encoder.announcesSignature = true
    var frame = autopilot.heartbeat(.guided, armed: true)
    signing.sign(&frame, at: now)
    return frame
  }

  @Test func everyFrameThatIsSentIsSignedAnew() throws {
    let bench = try Bench(signing: try signing())
    var autopilot = try autopilotSigning()
    bench.link.start()
    bench.channel.onBytes?(heartbeat(&autopilot))
    bench.link.perform(.hold, ticket: 7)
    // The repeat for want of an acknowledgement carries a later time.
    for _ in 0..<12 { bench.pass(.milliseconds(100)) }
    let frames = bench.frames()
    #expect(frames.filter { $0.decode(CommandLong.self)?.command == .doSetMode }.count >= 2)
    #expect(frames.contains { $0.decode(Heartbeat.self) != nil })
    for frame in frames { try autopilot.verify(frame, at: now) }
  }

  @Test func aFlightControllerWithoutTheKeyIsNotHeardAndTheReasonIsTold() throws {
    var foreign = try autopilotSigning(8)
    var plain = ScriptedAutopilot()
    for (frame, text) in [
      (plain.heartbeat(.guided, armed: true), "does not sign its frames"),
      (heartbeat(&foreign), "another key"),
    ] {
      let bench = try Bench(signing: try signing())
      bench.link.start()
      bench.channel.onBytes?(frame)
      #expect(bench.link.state.heartbeatAt == nil)
      let problem = try #require(bench.link.problem)
      #expect(problem.contains(text) && problem.contains("1 frames refused"))
      bench.link.perform(.hold, ticket: 1)
      #expect(bench.outcome(1) == .refused(reason: problem))
    }
  }

  @Test func aRepeatedFrameCountsOnce() throws {
    let bench = try Bench(signing: try signing())
    var autopilot = try autopilotSigning()
    bench.link.start()
    let frame = heartbeat(&autopilot)
    bench.channel.onBytes?(frame)
    let first = try #require(bench.link.state.heartbeatAt)
    bench.pass(.seconds(1))
    bench.channel.onBytes?(frame)
    #expect(bench.link.state.heartbeatAt == first)
    #expect(bench.link.problem?.contains("repeats old frames") == true)
    bench.channel.onBytes?(heartbeat(&autopilot))
    #expect(bench.link.problem == nil)
  }

  @Test func theTimeIsKeptAndARestartBeginsBehindIt() throws {
    let kept = Kept()
    let bench = try Bench(signing: try signing(kept: kept))
    var autopilot = try autopilotSigning()
    bench.link.start()
    bench.channel.onBytes?(heartbeat(&autopilot))
    for _ in 0..<700 {
      bench.pass(.milliseconds(100))
      bench.channel.onBytes?(heartbeat(&autopilot))
    }
    #expect(kept.times.count == 3)
    let last = try #require(kept.times.last)
    // The clock of this computer went back to 1970 meanwhile.
    let later = Kept()
    let restarted = LineSigning(
      key: try #require(SigningKey([UInt8](repeating: 7, count: 32))), stored: last,
      wallClock: { SigningTimestamp(0) }, sha256: mixer, store: { later.times.append($0) })
    var frame = [UInt8](repeating: 1, count: 12)
    restarted.sign(&frame, at: .now)
    #expect(try #require(later.times.first) > SigningTimestamp(last.value + 30 * 100_000))
  }

  @Test func whatIsRecordedOfTheLineCarriesNoSignature() throws {
    let bench = try Bench(signing: try signing())
    var autopilot = try autopilotSigning()
    var recorded: [UInt8] = []
    bench.link.onTraffic = { recorded += $0 }
    bench.link.start()
    bench.channel.onBytes?(heartbeat(&autopilot))
    bench.link.perform(.hold, ticket: 7)
    var parser = StreamParser()
    let frames = parser.frames(in: recorded)
    #expect(frames.contains { $0.componentID == 1 && $0.decode(Heartbeat.self) != nil })
    #expect(frames.contains { $0.componentID == 191 && $0.decode(CommandLong.self)?.command == .doSetMode })
    #expect(frames.allSatisfy { $0.signature == nil })
    #expect(parser.counters.skippedBytes == 0 && parser.counters.checksumErrors == 0)
  }
}
