import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// Several attempts to reach one peer side by side; the first one that proves the peer wins, the others are closed.
///
/// TCP doubles its timer at each loss: of connections over a radio that loses 30 % of packets each way, half take over a second to open
/// and one in ten over five. A fresh attempt does not have the bad luck of the old one.
final class DialRace {
  /// A new attempt starts this long after the one before.
  private static let spacing: Duration = .milliseconds(300)
  private static let maximumAttempts = 16
  /// Peers have a handful of addresses; more are somebody's mistake or mischief.
  private static let maximumAddresses = 16
  /// After this a TCP connection that has not come about is given up, so that attempts do not pile up.
  private static let connectLimit: Duration = .seconds(3)
  /// All attempts together.
  static let limit: Duration = .seconds(10)

  private final class Attempt {
    let address: SocketAddress
    var connector: TCPConnector?
    var connection: FramedConnection?
    init(_ address: SocketAddress) { self.address = address }
  }

  private unowned let owner: PeerTransceiver
  private let addresses: [SocketAddress]
  private let policy: PeerPolicy
  private var attempts: [Attempt] = []
  private var started = 0
  /// Nobody listens there, or somebody else does.
  private var failed: Set<SocketAddress> = []
  private var lastFailure: SessionEnd?
  private var next: ScheduledTimer?
  private var deadline: ScheduledTimer?
  private var onResult: ((Result<FramedConnection, Failure>) -> Void)?

  struct Failure: Error {
    let reason: SessionEnd
  }

  /// Starts. Keep the race until the result arrived: letting go of it cancels.
  ///
  /// - Parameter onResult: called once, never before this initializer has returned, with a connection whose peer is proven and
  ///   whose `onEvent` is free.
  init(
    to addresses: [SocketAddress], policy: PeerPolicy, owner: PeerTransceiver,
    onResult: @escaping (Result<FramedConnection, Failure>) -> Void
  ) {
    var seen: Set<SocketAddress> = []
    self.addresses = Array(
      addresses.filter { seen.insert($0).inserted }.prefix(DialRace.maximumAddresses))
    self.policy = policy
    self.owner = owner
    self.onResult = onResult
    next = owner.loop.schedule(after: .zero) { [weak self] in self?.startNext() }
    deadline = owner.loop.schedule(after: DialRace.limit) { [weak self] in
      self?.finish(.failure(Failure(reason: self?.lastFailure ?? .timedOut(.introduction))))
    }
  }

  deinit { cancel() }

  /// Gives up; `onResult` is not called. Idempotent.
  func cancel() {
    onResult = nil
    stop(except: nil)
  }

  private func startNext() {
    next?.cancel()
    let open = addresses.filter { !failed.contains($0) }
    guard !open.isEmpty else {
      if attempts.isEmpty {
        finish(.failure(Failure(reason: lastFailure ?? .connectionLost("there is no address to connect to"))))
      }
      return
    }
    next = owner.loop.schedule(after: DialRace.spacing) { [weak self] in self?.startNext() }
    guard attempts.count < DialRace.maximumAttempts else { return }
    let attempt = Attempt(open[started % open.count])
    started += 1
    attempts.append(attempt)
    attempt.connector = TCPConnector(
      to: [attempt.address], within: DialRace.connectLimit, on: owner.loop
    ) { [weak self, weak attempt] result in
      guard let self, let attempt else { return }
      attempt.connector = nil
      switch result {
      case .success(let tcp): secure(tcp, attempt)
      case .failure(.timedOut(let after)):
        lose(attempt, .connectionLost(ConnectError.timedOut(after: after).description), isFinal: false)
      case .failure(let error): lose(attempt, .connectionLost(error.description), isFinal: true)
      }
    }
  }

  private func secure(_ tcp: TCPConnection, _ attempt: Attempt) {
    guard let connection = owner.secure(tcp, isOutgoing: true, policy: policy) else {
      return lose(attempt, .connectionLost("TLS could not start"), isFinal: true)
    }
    attempt.connection = connection
    connection.onEvent = { [weak self, weak attempt] event in
      guard let self, let attempt else { return }
      switch event {
      case .authenticated: win(attempt)
      case .lost(.handshakeTimedOut): lose(attempt, .timedOut(.introduction), isFinal: false)
      case .lost(.failed(let text)): lose(attempt, .connectionLost(text), isFinal: true)
      case .frame, .malformed, .drained: break
      }
    }
  }

  private func win(_ attempt: Attempt) {
    guard let connection = attempt.connection else { return }
    connection.onEvent = nil
    finish(.success(connection))
  }

  private func lose(_ attempt: Attempt, _ reason: SessionEnd, isFinal: Bool) {
    attempts.removeAll { $0 === attempt }
    lastFailure = reason
    if isFinal { failed.insert(attempt.address) }
    // What failed needs no head start.
    if isFinal || attempts.isEmpty { startNext() }
  }

  private func finish(_ result: Result<FramedConnection, Failure>) {
    let handler = onResult
    onResult = nil
    stop(except: try? result.get())
    handler?(result)
  }

  private func stop(except winner: FramedConnection?) {
    next?.cancel()
    deadline?.cancel()
    for attempt in attempts {
      attempt.connector?.cancel()
      guard let connection = attempt.connection, connection !== winner else { continue }
      connection.onEvent = nil
      connection.close()
    }
    attempts = []
  }
}
