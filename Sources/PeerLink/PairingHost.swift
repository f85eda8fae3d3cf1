public import PeerProtocol
import SecureTransport
import ServiceRuntime

/// The window in which a host's operator accepts pairing: announces it, takes attempts one at a time, closes in time.
///
/// Let go of it to close it. Confined to the transceiver's loop.
public final class PairingHost {
  /// Set before anything can happen, that is right after `open`.
  public var onEvent: ((PairingEvent) -> Void)?

  private let transceiver: PeerTransceiver
  private let own: PairingConversation.Own
  private var window: PairingWindow
  private var conversation: PairingConversation?
  private var ticks: RepeatingTimer?

  /// Opens a window.
  ///
  /// - Parameter attempts: 1 with a code that was typed here: trying it again would only use up the other side's attempts.
  /// - Returns: nil while another window of the transceiver is open.
  public static func open(
    on transceiver: PeerTransceiver, key: PairingKey, duration: Duration = PairingWindow.defaultDuration,
    attempts: Int = PairingWindow.maximumAttempts, store: @escaping PairingStore
  ) -> PairingHost? {
    guard transceiver.purposes[PairingHost.firstFrame] == nil else { return nil }
    return PairingHost(transceiver, key, duration, attempts, store)
  }

  private static let firstFrame: UInt8 = 24

  private init(
    _ transceiver: PeerTransceiver, _ key: PairingKey, _ duration: Duration, _ attempts: Int,
    _ store: @escaping PairingStore
  ) {
    self.transceiver = transceiver
    own = PairingConversation.Own(
      id: transceiver.identity.peerID, name: transceiver.configuration.name, key: key, store: store)
    window = PairingWindow(duration: duration, attempts: attempts, at: transceiver.loop.now)
    transceiver.announcesPairing = true
    transceiver.purposes[PairingHost.firstFrame] = Purpose(admitsStrangers: true) {
      [weak self] connection, frame in
      self?.begin(connection, frame)
    }
    ticks = transceiver.loop.repeating(every: .milliseconds(100)) { [weak self] in self?.tick() }
  }

  deinit {
    conversation?.cancel()
    withdraw()
  }

  /// The person here has compared the digits.
  public func answer(isSame: Bool) { conversation?.answer(isSame: isSame) }

  /// Idempotent.
  public func close() {
    // First, so that the attempt's end does not count as its own.
    window.cancel()
    conversation?.cancel()
    closeIfDone()
  }

  private func begin(_ connection: FramedConnection, _ first: ControlFrame) {
    func refuse(_ reason: PairingReason, _ text: String) {
      let frame = PairingFrame.abort(reason, text: text)
      connection.send(.purpose(type: frame.type, payload: frame.payload[...]))
      connection.finish()
    }
    guard let peerID = connection.peerID else { return connection.close() }
    if let reason = window.begin(at: transceiver.loop.now) {
      refuse(reason, "")
      return closeIfDone()
    }
    do throws(TLSError) {
      let conversation = try PairingConversation(
        on: connection, with: peerID, own: own, deadline: window.deadline, loop: transceiver.loop
      ) { [weak self] event in self?.handle(event) }
      self.conversation = conversation
      conversation.start()
      conversation.received(first)
    } catch {
      refuse(.other, "out of order")
      ended(.failed(.connectionLost(error.description), peerMayTrust: false), nil, counts: false)
    }
  }

  private func handle(_ event: PairingConversation.Event) {
    switch event {
    case .compare(let code, let peer): onEvent?(.compare(code, peer))
    case .ended(let end, let peer, let counts): ended(end, peer, counts: counts)
    }
  }

  private func ended(_ end: PairingEnd, _ peer: PairingPeer?, counts: Bool) {
    conversation = nil
    window.ended(end, counts: counts, at: transceiver.loop.now)
    onEvent?(.attemptEnded(end, peer, attemptsLeft: window.attemptsLeft))
    closeIfDone()
  }

  private func tick() {
    conversation?.tick()
    window.tick(at: transceiver.loop.now)
    closeIfDone()
  }

  private func closeIfDone() {
    guard let closure = window.closure, ticks != nil else { return }
    withdraw()
    onEvent?(.closed(closure))
  }

  private func withdraw() {
    guard ticks != nil else { return }
    ticks?.cancel()
    ticks = nil
    transceiver.purposes[PairingHost.firstFrame] = nil
    transceiver.announcesPairing = false
  }
}
