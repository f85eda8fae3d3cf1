public import Configuration
public import FlightLog
import Guidance
import JSONText
public import PeerLink
public import PeerProtocol
import RemoteControl
import ServiceDiscovery
public import ServiceRuntime
import Sockets
import Vehicle

/// The running navigator: peers on one side, the autopilot on the other, `Guidance` deciding between them.
public final class NavigatorService {
  /// What the service manager is told; the executable connects it to systemd.
  public struct Supervision {
    public var ready: (_ status: String) -> Void
    public var status: (_ text: String) -> Void
    /// Called from the working loop a few times a second; a loop that stands still stops claiming health.
    public var feed: (_ now: ContinuousClock.Instant) -> Void
    public var stopping: () -> Void

    public init(
      ready: @escaping (String) -> Void, status: @escaping (String) -> Void,
      feed: @escaping (ContinuousClock.Instant) -> Void, stopping: @escaping () -> Void
    ) {
      self.ready = ready
      self.status = status
      self.feed = feed
      self.stopping = stopping
    }
  }

  /// How long a hold may take to be confirmed before the program ends without it.
  private static let shutdownLimit: Duration = .seconds(8)
  /// Several times a second: the newest wins, and a client's line is never older than this.
  private static let statusPeriod: Duration = .milliseconds(250)
  /// MAVLink `MAV_SEVERITY_WARNING`; what is less severe is not pushed to clients.
  private static let noticeSeverity: UInt8 = 4

  let loop: EventLoop
  let logger: Logger
  var configuration: NavigatorConfiguration
  let transceiver: PeerTransceiver
  let vehicle: any FlightController
  let records: FlightRecords
  private let supervision: Supervision
  let id: PeerID
  let startedAt: ContinuousClock.Instant
  var guidance: Guidance
  var lastReload: String?
  private(set) var lastClientLoss: Loss?
  private(set) var lastLineLoss: Loss?
  private var frameNumber: UInt64 = 0
  private var noticeNumber: UInt64 = 0
  /// Of the 64 urgent messages that may be under way; more notices than these replace the oldest.
  private static let noticesUnderWay: UInt64 = 8
  private var timers: [RepeatingTimer] = []
  private var statusSocket: UnixListener?
  private var malformed = FaultCounter(period: .seconds(10))
  private var dialFailures: [String: String] = [:]
  private(set) var shutdownDeadline: ContinuousClock.Instant?
  private var isEnding = false
  private var undone: [Guidance.Decision] = []
  private var isApplying = false

  public init(
    configuration: NavigatorConfiguration, id: PeerID, transceiver: PeerTransceiver,
    vehicle: any FlightController,
    log: FlightLogWriter, supervision: Supervision, loop: EventLoop, logger: Logger
  ) {
    self.configuration = configuration
    self.id = id
    self.transceiver = transceiver
    self.vehicle = vehicle
    self.supervision = supervision
    self.loop = loop
    self.logger = logger
    records = FlightRecords(writer: log)
    guidance = Guidance(rules: Guidance.Rules(configuration))
    startedAt = loop.now
  }

  /// Starts everything; the caller runs the loop.
  ///
  /// - Throws: what keeps the program from serving at all. A missing device, bus or client is no such reason.
  public func start() throws {
    wireVehicle()
    wirePeers()
    let path = "\(configuration.stateDirectory)/\(NavigatorService.socketName)"
    let listener = try UnixListener(path: path, on: loop)
    listener.onAccept = { [weak self] channel, _ in self?.answer(channel) }
    statusSocket = listener
    vehicle.start()
    try transceiver.start()
    timers = [
      loop.repeating(every: .milliseconds(100)) { [weak self] in self?.tick() },
      loop.repeating(every: NavigatorService.statusPeriod) { [weak self] in self?.sendStatus() },
    ]
    records.note("navigator \(configuration.name) started")
    logger.notice("\(configuration.name) is running", ["peer.id": id.hex])
    supervision.ready(summary)
  }

  /// Ends gracefully: a flying vehicle holds first, then the loop stops.
  public func shutDown() {
    guard shutdownDeadline == nil else { return }
    shutdownDeadline = loop.now.advanced(by: NavigatorService.shutdownLimit)
    supervision.stopping()
    apply(guidance.shutdown(vehicle: vehicle.state, at: loop.now))
    endIfDone()
  }

  static let socketName = "status.socket"

  private var summary: String {
    let clients = transceiver.connectedPeers.map(\.name).joined(separator: ", ")
    return (vehicle.problem ?? "autopilot connected")
      + (clients.isEmpty ? ", no client" : ", clients: \(clients)")
  }

  // MARK: The autopilot

