/// The ways a message may travel between two peers.
public struct Planes: OptionSet, Equatable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let control = Planes(rawValue: 1)
  public static let datagrams = Planes(rawValue: 2)
}

/// What client and navigator say to each other; the raw values are on the wire (PROTOCOL.md, "Message classes").
public enum RemoteControlMessageClass: UInt8, CaseIterable, Sendable {
  /// Client to navigator: a `RemoteControlCommand` archive.
  case command = 1
  /// Navigator to client: a `CommandReceipt`.
  case receipt = 2
  /// Navigator to client: a `VehicleStatus`, the newest wins.
  case status = 3
  /// Navigator to client: a `VehicleNotice`, such as a warning of the autopilot.
  case notice = 4

  /// Planes the class may use; those that a session does not have are left out, and control is always there.
  public var planes: Planes {
    switch self {
    case .command, .receipt, .notice: [.control, .datagrams]
    case .status: [.datagrams, .control]
    }
  }

  /// Longest payload; a longer one is a broken rule and is not decoded.
  public var maximumBytes: Int {
    switch self {
    case .command: RemoteControlCommand.maximumEncodedBytes
    case .receipt, .status, .notice: 1024
    }
  }
}
