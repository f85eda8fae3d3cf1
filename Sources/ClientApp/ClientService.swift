import Configuration
public import Geodesy
public import PeerLink
public import PeerProtocol
import RemoteControl
public import ServiceRuntime
import Sockets

/// The client: one frame a second to each connected vehicle, the operator's commands at once, and what comes back.
///
/// Confined to its loop.
public final class ClientService {
  public struct Settings {
    public var name: String
    public var id: PeerID
    public var stateDirectory: String
    /// For hints: how the operator says that a peer is trusted, such as `drone-client trust`.
    public var trustCommand: String
    /// The same for taking trust back.
    public var untrustCommand: String
    /// The same for refusing to hand control over.
    public var keepCommand: String
    public var processID: Int32
    /// Ends with its last request and has no position: it was started by a command because no client runs.
    public var isForOneCommand: Bool

    public init(
      name: String, id: PeerID, stateDirectory: String, trustCommand: String,
      untrustCommand: String = "drone-client untrust", keepCommand: String = "drone-client keep",
      processID: Int32,
      isForOneCommand: Bool = false
    ) {
      self.name = name
      self.id = id
      self.stateDirectory = stateDirectory
      self.trustCommand = trustCommand
      self.untrustCommand = untrustCommand
      self.keepCommand = keepCommand
      self.processID = processID
      self.isForOneCommand = isForOneCommand
    }
  }

  /// The local socket of a state directory.
  public static func socketPath(in stateDirectory: String) -> String { "\(stateDirectory)/control.socket" }

  let settings: Settings
  let loop: EventLoop
  let transceiver: PeerTransceiver
  let logger: Logger
  let position: (any PositionSource)?
  let console: Console?
  var composer = CommandComposer()
  var tracker = OutcomeTracker()
  var asked: [Int: Asked] = [:]
  var waiting: [Waiting] = []
  var vehicles: [PeerID: Vehicle] = [:]
  private var advertising = Advertising.notYet
  /// Since when nobody can find this client.
  private var hiddenSince: ContinuousClock.Instant?
  private var toldHidden: String?
  /// Registering takes about a second; what lasts longer is told.
  private static let hiddenGrace: Duration = .seconds(3)
  /// The key under which the frames of the seconds replace each other; commands have none, each of them has to arrive.
  private static let periodicFrames: UInt64 = 1
  private var strangers = StrangerNotices()
  private var failures = FaultCounter(period: .seconds(10))
  private var server: ControlServer?
  /// The window in which an operator accepts pairing.
  var pairing: ClientPairing?
  private var ticks: RepeatingTimer?
  var followers: [Int: Follower] = [:]
  var lastFollower = 0
  var followTicks: RepeatingTimer?
  /// When the line of the terminal was painted last.
  private var paintedAt: ContinuousClock.Instant?
  /// Often enough for a vehicle that moves; the terminal may be on a slow line too.
  private static let paintPeriod: Duration = .milliseconds(200)
  private var isStopping = false

  struct Vehicle {
    var label: VehicleLabel
    var isConnected: Bool
    /// Not connected for want of a sign of life, but its session may go on.
    var isSilent = false
    var status: VehicleStatus?
    var statusAt: ContinuousClock.Instant?
    var toldProblem: String?
  }

  /// Who waits for the events of a request.
  struct Asked {
    let onReply: (ControlReply) -> Void
    var deadline: ScheduledTimer?
  }

  /// A request of a client that runs for one command only, until vehicles have connected.
  struct Waiting {
    let request: Int
    let verb: VehicleVerb
    let selection: VehicleSelection
    var firstConnection: ContinuousClock.Instant?
    var reached: Set<PeerID> = []
  }

  /// - Parameters:
  ///   - transceiver: not started yet; its handlers are taken over.
  ///   - position: not started yet; nil when frames carry no position.
  ///   - console: where events are told; nil for a client that runs for one command.
  public init(
    settings: Settings, transceiver: PeerTransceiver, position: (any PositionSource)?, console: Console?,
    loop: EventLoop, logger: Logger
  ) {
    self.settings = settings
    self.transceiver = transceiver
    self.position = position
    self.console = console
    self.loop = loop
    self.logger = logger
  }