  private func wireVehicle() {
    vehicle.isGroundStationAlive = { [weak self] in
      guard let self, configuration.sendsGCSHeartbeat, shutdownDeadline == nil else { return false }
      return guidance.needsGroundStationHeartbeat(at: loop.now)
    }
    vehicle.onState = { [weak self] state in
      guard let self else { return }
      apply(guidance.vehicleChanged(to: state, at: loop.now))
    }
    vehicle.onProgress = { [weak self] ticket, _, progress in
      guard let self else { return }
      apply(guidance.progressed(ticket, progress, vehicle: vehicle.state, at: loop.now))
    }
    vehicle.onSent = { [weak self] ticket, message in self?.records.sent(message, ticket: ticket) }
    vehicle.onStatusText = { [weak self] severity, text in
      guard let self else { return }
      records.statusText(severity, text)
      logger.info("autopilot: \(text)")
      if severity <= NavigatorService.noticeSeverity { notify(severity, "autopilot: \(text)") }
    }
    vehicle.onLink = { [weak self] problem in
      guard let self else { return }
      let text = problem ?? "autopilot connected"
      // The line logs its own losses.
      if let problem {
        lastLineLoss = Loss(what: configuration.serial?.description ?? "", reason: problem, at: loop.now)
      } else {
        logger.notice(text)
      }
      records.link(text)
      supervision.status(summary)
    }
  }

  // MARK: Clients

  private func wirePeers() {
    transceiver.onConnected = { [weak self] peer in self?.connected(peer) }
    transceiver.onDisconnected = { [weak self] peer, reason in self?.disconnected(peer, reason) }
    transceiver.onMessage = { [weak self] peer, message in self?.received(message, from: peer) }
    transceiver.onDiscovery = { [logger] availability in
      switch availability {
      case .available: logger.info("browsing for clients")
      case .unavailable(let reason):
        logger.warning("cannot browse for clients: \(reason); or use --connect HOST:PORT")
      }
    }
    transceiver.onDialFailure = { [weak self] name, reason in
      guard let self, dialFailures[name] != reason.description else { return }
      // One line a reason, not one an attempt; bounded by the number of announcements.
      if dialFailures.count >= 64 { dialFailures = [:] }
      dialFailures[name] = reason.description
      logger.notice("cannot connect to \(name): \(reason)\(remedy(for: reason))")
    }
    transceiver.onStranger = { [logger] id, address in
      logger.notice("\(address) is not trusted; if it is a client of yours: drone-navigator trust \(id.hex)")
    }
  }

  private func remedy(for reason: SessionEnd) -> String {
    if case .declined(.untrusted, _) = reason { "; on the client: drone-client trust \(id.hex)" } else { "" }
  }

  private func connected(_ peer: Peer) {
    dialFailures = [:]
    logger.notice("connected\(peer.isResumed ? " again" : "") to \(peer.name)", ["peer.id": peer.id.hex])
    records.link("connected", peer: peer)
    let client = Guidance.ClientID(peer.id.hex)
    apply(
      peer.isResumed
        ? guidance.clientResumed(client, name: peer.name, at: loop.now)
        : guidance.clientConnected(client, name: peer.name, at: loop.now))
    supervision.status(summary)
    sendStatus()
  }

  private func disconnected(_ peer: Peer, _ reason: SessionEnd) {
    logger.notice("disconnected from \(peer.name): \(reason)", ["peer.id": peer.id.hex])
    records.disconnected(peer, reason.description)
    lastClientLoss = Loss(what: peer.name, reason: reason.description, at: loop.now)
    // The silence itself was answered long before, by the time since the last frame.
    apply(
      guidance.clientDisconnected(
        Guidance.ClientID(peer.id.hex), mayResume: reason == .timedOut(.silence), at: loop.now))
    supervision.status(summary)
  }

  private func received(_ message: ReceivedMessage, from peer: Peer) {
    guard message.messageClass == RemoteControlMessageClass.command.rawValue,
      message.payload.count <= RemoteControlMessageClass.command.maximumBytes
    else { return }
    do throws(RemoteControlCommandError) {
      let command = try RemoteControlCommand(encoded: Array(message.payload))
      frameNumber += 1
      let decisions = guidance.received(
        Guidance.Command(command, from: peer.id, frame: frameNumber, delay: message.delay),
        vehicle: vehicle.state,
        at: loop.now)
      // Recorded first, so that the lines of its outcome follow its own.
      records.command(command, frame: frameNumber, from: peer, delay: message.delay)
      apply(decisions)
    } catch {
      // A frame that cannot be read is no frame: it neither commands nor keeps the client alive.
      guard let count = malformed.record(at: loop.now) else { return }
      logger.warning("refused \(count) frames of \(peer.name), the last one because: \(error)")
      records.unreadable(error.description, from: peer)
    }
  }

  // MARK: Acting

  /// Acts on decisions in order. What an action brings back at once is acted on behind them, so that a receipt never
  /// overtakes an earlier one.
  private func apply(_ decisions: [Guidance.Decision]) {
    undone += decisions
    guard !isApplying else { return }
    isApplying = true
    while !undone.isEmpty { act(on: undone.removeFirst()) }
    isApplying = false
    if shutdownDeadline != nil { endIfDone() }
  }

