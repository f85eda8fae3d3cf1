/// A session after its acceptance, on all its planes, as a value: what to send where, what the application is told, and when.
///
/// The control connection may break and be reopened, and the datagram association too; the session goes on while anything
/// authentic is heard on either, and is taken up again within ten minutes after that.
public struct SessionPlanes: Sendable {
  /// Time limits; the monotonic clock measures them.
  public struct Limits: Equatable, Sendable {
    /// Between pings on the control connection.
    public var controlPingEvery: Duration = .seconds(1)
    /// Between datagram pings; a second while the session is dormant.
    public var datagramPingEvery: Duration = .milliseconds(250)
    /// Without a datagram for this long that plane does not count as up.
    public var datagramsCountAsUp: Duration = .seconds(2)
    /// An association that has not come about after this counts as blocked; it goes on trying.
    public var datagramsCountAsBlocked: Duration = .seconds(5)
    /// Nothing on the control connection for this long, pings notwithstanding: it is opened anew beside.
    public var controlStall: Duration = .seconds(4)
    /// Nothing heard on any plane for this long: the application is told that the peer is gone.
    public var silence: Duration = .seconds(8)
    /// How long what is needed to take the session up again is kept after that.
    public var dormancy: Duration = .seconds(600)

    public init() {}
  }

  public enum Output: Equatable, Sendable {
    case control(ControlFrame)
    case datagram(DatagramFrame)
    case message(MessageFrame, Arrival)
    /// Where the peer listens for datagrams.
    case datagramOffer(DatagramOffer)
    /// The application is told that the peer is gone; the session is dormant.
    case fellSilent
    /// The application is told that the peer is back.
    case returned
    /// The last output.
    case ended(SessionEnd)
  }

  /// How a message travelled.
  public enum Arrival: Equatable, Sendable {
    case reliable
    case unreliable
    case urgent
  }

  public enum SendVerdict: Equatable, Sendable {
    case sent([Output])
    case notConnected
    case tooLarge
    case congested
  }

  /// Bytes that may wait in the control connection's backlog before more is written; what waits longer waits in the log, where urgent
  /// messages and pings can pass it.
  static let controlBacklog = 65_536

  private let limits: Limits
  private let start: ContinuousClock.Instant
  private var log = ReliableLog()
  private var count = ReliableCount()
  private var outbox = UrgentOutbox()
  private var inbox = DatagramInbox()
  private var reliableSequences: [UInt8: UInt32] = [:]
  private var urgentSequences: [UInt8: UInt32] = [:]
  private var unreliableSequences: [UInt8: UInt32] = [:]

  private var lastHeard: ContinuousClock.Instant
  private var dormantSince: ContinuousClock.Instant?
  private var isOver = false

  public private(set) var hasControl = false
  private var controlHeard: ContinuousClock.Instant
  private var lastControlPing: ContinuousClock.Instant
  private var controlPingNumber: UInt32 = 0

  /// The association's handshake is finished.
  public private(set) var hasAssociation = false
  private var datagramHeard: ContinuousClock.Instant?
  private var lastDatagramPing: ContinuousClock.Instant
  private var datagramPingNumber: UInt32 = 0
  private var datagramsReceived: UInt32 = 0
  private var probe = LinkProbe()

  /// A session that was just accepted, on its first control connection.
  public init(limits: Limits = Limits(), at now: ContinuousClock.Instant) {
    self.limits = limits
    start = now
    lastHeard = now
    controlHeard = now
    lastControlPing = now
    lastDatagramPing = now
    hasControl = true
  }

  /// The application has a session.
  public var isConnected: Bool { !isOver && dormantSince == nil }
  public var isEnded: Bool { isOver }
  /// Reliable messages received, for RESUME and RESUMED.
  public var receivedCount: UInt64 { count.count }
  /// Bytes of messages that wait for the peer.
  public var pendingBytes: Int { log.byteCount }
  /// Urgent messages without a receipt.
  public var urgentCount: Int { outbox.count }

  public func datagramsAreUp(at now: ContinuousClock.Instant) -> Bool {
    guard hasAssociation, let datagramHeard else { return false }
    return datagramHeard.duration(to: now) < limits.datagramsCountAsUp
  }

