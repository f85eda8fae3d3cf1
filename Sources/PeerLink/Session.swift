import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// A session with one peer: moves what `SessionPlanes` decides, on the control connection and the datagram association of the moment.
final class Session {
  enum Event {
    case message(MessageFrame, SessionPlanes.Arrival, delay: Duration)
    case fellSilent
    case returned
    /// The control connection is gone; the session goes on.
    case controlLost(String)
    /// There is room for messages again.
    case writable
    /// The last event.
    case ended(SessionEnd)
  }

  /// 16 bytes that name the session to both sides.
  let id: [UInt8]
  /// 32 bytes that only the two sides know.
  let secret: [UInt8]
  /// Dialled and invited, and reopens the control connection.
  let isInviter: Bool
  private(set) var peer: Peer
  /// Where the host listens; at the inviter only.
  private(set) var hostAddress: SocketAddress?
  /// The application was told of it, and of no end since.
  var isTold = false
  var onEvent: ((Event) -> Void)?

  private let loop: EventLoop
  private let filter: DatagramFilter?
  private let blockedAfter: Duration
  private var planes: SessionPlanes
  private var control: FramedConnection?
  private var isClosed = false
  private var wasCongested = false
  private var isReading = true
  private var delays = DelayEstimator()
  private var timer: ScheduledTimer?

  private var localHost: SocketAddress.Host?
  private var datagrams: DatagramPlane?
  private var association: UInt32 = 0
  /// At the inviter: when the next association may be tried.
  private var nextAssociation: ContinuousClock.Instant
  private var associationBackoff = Backoff(initial: .seconds(1), maximum: .seconds(10))
  private var isBlocked = false

  /// After this it is made anew, with other ports.
  private static let associationLimit: Duration = .seconds(15)
  /// An association that is silent for so long while the control connection is not is made anew.
  private static let deadAssociation: Duration = .seconds(5)

  /// Takes over the connection on which the session was accepted.
  init(
    with peer: Peer, on connection: FramedConnection, limits: SessionPlanes.Limits, filter: DatagramFilter?,
    loop: EventLoop
  ) throws(TLSError) {
    id = try connection.export(
      label: "EXPORTER-drone-control session", length: ControlFrame.sessionIDBytes)
    secret = try connection.export(label: "EXPORTER-drone-control secret", length: 32)
    isInviter = connection.isOutgoing
    self.peer = peer
    self.filter = filter
    self.loop = loop
    planes = SessionPlanes(limits: limits, at: loop.now)
    blockedAfter = limits.datagramsCountAsBlocked
    nextAssociation = loop.now
    attach(connection)
  }

  deinit {
    timer?.cancel()
    datagrams?.close()
  }

  /// The application has it.
  var isConnected: Bool { planes.isConnected && !isClosed }
  var isEnded: Bool { isClosed }
  var hasControl: Bool { control != nil }
  /// A new control connection is wanted, or might be quicker than the old one.
  var wantsControl: Bool { !isClosed && (control == nil || planes.controlIsStalled(at: loop.now)) }
  /// Bytes of messages that the peer has not acknowledged.
  var pendingBytes: Int { planes.pendingBytes }
  var receivedCount: UInt64 { planes.receivedCount }

  var datagramQuality: LinkQuality? { planes.datagramQuality(at: loop.now) }

  var datagramState: DatagramState {
    if planes.datagramsAreUp(at: loop.now) { return .up }
    return isBlocked ? .blocked : .connecting
  }

  // MARK: Messages

  func send(_ messageClass: UInt8, _ payload: [UInt8], _ mode: DeliveryMode) -> SendResult {
    guard !isClosed else { return .notConnected }
    let (backlog, now) = (control?.pendingByteCount ?? 0, loop.now)
    let verdict =
      switch mode {
      case .reliable: planes.sendReliable(messageClass, payload, backlog: backlog, at: now)
      case .unreliable: planes.sendUnreliable(messageClass, payload, backlog: backlog, at: now)
      case .urgent(let key):
        planes.sendUrgent(messageClass, payload, replacing: key, backlog: backlog, at: now)
      }
    switch verdict {
    case .sent(let outputs):
      perform(outputs)
      return .sent
    case .notConnected: return .notConnected
    case .tooLarge: return .tooLarge
    case .congested:
      wasCongested = true
      return .congested
    }
  }

