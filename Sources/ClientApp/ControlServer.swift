import JSONText
import ServiceRuntime
import Sockets

/// Serves the local socket on which command processes talk to the running client.
final class ControlServer {
  /// Connections at a time; each is one command process.
  private static let maximumConnections = 16
  /// A connection that asks nothing is somebody's forgotten shell.
  private static let requestLimit: Duration = .seconds(5)

  /// One command process. Its request is answered line by line and ended by `ControlReply.end`.
  final class Caller {
    fileprivate let channel: DescriptorChannel
    fileprivate var splitter = LineSplitter(maximumBytes: ControlRequest.maximumBytes)
    fileprivate var limit: ScheduledTimer?
    fileprivate var isBusy = false
    /// The other end is gone.
    var onGone: (() -> Void)?
    /// The person answers a question of the request under way.
    var onAnswer: ((Bool) -> Void)?

    fileprivate init(_ channel: DescriptorChannel) { self.channel = channel }

    func reply(_ reply: ControlReply) {
      if case .end = reply { isBusy = false }
      // A reader that does not read its few lines loses them; its own time limit ends it.
      _ = channel.write(reply.json.utf8 + [UInt8(ascii: "\n")])
    }
  }

  var onRequest: ((ControlRequest, Caller) -> Void)?
  private let listener: UnixListener
  private let loop: EventLoop
  private var callers: [ObjectIdentifier: Caller] = [:]

  init(path: String, on loop: EventLoop, logger: Logger) throws(UnixSocketError) {
    self.loop = loop
    listener = try UnixListener(path: path, maximumBacklog: 262_144, on: loop)
    listener.onAccept = { [weak self] channel, _ in self?.accepted(channel) }
    listener.onError = { error in logger.warning("local socket: \(error)") }
  }

  /// Removes the socket and ends all connections. Idempotent.
  func close() {
    listener.close()
    for caller in callers.values {
      caller.limit?.cancel()
      caller.channel.close()
    }
    callers = [:]
  }

  private func accepted(_ channel: DescriptorChannel) {
    let caller = Caller(channel)
    guard callers.count < Self.maximumConnections else {
      caller.reply(
        .end(.serviceUnavailable, error: "the running client serves \(callers.count) commands already"))
      channel.close()
      return
    }
    let key = ObjectIdentifier(caller)
    callers[key] = caller
    channel.onBytes = { [weak self] bytes in self?.received(bytes, key) }
    channel.onEnd = { [weak self] _ in self?.ended(key) }
    caller.limit = loop.schedule(after: Self.requestLimit) { [weak self] in
      channel.close()
      self?.ended(key)
    }
  }

  private func ended(_ key: ObjectIdentifier) {
    guard let caller = callers.removeValue(forKey: key) else { return }
    caller.limit?.cancel()
    caller.onGone?()
  }

  private func received(_ bytes: [UInt8], _ key: ObjectIdentifier) {
    guard let caller = callers[key] else { return }
    guard let lines = caller.splitter.take(bytes) else {
      caller.reply(.end(.usage, error: "a request has more than \(ControlRequest.maximumBytes) bytes"))
      caller.channel.close()
      return ended(key)
    }
    for line in lines where callers[key] != nil {
      caller.limit?.cancel()
      if caller.isBusy, case .pairingAnswer(let isSame)? = try? ControlRequest(line: line) {
        caller.onAnswer?(isSame)
        continue
      }
      guard !caller.isBusy else {
        caller.reply(.end(.usage, error: "the command before this one has no outcome yet"))
        continue
      }
      caller.isBusy = true
      do throws(RequestFailure) {
        onRequest?(try ControlRequest(line: line), caller)
      } catch {
        caller.reply(.end(error.exitCode, error: error.message))
      }
    }
  }
}
