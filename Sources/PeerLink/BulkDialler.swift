import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// One attempt of the session's inviter to open a bulk connection.
final class BulkDialler {
  private static let limit: Duration = .seconds(10)

  private let opening: TransferOpening
  private var connector: TCPConnector?
  private var connection: FramedConnection?
  private var deadline: ScheduledTimer?
  private var onResult: ((Result<DetachedConnection, BulkDialError>) -> Void)?

  struct BulkDialError: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameters:
  ///   - secure: starts TLS on a connection.
  ///   - onResult: called once, never before this initializer has returned.
  init(
    to address: SocketAddress, _ opening: TransferOpening, on loop: EventLoop,
    secure: @escaping (TCPConnection) -> FramedConnection?,
    onResult: @escaping (Result<DetachedConnection, BulkDialError>) -> Void
  ) {
    self.opening = opening
    self.onResult = onResult
    deadline = loop.schedule(after: BulkDialler.limit) { [weak self] in self?.fail("no answer in time") }
    connector = TCPConnector(to: [address], within: BulkDialler.limit, on: loop) { [weak self] result in
      guard let self else { return }
      switch result {
      case .failure(let error): fail(error.description)
      case .success(let tcp):
        guard let connection = secure(tcp) else { return fail("TLS could not start") }
        self.connection = connection
        connection.onEvent = { [weak self] in self?.handle($0) }
      }
    }
  }

  deinit { cancel() }

  /// Gives up; `onResult` is not called. Idempotent.
  func cancel() {
    onResult = nil
    stop()
    connection?.close()
    connection = nil
  }

  private func handle(_ event: FramedConnection.Event) {
    switch event {
    case .authenticated: connection?.send(opening.frame)
    case .frame(TransferOpening.ok):
      guard let connection, let detached = connection.detach() else {
        return fail("it cannot be handed over")
      }
      finish(.success(detached))
    case .frame(.decline(_, let text)): fail("declined: \(text)")
    case .frame: fail("a frame that has no place here")
    case .malformed(let error): fail(error.description)
    case .drained: break
    case .lost(.failed(let text)): fail(text)
    case .lost(.handshakeTimedOut): fail("no TLS handshake in time")
    }
  }

  private func fail(_ text: String) {
    connection?.finish()
    finish(.failure(BulkDialError(description: text)))
  }

  private func finish(_ result: Result<DetachedConnection, BulkDialError>) {
    let handler = onResult
    onResult = nil
    connection?.onEvent = nil
    connection = nil
    stop()
    handler?(result)
  }

  private func stop() {
    deadline?.cancel()
    deadline = nil
    connector?.cancel()
    connector = nil
  }
}