  /// How well datagrams go there and back; nil without an association, and in its first second.
  public func datagramQuality(at now: ContinuousClock.Instant) -> LinkQuality? {
    hasAssociation ? probe.quality(at: now) : nil
  }

  /// Whether a datagram came, or the association was made, within `time`.
  public func datagramsWereHeard(within time: Duration, at now: ContinuousClock.Instant) -> Bool {
    guard let datagramHeard else { return false }
    return datagramHeard.duration(to: now) < time
  }

  /// Nothing has come on the control connection for longer than between two pings.
  public func controlIsQuiet(at now: ContinuousClock.Instant) -> Bool {
    !hasControl || controlHeard.duration(to: now) >= limits.controlPingEvery * 2
  }

  /// The control connection is there, but nothing comes through: opening another one beside may be quicker.
  public func controlIsStalled(at now: ContinuousClock.Instant) -> Bool {
    hasControl && controlHeard.duration(to: now) >= limits.controlStall
  }

  /// When `poll` should be called next for the urgent messages; the rest is content with several times a second.
  public var nextUrgent: ContinuousClock.Instant? { hasAssociation && !isOver ? outbox.nextDue : nil }

  // MARK: Sending

  /// - Parameter backlog: bytes that wait in the control connection.
  public mutating func sendReliable(
    _ messageClass: UInt8, _ payload: [UInt8], backlog: Int, at now: ContinuousClock.Instant
  ) -> SendVerdict {
    guard isConnected else { return .notConnected }
    guard payload.count <= ControlFrame.maximumMessageBytes else { return .tooLarge }
    guard log.hasRoom(for: payload.count) else { return .congested }
    log.append(frame(messageClass, payload, &reliableSequences, at: now))
    return .sent(fillControl(backlog: backlog, at: now))
  }

  public mutating func sendUnreliable(
    _ messageClass: UInt8, _ payload: [UInt8], backlog: Int, at now: ContinuousClock.Instant
  ) -> SendVerdict {
    guard isConnected else { return .notConnected }
    guard payload.count <= DatagramFrame.maximumMessageBytes else { return .tooLarge }
    let isUp = datagramsAreUp(at: now)
    let controlIsFree = hasControl && backlog == 0 && log.next == nil
    guard isUp || hasAssociation || controlIsFree else { return .congested }
    let frame = DatagramFrame.message(
      frame(messageClass, payload, &unreliableSequences, at: now), .unreliable)
    var outputs: [Output] = []
    if hasAssociation { outputs.append(.datagram(frame)) }
    if !isUp, controlIsFree { outputs.append(.control(.relayed(frame.encoded[...]))) }
    return .sent(outputs)
  }

  public mutating func sendUrgent(
    _ messageClass: UInt8, _ payload: [UInt8], replacing key: UInt64?, backlog: Int,
    at now: ContinuousClock.Instant
  ) -> SendVerdict {
    guard isConnected else { return .notConnected }
    guard payload.count <= ControlFrame.maximumMessageBytes else { return .tooLarge }
    let next = (urgentSequences[messageClass] ?? 0) &+ 1
    guard outbox.hasRoom(messageClass: messageClass, sequence: next, replacing: key) else {
      return .congested
    }
    let message = frame(messageClass, payload, &urgentSequences, at: now)
    _ = outbox.add(message, replacing: key, at: now)
    return .sent(urgentCopies(at: now) + fillControl(backlog: backlog, at: now))
  }

  private func frame(
    _ messageClass: UInt8, _ payload: [UInt8], _ sequences: inout [UInt8: UInt32],
    at now: ContinuousClock.Instant
  ) -> MessageFrame {
    let sequence = (sequences[messageClass] ?? 0) &+ 1
    sequences[messageClass] = sequence
    return MessageFrame(
      messageClass: messageClass, sequence: sequence,
      senderClockMilliseconds: UInt32(truncatingIfNeeded: start.duration(to: now).wholeMilliseconds),
      payload: payload[...])
  }

  private mutating func urgentCopies(at now: ContinuousClock.Instant) -> [Output] {
    guard hasAssociation else { return [] }
    return outbox.takeDue(at: now).map { .datagram($0.frame) }
  }

