import Configuration
import FlightLog
import Geodesy
import JSONText
import NavigatorApp
import PeerLink
import PeerProtocol
import RemoteControl
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Vehicle

/// An autopilot that does nothing by itself: it notes what it is asked, and the test tells what becomes of it.
final class FakeFlightController: FlightController {
  struct Performed: Equatable {
    let action: VehicleAction
    let ticket: UInt32
  }

  /// What it reports; its heartbeat is always fresh.
  var reported = VehicleState()
  private(set) var performed: [Performed] = []
  private(set) var isStarted = false
  private(set) var isStopped = false

  var state: VehicleState {
    var state = reported
    state.heartbeatAt = ContinuousClock.now
    return state
  }
  var problem: String?
  var onState: ((VehicleState) -> Void)?
  var onProgress: ((UInt32, VehicleAction, ActionProgress) -> Void)?
  var onStatusText: ((UInt8, String) -> Void)?
  var onLink: ((String?) -> Void)?
  var onSent: ((UInt32, String) -> Void)?
  var isGroundStationAlive: () -> Bool = { false }

  func start() { isStarted = true }
  func perform(_ action: VehicleAction, ticket: UInt32) {
    performed.append(Performed(action: action, ticket: ticket))
  }
  func abandon() {}
  func stop() { isStopped = true }

  var actions: [VehicleAction] { performed.map(\.action) }

  /// Tells what became of the newest action.
  func report(_ progress: ActionProgress) {
    guard let last = performed.last else { return }
    onProgress?(last.ticket, last.action, progress)
  }
}

/// Trusts whom the test says.
final class TestTrust: PeerTrust {
  var ids: Set<PeerID> = []
  func isTrusted(_ id: PeerID) -> Bool { ids.contains(id) }
}

/// A navigator with a fake autopilot and a client of it, on one loop, connected by TLS over the loopback.
final class Bench {
  static let home = Coordinate(latitude: 47.397742, longitude: 8.545594)!
  static let north = Coordinate(latitude: 47.398542, longitude: 8.545594)!

  let loop: EventLoop
  let vehicle = FakeFlightController()
  let client: PeerTransceiver
  let clientID: PeerID
  let navigatorID: PeerID
  let service: NavigatorService
  /// The navigator's own side, for looking at.
  let transceiver: PeerTransceiver
  let trustOfNavigator = TestTrust()
  let trustOfClient = TestTrust()
  let log = LogCapture()
  let state: TemporaryDirectory
  private let clientState: TemporaryDirectory

  private(set) var receipts: [CommandReceipt] = []
  private(set) var statuses: [(at: ContinuousClock.Instant, status: VehicleStatus)] = []
  private(set) var notices: [VehicleNotice] = []
  private(set) var ends: [SessionEnd] = []
  private(set) var fed = 0
  private(set) var isStopping = false
  private var sequence: UInt32 = 0

