public import ServiceRuntime

/// Why the way to the flight controller could not be opened, in one line with a remedy.
public struct ChannelOpenFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// Opens the way to the flight controller, again and again: a serial device, or a network address of a simulator.
public protocol ChannelOpener: AnyObject {
  /// What is opened, for logs, such as `/dev/serial/by-id/usb-…`.
  var name: String { get }
  /// Bits a second of a serial line, nil for a network.
  var baud: Int? { get }

  /// Opens once; `completion` is called once, on the loop's thread, at once or later.
  func open(
    on loop: EventLoop, completion: @escaping (Result<any ByteChannel, ChannelOpenFailure>) -> Void)
}