  private func act(on decision: Guidance.Decision) {
    switch decision {
    case .perform(let action, let ticket, let reference):
      records.performing(action, ticket: ticket, for: reference)
      vehicle.perform(action, ticket: ticket)
    case .abandon:
      vehicle.abandon()
    case .receipt(let reference, let outcome):
      records.outcome(reference, outcome)
      let elapsed = records.elapsed(reference) ?? .zero
      guard let receipt = CommandReceipt(reference, outcome, elapsed: elapsed),
        let peer = PeerID(hex: reference.client.rawValue)
      else { return }
      _ = transceiver.send(
        RemoteControlMessageClass.receipt.rawValue, receipt.encoded(), to: peer,
        mode: .urgent(replacing: reference.receiptKey))
    case .event(let event):
      let text = named(event.description)
      // An ignored coordinate has the line of its outcome.
      if case .coordinateIgnored = event {} else { records.note(text) }
      logger.info(text)
      if case .linkLost(let client, _) = event {
        lastClientLoss = Loss(what: named(client.rawValue), reason: text, at: loop.now)
      }
      if let severity = event.severityForClients { notify(severity, text, only: event.concerned) }
      // Ten seconds are few: not a quarter of one is waited.
      if event.isAboutControl { sendStatus() }
    }
  }

  /// Puts names in the place of fingerprints. By hand: the standard library's search for a string brings a parser of regular
  /// expressions into the program (5 MB).
  private func named(_ text: String) -> String {
    let names = guidance.clientNames
    var result = ""
    var digits = ""
    func endDigits() {
      result += names[Guidance.ClientID(digits)] ?? digits
      digits = ""
    }
    for character in text {
      if character.isHexDigit {
        digits.append(character)
      } else {
        endDigits()
        result.append(character)
      }
    }
    endDigits()
    return result
  }

  /// - Parameter client: nil for all.
  private func notify(_ severity: UInt8, _ text: String, only client: Guidance.ClientID? = nil) {
    let notice = VehicleNotice(severity: severity, text: text).encoded()
    // A warning must not wait for a stalled connection, and a flood of them must leave room for receipts.
    noticeNumber &+= 1
    let mode = DeliveryMode.urgent(replacing: noticeNumber % Self.noticesUnderWay)
    for peer in transceiver.connectedPeers where client == nil || client?.rawValue == peer.id.hex {
      _ = transceiver.send(RemoteControlMessageClass.notice.rawValue, notice, to: peer.id, mode: mode)
    }
  }

  private func sendStatus() {
    let status = guidance.status(at: loop.now)
    for peer in transceiver.connectedPeers {
      let told = VehicleStatus(
        vehicle.state, status, problem: vehicle.problem, for: Guidance.ClientID(peer.id.hex))
      _ = transceiver.send(
        RemoteControlMessageClass.status.rawValue, told.encoded(), to: peer.id, mode: .unreliable)
    }
  }

  private func tick() {
    apply(guidance.tick(vehicle: vehicle.state, at: loop.now))
    supervision.feed(loop.now)
    if shutdownDeadline != nil { endIfDone() }
  }

  private func endIfDone() {
    guard !isEnding, let deadline = shutdownDeadline, guidance.mayExit || loop.now >= deadline else { return }
    isEnding = true
    if !guidance.mayExit { logger.error("the hold was not confirmed in time; look at the vehicle") }
    for timer in timers { timer.cancel() }
    timers = []
    statusSocket = nil
    transceiver.stop()
    records.note("navigator \(configuration.name) ended")
    // A moment for the goodbyes to leave.
    loop.schedule(after: .milliseconds(50)) { [self] in
      // Closing the line is no news any more.
      vehicle.onState = nil
      vehicle.onLink = nil
      vehicle.stop()
      records.close()
      loop.stop()
    }
  }
}

extension Guidance.Event {
  /// MAVLink `MAV_SEVERITY` of what is worth telling an operator, nil for the rest.
  var severityForClients: UInt8? {
    switch self {
    case .vehicleLost, .vehicleRestarted, .fenceBreached, .linkLost, .actionFailed, .tookOver,
      .takeoffIncomplete:
      4
    case .coordinateIgnored, .linkRestored, .shuttingDown, .controlHandedOver, .controlReleased: 5
    case .controlTaken, .arrived: 6
    // The two that it concerns are told by status and receipt.
    case .controlAsked, .controlRefused, .controlKept, .controlRequestOver: nil
    case .latched, .latchCleared, .coordinateFlown, .noCoordinate, .takeoffComplete, .vehicleHeard,
      .flightOver,
      .clientSilent:
      nil
    }
  }

  /// The client whose own affair it is, nil for what all should know.
  fileprivate var concerned: Guidance.ClientID? {
    if case .coordinateIgnored(let client, _) = self { client } else { nil }
  }

  fileprivate var isAboutControl: Bool {
    switch self {
    case .controlTaken, .controlAsked, .controlRefused, .controlKept, .controlHandedOver, .controlReleased,
      .controlRequestOver:
      true
    case .latched, .latchCleared, .coordinateIgnored, .coordinateFlown, .noCoordinate, .arrived,
      .takeoffComplete,
      .takeoffIncomplete, .tookOver, .vehicleHeard, .vehicleLost, .vehicleRestarted, .flightOver,
      .fenceBreached,
      .clientSilent, .linkLost, .linkRestored, .actionFailed, .shuttingDown:
      false
    }
  }
}
