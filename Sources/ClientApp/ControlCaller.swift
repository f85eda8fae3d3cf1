import JSONText
public import ServiceRuntime
import Sockets

/// The command process's side of the local socket.
public enum ControlCaller {
  /// Why there is no answer.
  public enum Failure: Error, Equatable, Sendable {
    /// No client serves the socket.
    case notRunning
    /// The client ended or fell silent before its last line.
    case noAnswer(String)
    /// The socket cannot be used; the text says why.
    case unusable(String)
  }

  /// Sends one request and hands over each reply until the last one, which ends the exchange.
  ///
  /// - Parameters:
  ///   - limit: how long the exchange may take.
  ///   - isEndless: the limit begins anew with each reply.
  public static func exchange(
    _ request: ControlRequest, socketPath: String, within limit: Duration, isEndless: Bool = false,
    on loop: EventLoop, onReply: @escaping (ControlReply) -> Void
  ) throws(Failure) {
    try converse(request, socketPath: socketPath, within: limit, isEndless: isEndless, on: loop) { _ in
      onReply
    }
  }

  /// The same for a request in which the running client asks back.
  ///
  /// - Parameter handler: given the way to send further requests, returns what takes the replies.
  public static func converse(
    _ request: ControlRequest, socketPath: String, within limit: Duration, isEndless: Bool = false,
    on loop: EventLoop,
    handler: (_ send: @escaping (ControlRequest) -> Void) -> (ControlReply) -> Void
  ) throws(Failure) {
    let channel: DescriptorChannel
    do throws(UnixSocketError) {
      channel = try UnixConnector.connect(to: socketPath, on: loop)
    } catch {
      if case .notServed = error { throw .notRunning }
      throw .unusable(error.description)
    }
    defer { channel.close() }
    let onReply = handler { [weak channel] request in
      _ = channel?.write(request.json.utf8 + [UInt8(ascii: "\n")])
    }
    var splitter = LineSplitter(maximumBytes: 1 << 20)
    var result: Failure? = .noAnswer("no answer from the running client in \(seconds(limit))")
    var timer = loop.schedule(after: limit) { loop.stop() }
    channel.onBytes = { bytes in
      if isEndless {
        timer.cancel()
        timer = loop.schedule(after: limit) { loop.stop() }
      }
      guard let lines = splitter.take(bytes) else {
        result = .noAnswer("the running client's answer is too long")
        return loop.stop()
      }
      for line in lines {
        guard let reply = ControlReply(line: line) else {
          result = .noAnswer("the running client is of another version: restart it")
          return loop.stop()
        }
        onReply(reply)
        if case .end = reply {
          result = nil
          return loop.stop()
        }
      }
    }
    channel.onEnd = { _ in
      result = .noAnswer("the running client ended before it answered")
      loop.stop()
    }
    if !channel.write(request.json.utf8 + [UInt8(ascii: "\n")]) {
      throw .noAnswer("the request was not taken")
    }
    loop.run()
    timer.cancel()
    if let result { throw result }
  }
}