  /// - Throws: `UnixSocketError` when a client runs in this state directory already; what the transceiver and the position throw.
  public func start() throws {
    let server = try ControlServer(
      path: Self.socketPath(in: settings.stateDirectory), on: loop, logger: logger)
    server.onRequest = { [weak self] request, caller in self?.asked(request, caller) }
    self.server = server
    transceiver.onInvitation = { $0.accept() }
    transceiver.onConnected = { [weak self] peer in self?.connected(peer) }
    transceiver.onDisconnected = { [weak self] peer, reason in self?.disconnected(peer, reason) }
    transceiver.onMessage = { [weak self] peer, message in self?.received(message, from: peer) }
    transceiver.onStranger = { [weak self] id, address in self?.refused(id, address) }
    position?.onStatusChange = { [weak self] status in self?.console?.line("position: \(status.text)") }
    try transceiver.start()
    try position?.start()
    ticks = loop.repeating(every: .seconds(1)) { [weak self] in self?.tick() }
    console?.line("listening on \(address)")
    console?.line("own identity \(settings.id.hex)")
    if let position { console?.line("position: \(position.status(at: loop.now).text)") }
    console?.line(
      "waiting for vehicles; one trusts this client after: drone-navigator trust \(settings.id.hex)")
  }

  /// Says goodbye to all vehicles and removes the socket; let the loop run a moment longer. Idempotent.
  public func stop() {
    guard !isStopping else { return }
    isStopping = true
    pairing?.cancel()
    ticks?.cancel()
    followTicks?.cancel()
    server?.close()
    position?.stop()
    transceiver.stop()
  }

  /// News of whether other computers see this client.
  public func advertisingChanged(_ state: Advertising) {
    guard state != advertising else { return }
    advertising = state
    if case .hidden = state { hiddenSince = hiddenSince ?? loop.now } else { hiddenSince = nil }
    toldHidden = nil
    switch state {
    case .notYet: break
    case .advertised(let name): console?.line("advertised as '\(shown(name))'")
    case .hidden: break
    }
  }

