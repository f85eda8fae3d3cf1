/// Makes the frames that one component sends, with its sequence number.
///
/// Frames are MAVLink 2 without signature: every autopilot of the last years reads it.
public struct FrameEncoder: Sendable {
  public var systemID: UInt8
  public var componentID: UInt8
  /// The number that the next frame gets; receivers count gaps as losses.
  public var sequence: UInt8

  public init(systemID: UInt8, componentID: UInt8, sequence: UInt8 = 0) {
    self.systemID = systemID
    self.componentID = componentID
    self.sequence = sequence
  }

  /// The frame that carries `message`.
  @inlinable
  public mutating func frame<M: Message>(_ message: M) -> Frame {
    defer { sequence &+= 1 }
    return Frame(message, systemID: systemID, componentID: componentID, sequence: sequence)
  }

  /// The bytes of the frame that carries `message`.
  @inlinable
  public mutating func encode<M: Message>(_ message: M) -> [UInt8] {
    frame(message).bytes
  }

  /// Appends the frame that carries `message` to `output`: no allocation when it has room.
  @inlinable
  public mutating func encode<M: Message>(_ message: M, appendingTo output: inout [UInt8]) {
    frame(message).append(to: &output)
  }
}