  /// Slows the peer's reliable messages, or takes them again.
  ///
  /// By leaving out acknowledgements, so that pings, receipts and acknowledgements still arrive; a peer that goes on nevertheless is not read any more,
  /// and its silence does not count meanwhile.
  func setReading(_ enabled: Bool) {
    if enabled, !isReading {
      isReading = true
      control?.setReading(true)
    }
    perform(planes.setHeld(!enabled))
  }

  private func stopAnOverrun() {
    guard isReading, planes.isOverrun else { return }
    isReading = false
    control?.setReading(false)
  }

  // MARK: The control connection

  /// Lets go of a control connection that is to be replaced, so that it brings nothing more.
  func releaseControl() {
    guard let old = control else { return }
    control = nil
    old.onEvent = nil
    old.close()
    planes.controlLost()
  }

  /// The session goes on, on another connection.
  ///
  /// - Parameter received: messages that the peer says it has.
  /// - Returns: false when that cannot be; the session is over then.
  func resume(on connection: FramedConnection, received: UInt64) -> Bool {
    releaseControl()
    // Before anything of this side on that connection: at the host, the answer.
    let own = planes.receivedCount
    guard let outputs = planes.resumed(received: received, at: loop.now) else {
      end(.brokeProtocol("the count of its messages cannot be"))
      return false
    }
    attach(connection)
    if !isInviter { connection.send(.resumed(received: own)) }
    perform(outputs)
    nextAssociation = min(nextAssociation, loop.now)
    return true
  }

  private func attach(_ connection: FramedConnection) {
    // Datagrams go where the control connection goes: from another address of this computer the old way leads nowhere.
    if let localHost, localHost != connection.local.host { dropAssociation() }
    localHost = connection.local.host
    control = connection
    connection.isAdmitted = true
    connection.maximumPayloadBytes = ControlFrame.maximumMessageBytes
    connection.setReading(isReading)
    if isInviter { hostAddress = connection.remote }
    connection.onEvent = { [weak self, weak connection] event in
      guard let self, let connection, control === connection else { return }
      handle(event)
    }
  }

  private func handle(_ event: FramedConnection.Event) {
    switch event {
    case .authenticated: break
    case .frame(let frame):
      perform(planes.receivedControl(frame, at: loop.now))
      stopAnOverrun()
    case .malformed(let error): perform(planes.breakOff(error.description))
    case .drained: perform(planes.fillControl(backlog: control?.pendingByteCount ?? 0, at: loop.now))
    case .lost(.failed(let text)): controlLost(text)
    case .lost(.handshakeTimedOut): controlLost("no TLS handshake in time")
    }
    offerRoom()
  }

  private func controlLost(_ text: String) {
    guard !isClosed, control != nil else { return }
    releaseControl()
    onEvent?(.controlLost(text))
  }

  /// Tells the application once that it may go on sending.
  private func offerRoom() {
    guard wasCongested, !isClosed, isConnected, planes.pendingBytes <= ReliableLog.maximumBytes / 2 else {
      return
    }
    wasCongested = false
    onEvent?(.writable)
  }

  // MARK: Ends

  func disconnect(_ reason: PeerReason, text: String = "") {
    perform(planes.disconnect(reason, text: text))
  }

  /// Another session takes this one's place.
  ///
  /// - Parameter reason: what the application is told.
  func superseded(_ reason: SessionEnd) {
    guard !isClosed else { return }
    if let control {
      control.send(.goodbye(.replaced, text: ""))
    }
    end(reason)
  }

  /// It is over without a word to the peer, who knows.
  func end(_ reason: SessionEnd) { perform(planes.superseded(reason)) }

  private func perform(_ outputs: [SessionPlanes.Output]) {
    for output in outputs {
      // A handler may have ended it.
      if isClosed { return }
      switch output {
      case .control(let frame):
        guard let control else { break }
        if !control.send(frame) { controlLost("it takes no more bytes") }
      case .datagram(let frame): datagrams?.send(frame)
      case .message(let message, let arrival):
        let delay = delays.delay(
          senderClockMilliseconds: message.senderClockMilliseconds, receivedAt: loop.now)
        onEvent?(.message(message, arrival, delay: delay))
      case .datagramOffer(let offer): received(offer)
      case .fellSilent: onEvent?(.fellSilent)
      case .returned:
        peer.isResumed = true
        onEvent?(.returned)
      case .ended(let reason): finish(reason)
      }
    }
    schedule()
  }

