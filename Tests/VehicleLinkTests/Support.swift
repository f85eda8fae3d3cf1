import Geodesy
import MAVLink
import MAVLinkServices
import ServiceRuntime
import Vehicle

@testable import VehicleLink

/// A line without a kernel: what is written is kept, what "arrives" is handed in.
final class MemoryChannel: ByteChannel {
  var onBytes: (([UInt8]) -> Void)?
  var onEnd: ((ChannelEnd) -> Void)?
  var pendingByteCount = 0
  var isFull = false
  private(set) var isClosed = false
  private(set) var written: [UInt8] = []

  func write(_ bytes: [UInt8]) -> Bool {
    if isFull || isClosed { return false }
    written += bytes
    return true
  }
  func setReading(_ enabled: Bool) {}
  func close() { isClosed = true }
  func takeWritten() -> [UInt8] {
    defer { written = [] }
    return written
  }
}

final class MemoryOpener: ChannelOpener {
  let name = "memory"
  var baud: Int? = 57600
  var results: [Result<MemoryChannel, ChannelOpenFailure>] = []
  var opens = 0

  func open(
    on loop: EventLoop, completion: @escaping (Result<any ByteChannel, ChannelOpenFailure>) -> Void
  ) {
    opens += 1
    let result = results.isEmpty ? .failure(ChannelOpenFailure("memory is not there")) : results.removeFirst()
    completion(result.map { $0 as any ByteChannel })
  }
}

/// A link whose time stands still until the test moves it.
final class Bench {
  let loop: EventLoop
  let opener = MemoryOpener()
  let channel = MemoryChannel()
  let link: VehicleLink
  private(set) var now = ContinuousClock.now
  var progress: [(ticket: UInt32, progress: ActionProgress)] = []
  var sent: [String] = []
  var statuses: [LinkStatus] = []
  var texts: [String] = []
  private let time: Time
  private var parser = StreamParser()

  private final class Time { var now = ContinuousClock.now }

  init(logger: Logger = .silent, signing: LineSigning? = nil, baud: Int? = 57600) throws {
    opener.baud = baud
    loop = try EventLoop()
    let time = Time()
    self.time = time
    opener.results = [.success(channel)]
    link = VehicleLink(loop: loop, logger: logger, opener: opener, signing: signing, clock: { time.now })
    now = time.now
    link.onProgress = { [unowned self] ticket, _, progress in self.progress.append((ticket, progress)) }
    link.onSent = { [unowned self] in sent.append($1) }
    link.onLink = { [unowned self] in statuses.append($0) }
    link.onText = { [unowned self] in texts.append($1) }
  }

  func pass(_ duration: Duration) {
    now = now.advanced(by: duration)
    time.now = now
    link.tick()
  }

  /// What the link wrote since the last look.
  func frames() -> [Frame] { parser.frames(in: channel.takeWritten()) }

  func outcome(_ ticket: UInt32) -> ActionProgress? {
    progress.last { $0.ticket == ticket && $0.progress.isFinal }?.progress
  }
}

/// An autopilot that says what the test tells it to.
struct ScriptedAutopilot {
  var encoder = FrameEncoder(systemID: 1, componentID: 1)

  mutating func heartbeat(_ mode: CopterMode, armed: Bool = false) -> [UInt8] {
    encoder.encode(
      Heartbeat(
        type: .quadrotor, autopilot: .arduPilotMega,
        baseMode: armed ? [.customModeEnabled, .safetyArmed] : .customModeEnabled, customMode: mode.rawValue,
        systemStatus: armed ? .active : .standby))
  }
  mutating func ack(_ command: CommandID, _ result: CommandResult) -> [UInt8] {
    encoder.encode(
      CommandAck(command: command, result: result, targetSystem: 1, targetComponent: 191))
  }
  mutating func text(_ text: String) -> [UInt8] {
    encoder.encode(StatusText(severity: .critical, text: FixedText<50>(text)))
  }
  mutating func landed(_ state: MAVLink.LandedState) -> [UInt8] {
    encoder.encode(ExtendedSystemState(landedState: state))
  }
  mutating func position(
    _ coordinate: Coordinate, height: Double, bootMilliseconds: UInt32 = 1000
  ) -> [UInt8] {
    encoder.encode(
      GlobalPositionInt(
        timeBootMs: bootMilliseconds, lat: Int32(coordinate.latitude * 1e7),
        lon: Int32(coordinate.longitude * 1e7), alt: Int32(height * 1000) + 100_000,
        relativeAlt: Int32(height * 1000)))
  }
}

struct NotACoordinate: Error {}

func place(_ latitude: Double, _ longitude: Double = 8.5) throws -> Coordinate {
  guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw NotACoordinate() }
  return coordinate
}
