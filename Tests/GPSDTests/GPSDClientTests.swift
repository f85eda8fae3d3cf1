import GPSD
import Geodesy
import ServiceRuntime
import TestSupport
import Testing

/// Whether the programs are here; says why when they are not.
private let canRun: Bool = {
  if let reason = GPSDaemon.reasonToSkip {
    print("skipped: \(reason)")
    return false
  }
  return true
}()

@Suite(.timeLimit(.minutes(1)), .enabled(if: canRun, "gpsfake and gpsd are needed"))
struct GPSDClientTests {
  private let loop: EventLoop
  private let log = LogCapture()

  init() throws { loop = try EventLoop() }

  private func client(port: UInt16) throws -> GPSDClient {
    let client = GPSDClient(host: "127.0.0.1", port: port, loop: loop, logger: log.logger)
    try client.start()
    return client
  }

  private func isFix(_ client: GPSDClient) -> Bool {
    if case .fix = client.status(at: loop.now) { true } else { false }
  }
  private func isLost(_ client: GPSDClient) -> Bool {
    if case .lostFix = client.status(at: loop.now) { true } else { false }
  }
  private func isStale(_ client: GPSDClient) -> Bool {
    if case .stale = client.status(at: loop.now) { true } else { false }
  }
  private func isUnreachable(_ client: GPSDClient) -> Bool {
    if case .unreachable = client.status(at: loop.now) { true } else { false }
  }

  @Test(
    "Fixes of a walk arrive once for each second of the track, on the track, with height, speed, course and error"
  )
  func walk() throws {
    let daemon = try GPSDaemon(.track("walk", cycleSeconds: 0.05))
    defer { daemon.stop() }
    let client = try client(port: daemon.port)
    defer { client.stop() }
    var fixes: [Fix] = []
    client.onReport = { fixes.append($0) }
    #expect(loop.runUntil(.seconds(30)) { fixes.count >= 20 })
    let centre = try #require(Coordinate(latitude: 47.397742, longitude: 8.545594))
      .moved(distanceMeters: 15 + 40.1, bearingDegrees: 0)
    for fix in fixes.dropFirst(4) {
      #expect(fix.mode == .threeDimensional)
      let coordinate = try #require(fix.coordinate)
      #expect(abs(coordinate.distanceMeters(to: centre) - 40.1) < 0.2)
      let speed = try #require(fix.speedMetersPerSecond)
      #expect(abs(speed - 1.4) < 0.01)
      #expect(fix.altitudeMSLMeters == 488)
      #expect(fix.courseDegrees != nil)
      let horizontalError = try #require(fix.horizontalErrorMeters)
      #expect(horizontalError > 0)
    }
    // The first reports repeat while gpsd learns the receiver's order; then one a second of the track.
    for (earlier, later) in zip(fixes.dropFirst(6), fixes.dropFirst(7)) {
      let from = try #require(earlier.coordinate)
      let to = try #require(later.coordinate)
      let step = from.distanceMeters(to: to)
      #expect(abs(step - 1.4) < 0.1)
    }
  }

  @Test("A lost fix is reported at once, gives no position, and ends with the next fix")
  func lostFix() throws {
    let daemon = try GPSDaemon(.track("walk-lost-fix", cycleSeconds: 0.03))
    defer { daemon.stop() }
    let client = try client(port: daemon.port)
    defer { client.stop() }
    #expect(loop.runUntil { isFix(client) })
    #expect(client.position(at: loop.now) != nil)
    #expect(loop.runUntil { isLost(client) })
    #expect(client.position(at: loop.now) == nil)
    #expect(loop.runUntil { isFix(client) })
    #expect(client.position(at: loop.now) != nil)
    #expect(log.messages.filter { $0 == "receiver lost its fix" }.count == 1)
  }

  @Test("A killed gpsd is unreachable, told once, and used again when it is back")
  func restart() throws {
    let daemon = try GPSDaemon(.track("walk", cycleSeconds: 0.1))
    let client = try client(port: daemon.port)
    defer { client.stop() }
    #expect(loop.runUntil { isFix(client) })
    let told = log.messages.count
    daemon.stop()
    #expect(loop.runUntil { isUnreachable(client) })
    #expect(loop.runUntil(.seconds(5)) { client.position(at: loop.now) == nil })
    let again = try GPSDaemon(.track("walk", cycleSeconds: 0.1), port: daemon.port)
    defer { again.stop() }
    #expect(loop.runUntil(.seconds(20)) { isFix(client) })
    #expect(client.position(at: loop.now) != nil)
    // "ended", perhaps "refused", perhaps "waiting" or "stale", "known": never one for each attempt.
    #expect(log.messages.count - told <= 4)
  }

  @Test("A gpsd that hangs makes the fix stale, then is unreachable, and is used again when it goes on")
  func frozen() throws {
    let daemon = try GPSDaemon(.track("walk", cycleSeconds: 0.1))
    defer { daemon.stop() }
    let client = try client(port: daemon.port)
    defer { client.stop() }
    #expect(loop.runUntil { isFix(client) })
    daemon.freeze()
    #expect(loop.runUntil { isStale(client) })
    #expect(client.position(at: loop.now) == nil)
    #expect(loop.runUntil { isUnreachable(client) })
    daemon.thaw()
    #expect(loop.runUntil(.seconds(20)) { isFix(client) })
  }

  @Test("A gpsd without a receiver is waited for, however long it is silent")
  func noReceiver() throws {
    let daemon = try GPSDaemon(.none)
    defer { daemon.stop() }
    let client = try client(port: daemon.port)
    defer { client.stop() }
    #expect(loop.runUntil { client.status(at: loop.now) == .waiting(.noReport) })
    // Longer than the two spans of silence after which a dead daemon is given up.
    #expect(!loop.runUntil(.seconds(8)) { isUnreachable(client) })
    #expect(client.position(at: loop.now) == nil)
  }

  @Test("Nothing listening is told once, with the reason")
  func nothingListens() throws {
    let client = try client(port: try GPSDaemon.freePort())
    defer { client.stop() }
    #expect(loop.runUntil { isUnreachable(client) })
    // Three more attempts.
    #expect(!loop.runUntil(.seconds(4)) { !isUnreachable(client) })
    #expect(log.messages.count == 1)
    #expect(log.messages.first?.contains("cannot reach gpsd") == true)
  }

  @Test("A stop takes no time and silences the handlers")
  func stop() throws {
    let daemon = try GPSDaemon(.track("walk", cycleSeconds: 0.05))
    defer { daemon.stop() }
    let client = try client(port: daemon.port)
    var reports = 0
    client.onReport = { _ in reports += 1 }
    #expect(loop.runUntil { reports > 0 })
    let took = ContinuousClock().measure { client.stop() }
    #expect(took < .milliseconds(20))
    let before = reports
    #expect(!loop.runUntil(.milliseconds(500)) { reports > before })
  }
}