  private func finish(_ reason: SessionEnd) {
    isClosed = true
    timer?.cancel()
    timer = nil
    control?.onEvent = nil
    control?.finish()
    control = nil
    dropAssociation()
    onEvent?(.ended(reason))
  }

  // MARK: Datagrams

  /// At the inviter, several times a second: whether an association is to be begun or given up.
  private func superviseAssociation() {
    guard isInviter, control != nil, !isClosed else { return }
    let now = loop.now
    if let datagrams {
      let isDead =
        datagrams.isEstablished
        ? !planes.datagramsWereHeard(within: Session.deadAssociation, at: now)
          && !planes.controlIsQuiet(at: now)
        : datagrams.begun.duration(to: now) >= Session.associationLimit
      guard isDead else { return }
      isBlocked = true
      dropAssociation()
      nextAssociation = now.advanced(by: associationBackoff.nextDelay())
    }
    guard now >= nextAssociation else { return }
    association &+= 1
    openAssociation(association)
  }

  private func openAssociation(_ number: UInt32) {
    guard let control else { return }
    var port: UInt16 = 0
    do {
      let plane = try DatagramPlane(
        number, role: isInviter ? .client : .server, secret: secret, local: control.local, filter: filter,
        loop: loop)
      plane.onEvent = { [weak self, weak plane] event in
        guard let self, let plane, datagrams === plane else { return }
        handle(event)
      }
      datagrams = plane
      port = plane.port
    } catch {
      isBlocked = true
      nextAssociation = loop.now.advanced(by: associationBackoff.nextDelay())
      // At the inviter nobody waits for it; the host answers in any case.
      if isInviter { return }
    }
    control.send(.datagramOffer(DatagramOffer(association: number, port: port)))
  }

  private func received(_ offer: DatagramOffer) {
    guard let control else { return }
    let remote = control.remote.with(port: offer.port)
    if isInviter {
      // The answer to an attempt that was given up meanwhile is of no use.
      guard let datagrams, datagrams.association == offer.association, !datagrams.isEstablished else {
        return
      }
      guard offer.port != 0, (try? datagrams.begin(with: remote)) != nil else {
        isBlocked = true
        return
      }
    } else {
      dropAssociation()
      guard offer.port != 0 else { return }
      // Tied in the same turn in which it is answered, so that the peer's first datagram finds it ready.
      openAssociation(offer.association)
      if (try? datagrams?.begin(with: remote)) == nil { dropAssociation() }
    }
    schedule()
  }

  private func handle(_ event: DatagramPlane.Event) {
    switch event {
    case .associated:
      isBlocked = false
      associationBackoff.reset()
      perform(planes.associated(at: loop.now))
    case .datagram(let bytes): perform(planes.receivedDatagram(bytes[...], at: loop.now))
    case .closed:
      dropAssociation()
      nextAssociation = loop.now.advanced(by: associationBackoff.nextDelay())
    }
    schedule()
  }

  private func dropAssociation() {
    datagrams?.close()
    datagrams = nil
    planes.dissociated()
  }

  // MARK: Time

  func tick() {
    guard !isClosed else { return }
    if let datagrams, !datagrams.isEstablished,
      datagrams.begun.duration(to: loop.now) >= blockedAfter
    {
      isBlocked = true
    }
    superviseAssociation()
    if !isReading { planes.isNotRead(at: loop.now) }
    perform(planes.poll(backlog: control?.pendingByteCount ?? 0, at: loop.now))
  }

  /// One timer for the urgent copies and the handshake; everything else waits for a tick.
  private func schedule() {
    guard !isClosed else { return }
    let now = loop.now
    guard let next = [planes.nextUrgent, datagrams?.nextTimeout(after: now)].compactMap(\.self).min() else {
      timer?.cancel()
      timer = nil
      return
    }
    if let timer, timer.deadline <= next { return }
    timer?.cancel()
    timer = loop.schedule(at: next) { [weak self] in self?.timerFired() }
  }

  private func timerFired() {
    timer = nil
    datagrams?.handleTimeout()
    perform(planes.poll(backlog: control?.pendingByteCount ?? 0, at: loop.now))
  }
}

/// Whether datagrams of a session get through.
public enum DatagramState: String, Equatable, Sendable {
  /// Not yet, or not at the moment.
  case connecting
  case up
  /// It was tried and nothing came through; it is tried again, and meanwhile everything goes over the control connection.
  case blocked
}