  var connectedVehicles: [VehicleLabel] {
    vehicles.values.filter(\.isConnected).map(\.label).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Who a stop is for: also those that are not heard, which get it as soon as they are. Who `--all` means: those learn of nothing, which is told.
  var heardOrSilent: [VehicleLabel] {
    vehicles.values.filter { $0.isConnected || $0.isSilent }.map(\.label)
      .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Why nobody finds this client, nil while it is advertised or still about to be.
  var advertisingProblem: String? {
    guard case .hidden(let reason) = advertising, let hiddenSince,
      hiddenSince.duration(to: loop.now) >= Self.hiddenGrace
    else { return nil }
    return reason
  }

  public var status: ClientStatus {
    let now = loop.now
    let own = position?.position(at: now)
    let views = vehicles.values.sorted { ($0.label.name, $0.label.id) < ($1.label.name, $1.label.id) }.map {
      vehicle in
      var distance: Double?
      if let own, let place = vehicle.status?.coordinate {
        distance = own.coordinate.distanceMeters(to: place)
      }
      return ClientStatus.Vehicle(
        label: vehicle.label, isConnected: vehicle.isConnected, isSilent: vehicle.isSilent,
        link: vehicle.isConnected ? transceiver.status(of: vehicle.label.id) : nil, status: vehicle.status,
        age: vehicle.statusAt.map { $0.duration(to: now) }, target: composer.target(of: vehicle.label.id),
        distanceMeters: distance)
    }
    return ClientStatus(
      name: settings.name, id: settings.id, processID: settings.processID, address: address,
      advertising: advertising, position: position?.status(at: now) ?? .waiting(.noReport),
      positionAge: own?.age, vehicles: views)
  }

  private var address: String { transceiver.localAddress?.description ?? "no address" }

  private func tick() {
    let now = loop.now
    let usable = position?.position(at: now)
    for label in connectedVehicles {
      let frame = composer.periodicFrame(to: label.id, position: usable)
      // The newest position counts: what has not arrived of the last second's is not sent again.
      let result = transceiver.send(
        RemoteControlMessageClass.command.rawValue, frame.encoded(), to: label.id,
        mode: .urgent(replacing: Self.periodicFrames))
      if result != .sent, let count = failures.record(at: now) {
        console?.line(
          "\(count == 1 ? "a frame" : "\(count) frames") could not be sent, last to \(shown(label.name)): "
            + result.text)
      }
    }
    if let problem = advertisingProblem {
      if toldHidden != problem { console?.line("not advertised: \(shown(problem))") }
      toldHidden = problem
      giveUp(problem)
    }
    reconsiderWaiting()
    showStatus()
  }

  private func showStatus() {
    guard let console, console.isTerminal else { return }
    paintedAt = loop.now
    console.update(status.line)
  }

  private func connected(_ peer: Peer) {
    let label = VehicleLabel(id: peer.id, name: peer.name)
    if vehicles[peer.id] == nil, vehicles.count >= 64,
      let forgotten = vehicles.first(where: { !$0.value.isConnected })
    {
      vehicles[forgotten.key] = nil
    }
    if peer.isResumed, vehicles[peer.id] != nil {
      vehicles[peer.id]?.isConnected = true
      vehicles[peer.id]?.isSilent = false
    } else {
      vehicles[peer.id] = Vehicle(label: label, isConnected: true)
    }
    console?.line("connected\(peer.isResumed ? " again" : ""): \(shown(peer.name)) (\(peer.id.short))")
    tellCount()
    // Frames are numbered on in the same session only.
    if !peer.isResumed {
      handle(tracker.lost(peer.id, reason: "a new session took its place", at: loop.now))
    }
    for request in tracker.interrupted(peer.id) { send(.stop, to: label, request) }
    reconsiderWaiting()
  }

  private func disconnected(_ peer: Peer, _ reason: SessionEnd) {
    let mayReturn = reason == .timedOut(.silence)
    vehicles[peer.id]?.isConnected = false
    vehicles[peer.id]?.isSilent = mayReturn
    console?.line("disconnected: \(shown(peer.name)) (\(peer.id.short)): \(shown(reason.description))")
    tellCount()
    handle(tracker.lost(peer.id, reason: reason.description, mayReturn: mayReturn, at: loop.now))
  }

  private func tellCount() {
    showStatus()
    tellFollowers()
    let count = connectedVehicles.count
    console?.line("connected to \(count == 1 ? "1 vehicle" : "\(count) vehicles")")
  }

  private func refused(_ id: PeerID, _ address: SocketAddress) {
    guard strangers.shouldTell(id, at: loop.now) else { return }
    let text =
      "refused \(id.short) at \(address.hostDescription): not trusted; to trust it: \(settings.trustCommand) \(id.hex)"
    if let console { console.line(text) } else { logger.warning(text) }
  }

  private func received(_ message: ReceivedMessage, from peer: Peer) {
    guard let messageClass = RemoteControlMessageClass(rawValue: message.messageClass),
      message.payload.count <= messageClass.maximumBytes
    else { return }
    switch messageClass {
    case .command: logger.info("ignored a command from a vehicle", ["peer.id": peer.id.short])
    case .receipt:
      guard let receipt = CommandReceipt(encoded: message.payload) else { return }
      // A refusal counts also when nobody waits for it any more.
      if receipt.stage.isFinal {
        composer.concluded(
          sequence: receipt.sequence, vehicle: peer.id, wasRefused: receipt.stage == .refused)
      }
      handle(tracker.received(receipt, from: peer.id, at: loop.now))
    case .status:
      guard let status = VehicleStatus(encoded: message.payload) else { return }
      let before = vehicles[peer.id]?.status
      vehicles[peer.id]?.status = status
      vehicles[peer.id]?.statusAt = loop.now
      tellControl(status, before, of: peer)
      handle(tracker.received(status, from: peer.id, at: loop.now))
      if paintedAt.map({ $0.duration(to: loop.now) >= Self.paintPeriod }) ?? true { showStatus() }
      tellProblem(status.autopilotProblem ?? status.relayState, of: peer)
    case .notice:
      guard let notice = VehicleNotice(encoded: message.payload) else { return }
      console?.line("\(shown(peer.name)): \(notice.severityWord)\(shown(notice.text))")
    }
  }

  /// Somebody wants what this client has: told at once, and by status, which comes again and again, so that no loss can hide it.
  private func tellControl(_ status: VehicleStatus, _ before: VehicleStatus?, of peer: Peer) {
    let asker = status.isInControl ? status.controlAskerName : nil
    let askerBefore = before?.isInControl == true ? before?.controlAskerName : nil
    guard asker != askerBefore else { return }
    tellFollowers()
    guard let asker else {
      if status.isInControl { console?.line("\(shown(peer.name)): this client keeps control") }
      return
    }
    let choice = connectedVehicles.count > 1 ? " --vehicle \(peer.id.short)" : ""
    console?.line(
      "\(shown(asker)) asks for control of \(shown(peer.name)); `\(settings.keepCommand)\(choice)` refuses, "
        + "else it is handed over in \(status.secondsUntilHandOver ?? 10) s")
    console?.bell()
  }

  /// What keeps the vehicle from obeying is told once a change.
  private func tellProblem(_ problem: String?, of peer: Peer) {
    guard let vehicle = vehicles[peer.id], vehicle.toldProblem != problem else { return }
    vehicles[peer.id]?.toldProblem = problem
    console?.line("\(shown(peer.name)): \(problem.map(shown) ?? "back to normal")")
  }
}

extension SendResult {
  var text: String {
    switch self {
    case .sent: "sent"
    case .notConnected: "the vehicle is not connected"
    case .tooLarge: "the frame is too large"
    case .congested: "the network does not take it"
    }
  }
}

extension VehicleNotice {
  /// MAVLink `MAV_SEVERITY` in words; a plain remark has none.
  var severityWord: String {
    switch severity {
    case 0: "emergency: "
    case 1: "alert: "
    case 2: "critical: "
    case 3: "error: "
    case 4: "warning: "
    default: ""
    }
  }
}