  /// Writes to the control connection what there is room for: first what is urgent, then the log.
  ///
  /// - Parameter backlog: bytes that wait there already.
  public mutating func fillControl(backlog: Int, at now: ContinuousClock.Instant) -> [Output] {
    guard hasControl, !isOver else { return [] }
    var outputs: [Output] = []
    var backlog = backlog
    // While datagrams flow, a copy behind others would come too late to be of use.
    let urgentRoom = datagramsAreUp(at: now) ? 1 : SessionPlanes.controlBacklog
    while backlog < urgentRoom, let copy = outbox.firstOwedToControl {
      let bytes = copy.frame.encoded
      outputs.append(.control(.relayed(bytes[...])))
      outbox.sentOverControl()
      backlog += bytes.count
    }
    while backlog < SessionPlanes.controlBacklog, let message = log.next {
      outputs.append(.control(.message(message)))
      log.wroteNext()
      backlog += message.payload.count
    }
    return outputs
  }

  // MARK: The control connection

  /// A new control connection carries the session.
  ///
  /// - Parameter received: how many messages the peer says it has.
  /// - Returns: nil when that cannot be.
  public mutating func resumed(
    received: UInt64, at now: ContinuousClock.Instant
  ) -> [Output]? {
    guard !isOver, log.resume(from: received) else { return nil }
    outbox.controlLost()
    count.told()
    hasControl = true
    controlHeard = now
    lastControlPing = now
    return heard(at: now) + fillControl(backlog: 0, at: now)
  }

  /// The control connection broke.
  public mutating func controlLost() {
    hasControl = false
    outbox.controlLost()
  }

  public mutating func receivedControl(_ frame: ControlFrame, at now: ContinuousClock.Instant) -> [Output] {
    guard !isOver else { return [] }
    controlHeard = max(controlHeard, now)
    let news = heard(at: now)
    switch frame {
    case .goodbye(let reason, let text): return news + end(.left(reason, text: text))
    case .ping(let number): return news + [.control(.pong(number: number))]
    case .pong: return news
    case .message(let message):
      var outputs = news + [.message(message, .reliable)]
      if count.received(payloadBytes: message.payload.count) { outputs += acknowledgement() }
      return outputs
    case .acknowledge(let count):
      guard log.acknowledge(count) else { return news + breakOff("it acknowledges what was not sent") }
      return news
    case .datagramOffer(let offer): return news + [.datagramOffer(offer)]
    case .relayed(let bytes):
      guard let frame = DatagramFrame(bytes) else { return news }
      return news + received(frame, overControl: true, at: now)
    case .hello, .invitation, .accept, .decline, .resume, .resumed, .purpose:
      return news + breakOff("a frame that has no place here")
    }
  }

  private mutating func acknowledgement() -> [Output] {
    guard hasControl, count.owesAcknowledge else { return [] }
    count.told()
    return [.control(.acknowledge(count: count.count))]
  }

  /// The peer sent what cannot be read.
  public mutating func breakOff(_ text: String) -> [Output] {
    guard !isOver else { return [] }
    return farewell(.protocolError, text: text) + end(.brokeProtocol(text))
  }

  // MARK: Datagrams

  /// The handshake of an association is finished.
  public mutating func associated(at now: ContinuousClock.Instant) -> [Output] {
    guard !isOver else { return [] }
    hasAssociation = true
    datagramHeard = now
    datagramsReceived = 0
    lastDatagramPing = now
    // The way may be another one.
    probe = LinkProbe()
    return heard(at: now) + [datagramPing(at: now)] + urgentCopies(at: now)
  }

  /// The association is gone.
  public mutating func dissociated() {
    hasAssociation = false
    datagramHeard = nil
  }

  /// A datagram whose sender is proven.
  public mutating func receivedDatagram(
    _ bytes: ArraySlice<UInt8>, at now: ContinuousClock.Instant
  ) -> [Output] {
    guard !isOver else { return [] }
    datagramHeard = now
    datagramsReceived &+= 1
    let news = heard(at: now)
    guard let frame = DatagramFrame(bytes) else { return news }
    return news + received(frame, overControl: false, at: now)
  }