  /// - Parameters:
  ///   - trusting: both sides trust each other from the start.
  ///   - change: what differs from the default configuration.
  init(trusting: Bool = true, _ change: (inout NavigatorConfiguration) -> Void = { _ in }) throws {
    loop = try EventLoop()
    state = try TemporaryDirectory()
    clientState = try TemporaryDirectory()
    let identity = try Identity.loadOrCreate(directory: state.path, commonName: "Drone")
    let clientIdentity = try Identity.loadOrCreate(directory: clientState.path, commonName: "Ann")
    clientID = clientIdentity.peerID
    navigatorID = identity.peerID
    if trusting {
      trustOfNavigator.ids = [clientIdentity.peerID]
      trustOfClient.ids = [identity.peerID]
    }
    // A type of its own: should the network be a real one, nobody takes this for a client.
    client = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: "Ann", serviceType: "_navigator-test._tcp", listenAddress: .loopbackV4(port: 0)),
      identity: clientIdentity, trust: trustOfClient, loop: loop, logger: .silent)
    try client.start()
    var configuration = NavigatorConfiguration()
    configuration.stateDirectory = state.path
    change(&configuration)
    transceiver = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: configuration.name, serviceType: "_navigator-test._tcp",
        endpoints: [PeerEndpoint(host: "127.0.0.1", port: client.localAddress?.port ?? 0)]),
      identity: identity, trust: trustOfNavigator, loop: loop, logger: log.logger)
    let files = LogFiles(
      path: "\(state.path)/\(LogFiles.defaultName)", maximumFileBytes: 1 << 20, maximumFileCount: 2)
    var onFeed: () -> Void = {}
    var onStopping: () -> Void = {}
    service = NavigatorService(
      configuration: configuration, id: identity.peerID, transceiver: transceiver, vehicle: vehicle,
      log: try FlightLogWriter(files, logger: .silent),
      supervision: NavigatorService.Supervision(
        ready: { _ in }, status: { _ in }, feed: { _ in onFeed() }, stopping: { onStopping() }),
      loop: loop, logger: log.logger)
    onFeed = { [unowned self] in fed += 1 }
    onStopping = { [unowned self] in isStopping = true }
    client.onMessage = { [unowned self] _, message in take(message) }
    client.onDisconnected = { [unowned self] _, end in ends.append(end) }
    try service.start()
  }

  private func take(_ message: ReceivedMessage) {
    switch RemoteControlMessageClass(rawValue: message.messageClass) {
    case .receipt?: if let receipt = CommandReceipt(encoded: message.payload) { receipts.append(receipt) }
    case .status?:
      if let status = VehicleStatus(encoded: message.payload) { statuses.append((loop.now, status)) }
    case .notice?: if let notice = VehicleNotice(encoded: message.payload) { notices.append(notice) }
    case .command?, nil: break
    }
  }

  /// Waits for the session of both.
  func connect() -> Bool {
    loop.runUntil { !transceiver.connectedPeers.isEmpty && !client.connectedPeers.isEmpty }
  }

  /// A vehicle on the ground that may take off.
  func standOnGround() {
    vehicle.reported.autopilot = .ardupilot
    vehicle.reported.isArmed = false
    vehicle.reported.mode = .guided
    vehicle.reported.modeName = "GUIDED"
    vehicle.reported.landed = .onGround
    vehicle.reported.home = Bench.home
    vehicle.reported.coordinate = Bench.home
    vehicle.reported.altitudeAboveHomeMeters = 0
  }

  /// A vehicle in the air.
  func fly() {
    standOnGround()
    vehicle.reported.isArmed = true
    vehicle.reported.landed = .inAir
    vehicle.reported.altitudeAboveHomeMeters = 10
  }

  /// Sends a frame with the next sequence.
  ///
  /// - Returns: the sequence.
  @discardableResult
  func send(_ change: (inout RemoteControlCommand) -> Void = { _ in }) -> UInt32 {
    sequence += 1
    var command = RemoteControlCommand(sequence: sequence)
    change(&command)
    sendBytes(command.encoded())
    return sequence
  }

  func sendBytes(_ bytes: [UInt8]) {
    _ = client.send(RemoteControlMessageClass.command.rawValue, bytes, to: navigatorID)
  }

  /// In the air and guided to a place by this client.
  func guide() -> Bool {
    fly()
    send {
      $0.coordinate = Bench.north
      $0.engage = true
    }
    let isAsked = loop.runUntil { !vehicle.performed.isEmpty }
    vehicle.report(.accepted)
    return isAsked
  }

  /// Runs the loop for a while.
  func run(for duration: Duration) { _ = loop.runUntil(duration) { false } }

  /// The flight log so far, one JSON object a line. Its writer has a thread of its own: wait for what is expected.
  func records() -> [JSON] {
    var lines: [JSON] = []
    let options: LogOptions = {
      var options = LogOptions()
      options.format = .json
      return options
    }()
    _ = printLog(
      options, stateDirectory: state.path, loop: loop,
      output: { line in
        if let json = try? JSON.parse(Array(line.utf8), limits: JSON.Limits()) { lines.append(json) }
        return true
      }, errors: { _ in })
    return lines
  }
}
