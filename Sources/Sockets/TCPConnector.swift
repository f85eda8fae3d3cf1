import CLinux
import Glibc
public import ServiceRuntime

/// Why no connection was made.
public enum ConnectError: Error, Equatable, Sendable, CustomStringConvertible {
  case noAddress
  /// Nobody answered in time.
  case timedOut(after: Duration)
  /// Every address failed; one reason each.
  case failed([SystemError])

  public var description: String {
    switch self {
    case .noAddress: "there is no address to connect to"
    case .timedOut(let limit): "no answer within \(limit)"
    case .failed(let errors): errors.map(\.description).joined(separator: "; ")
    }
  }
}

/// One attempt to reach a peer that may have several addresses.
///
/// Each address gets a head start of 250 ms before the next one is tried beside it (RFC 8305, section 5), the first connection wins. An
/// address that leads nowhere therefore costs a quarter of a second, not a minute.
public final class TCPConnector {
  private static let headStart: Duration = .milliseconds(250)
  /// Peers have a handful of addresses; more are somebody's mistake or mischief.
  private static let maximumAddresses = 16

  private final class Attempt {
    let address: SocketAddress
    let descriptor: SocketDescriptor
    var watch: DescriptorWatch?

    init(_ address: SocketAddress, _ descriptor: SocketDescriptor) {
      self.address = address
      self.descriptor = descriptor
    }

    func cancel() {
      watch?.cancel()
      watch = nil
      descriptor.close()
    }
  }

  private let loop: EventLoop
  private let options: TCPOptions
  private var waiting: [SocketAddress]
  private var running: [Attempt] = []
  private var failures: [SystemError] = []
  private var nextAttempt: ScheduledTimer?
  private var deadline: ScheduledTimer?
  private var onResult: ((Result<TCPConnection, ConnectError>) -> Void)?

  /// Starts to connect. Keep the connector until the result arrived: letting go of it cancels.
  ///
  /// - Parameters:
  ///   - addresses: tried in this order, but link-local ones last.
  ///   - onResult: called once, never before this initializer has returned.
  public init(
    to addresses: [SocketAddress], within limit: Duration, options: TCPOptions = TCPOptions(),
    on loop: EventLoop, onResult: @escaping (Result<TCPConnection, ConnectError>) -> Void
  ) {
    self.loop = loop
    self.options = options
    self.onResult = onResult
    waiting = Array(TCPConnector.ordered(addresses).prefix(TCPConnector.maximumAddresses))
    deadline = loop.schedule(after: limit) { [weak self] in self?.timeOut(limit) }
    nextAttempt = loop.schedule(after: .zero) { [weak self] in self?.startNext() }
  }

  deinit { cancel() }

  /// Gives up; `onResult` is not called. Idempotent.
  public func cancel() {
    onResult = nil
    stop()
  }

  static func ordered(_ addresses: [SocketAddress]) -> [SocketAddress] {
    var seen: Set<SocketAddress> = []
    let unique = addresses.filter { seen.insert($0).inserted }
    return unique.filter { !$0.isLinkLocal } + unique.filter(\.isLinkLocal)
  }

  private func stop() {
    nextAttempt?.cancel()
    deadline?.cancel()
    for attempt in running { attempt.cancel() }
    running = []
    waiting = []
  }

  private func finish(_ result: Result<TCPConnection, ConnectError>) {
    let handler = onResult
    onResult = nil
    stop()
    handler?(result)
  }

  private func timeOut(_ limit: Duration) {
    finish(.failure(failures.isEmpty ? .timedOut(after: limit) : .failed(failures)))
  }

  private func startNext() {
    nextAttempt?.cancel()
    guard !waiting.isEmpty else {
      if running.isEmpty { finish(.failure(failures.isEmpty ? .noAddress : .failed(failures))) }
      return
    }
    let address = waiting.removeFirst()
    if !waiting.isEmpty {
      nextAttempt = loop.schedule(after: TCPConnector.headStart) { [weak self] in self?.startNext() }
    }
    do throws(SystemError) { try start(address) } catch { failed(error) }
  }

  private func start(_ address: SocketAddress) throws(SystemError) {
    let purpose = "connecting to \(address)"
    let descriptor = try SocketDescriptor(family: address.family, type: SOCK_STREAM, purpose: purpose)
    let result = address.withSystemAddress { connect(descriptor.number, $0, $1) }
    if result < 0, errno != EINPROGRESS { throw SystemError.current("connect to \(address)") }
    let attempt = Attempt(address, descriptor)
    attempt.watch = try loop.watch(descriptor.number, for: .writable) { [weak self, weak attempt] _ in
      if let attempt { self?.ready(attempt) }
    }
    running.append(attempt)
  }

  private func ready(_ attempt: Attempt) {
    attempt.watch?.cancel()
    attempt.watch = nil
    running.removeAll { $0 === attempt }
    let code = attempt.descriptor.takeError()
    if code != 0 {
      attempt.cancel()
      failed(SystemError("connect to \(attempt.address)", code: code))
      return
    }
    do throws(SystemError) {
      let connection = try TCPConnection(
        attempt.descriptor, remote: attempt.address, options: options, on: loop)
      finish(.success(connection))
    } catch {
      failed(error)
    }
  }

  private func failed(_ error: SystemError) {
    failures.append(error)
    // What failed needs no head start.
    startNext()
  }
}