  private mutating func received(
    _ frame: DatagramFrame, overControl: Bool, at now: ContinuousClock.Instant
  ) -> [Output] {
    func reply(_ frame: DatagramFrame) -> Output {
      overControl ? .control(.relayed(frame.encoded[...])) : .datagram(frame)
    }
    switch frame {
    case .ping(let number, _): return [reply(.pong(number: number, received: datagramsReceived))]
    case .pong(let number, _):
      if !overControl { probe.answered(number, at: now) }
      return []
    case .message(let message, let urgency):
      let verdict = inbox.receive(message, urgency)
      var outputs: [Output] = []
      let arrival: Arrival
      switch urgency {
      case .unreliable: arrival = .unreliable
      case .urgent:
        arrival = .urgent
        let receipt = DatagramFrame.Receipt(
          messageClass: message.messageClass, sequence: message.sequence)
        // The slow copy of what came as a datagram was answered already.
        if !overControl || verdict == .deliver || !datagramsAreUp(at: now) {
          outputs.append(reply(.received([receipt])))
        }
      }
      if verdict == .deliver { outputs.append(.message(message, arrival)) }
      return outputs
    case .received(let receipts):
      for receipt in receipts { outbox.received(receipt) }
      return []
    case .close(let reason): return end(.left(reason, text: ""))
    }
  }

  private mutating func datagramPing(at now: ContinuousClock.Instant) -> Output {
    datagramPingNumber &+= 1
    probe.sent(datagramPingNumber, at: now)
    return .datagram(.ping(number: datagramPingNumber, received: datagramsReceived))
  }

  // MARK: Time

  /// The application is behind with reading, or has caught up.
  public mutating func setHeld(_ isHeld: Bool) -> [Output] {
    count.isHeld = isHeld
    return isHeld ? [] : acknowledgement()
  }

  /// The peer sends more than it may while this side is behind: only an unread connection stops it.
  public var isOverrun: Bool { count.isOverrun }

  /// This side does not read the control connection at present: who is not read cannot be heard.
  public mutating func isNotRead(at now: ContinuousClock.Instant) {
    guard dormantSince == nil else { return }
    lastHeard = max(lastHeard, now)
    controlHeard = max(controlHeard, now)
  }

  /// Does what is due; call it several times a second, and when `nextUrgent` says.
  public mutating func poll(backlog: Int, at now: ContinuousClock.Instant) -> [Output] {
    guard !isOver else { return [] }
    var outputs: [Output] = []
    if let dormantSince {
      if dormantSince.duration(to: now) >= limits.dormancy { return end(.timedOut(.silence)) }
    } else if lastHeard.duration(to: now) >= limits.silence {
      // What was urgent then may be wrong when the peer comes back.
      outbox.removeAll()
      dormantSince = now
      outputs.append(.fellSilent)
    }
    outputs += urgentCopies(at: now)
    let pingEvery = dormantSince == nil ? limits.datagramPingEvery : .seconds(1)
    if hasAssociation, lastDatagramPing.duration(to: now) >= pingEvery {
      lastDatagramPing = now
      outputs.append(datagramPing(at: now))
    }
    if hasControl, lastControlPing.duration(to: now) >= limits.controlPingEvery {
      lastControlPing = now
      controlPingNumber &+= 1
      // A connection that takes nothing needs no further questions.
      if backlog < SessionPlanes.controlBacklog {
        outputs.append(.control(.ping(number: controlPingNumber)))
      }
    }
    return outputs + acknowledgement() + fillControl(backlog: backlog, at: now)
  }

  /// Ends the session on purpose.
  public mutating func disconnect(_ reason: PeerReason, text: String = "") -> [Output] {
    guard !isOver else { return [] }
    return farewell(reason, text: text) + end(.disconnected(reason))
  }

  /// The peer began a new session, or knows nothing of this one.
  public mutating func superseded(_ reason: SessionEnd) -> [Output] { isOver ? [] : end(reason) }

  private func farewell(_ reason: PeerReason, text: String) -> [Output] {
    // Three times, since nobody repeats it later.
    (hasControl ? [.control(.goodbye(reason, text: text))] : [])
      + (hasAssociation ? [Output](repeating: .datagram(.close(reason)), count: 3) : [])
  }

  private mutating func heard(at now: ContinuousClock.Instant) -> [Output] {
    lastHeard = max(lastHeard, now)
    guard dormantSince != nil else { return [] }
    dormantSince = nil
    return [.returned]
  }

  private mutating func end(_ reason: SessionEnd) -> [Output] {
    isOver = true
    outbox.removeAll()
    return [.ended(reason)]
  }
}
