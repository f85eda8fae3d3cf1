import CLinux
import Glibc
public import ServiceRuntime

/// Why a host's name has no address.
public enum ResolveError: Error, Equatable, Sendable, CustomStringConvertible {
  case failed(host: String, reason: String)
  /// Too many look-ups are under way.
  case busy

  public var description: String {
    switch self {
    case .failed(let host, let reason): "cannot find the host \(host): \(reason)"
    case .busy: "too many host names are being looked up"
    }
  }
}

/// Looks up host names without holding up the loop: the system's resolver may wait for half a minute.
public final class HostResolver {
  private struct Answer: Sendable {
    let token: UInt64
    let result: Result<[SocketAddress], ResolveError>
  }

  /// A look-up under way.
  public struct Lookup: Hashable, Sendable {
    fileprivate let token: UInt64
  }

  private static let maximumLookups = 4

  private let loop: EventLoop
  private var answers: InboxReceiver<Answer>?
  private var handlers: [UInt64: (Result<[SocketAddress], ResolveError>) -> Void] = [:]
  private var workers: [UInt64: WorkerThread] = [:]
  private var nextToken: UInt64 = 1

  public init(on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    answers = try loop.receive(Answer.self, capacity: HostResolver.maximumLookups) { [weak self] in
      self?.finish($0)
    }
  }

  deinit { answers?.close() }

  /// Looks up a name or a numeric address.
  ///
  /// - Parameter onResult: called once on the loop, never before this method has returned; with one address at least.
  @discardableResult
  public func resolve(
    _ host: String, port: UInt16, onResult: @escaping (Result<[SocketAddress], ResolveError>) -> Void
  ) -> Lookup {
    let token = nextToken
    nextToken += 1
    handlers[token] = onResult
    if let address = SocketAddress(numericHost: host, port: port) {
      answerSoon(token, .success([address]))
    } else if workers.count >= HostResolver.maximumLookups {
      answerSoon(token, .failure(.busy))
    } else if let inbox = answers?.inbox {
      do throws(SystemError) {
        workers[token] = try WorkerThread(name: "resolver") {
          inbox.send(Answer(token: token, result: lookUp(host, port: port)))
        }
      } catch {
        answerSoon(token, .failure(.failed(host: host, reason: error.description)))
      }
    }
    return Lookup(token: token)
  }

  /// The result is not wanted any more. Idempotent.
  public func cancel(_ lookup: Lookup) { handlers[lookup.token] = nil }

  private func answerSoon(_ token: UInt64, _ result: Result<[SocketAddress], ResolveError>) {
    loop.schedule(after: .zero) { [weak self] in self?.finish(Answer(token: token, result: result)) }
  }

  private func finish(_ answer: Answer) {
    // The thread has nothing left to do but to end.
    workers.removeValue(forKey: answer.token)?.join()
    handlers.removeValue(forKey: answer.token)?(answer.result)
  }
}

/// Asks the system's resolver and waits.
private func lookUp(_ host: String, port: UInt16) -> Result<[SocketAddress], ResolveError> {
  var hints = addrinfo()
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  var list: UnsafeMutablePointer<addrinfo>?
  let code = getaddrinfo(host, nil, &hints, &list)
  guard code == 0 else {
    let reason =
      code == EAI_SYSTEM ? SystemError.current("look up").reason : String(cString: gai_strerror(code))
    return .failure(.failed(host: host, reason: reason))
  }
  defer { freeaddrinfo(list) }
  var addresses: [SocketAddress] = []
  var next = list
  while let entry = next?.pointee {
    if let pointer = entry.ai_addr,
      let address = SocketAddress(system: pointer, length: Int(entry.ai_addrlen))
    {
      addresses.append(address.with(port: port))
    }
    next = entry.ai_next
  }
  return addresses.isEmpty ? .failure(.failed(host: host, reason: "it has no address")) : .success(addresses)
}
