// Written by scripts/mavlink-generate; do not edit.

/// `COMMAND_CANCEL` (80): Asks to stop a command that is still running; the acknowledgement of that
/// command then says MAV_RESULT_CANCELLED.
public struct CommandCancel: Message {
  public static var specificationName: String { "COMMAND_CANCEL" }
  public static var messageID: UInt32 { 80 }
  public static var crcExtra: UInt8 { 14 }
  public static var maximumPayloadLength: Int { 4 }
  public static var minimumPayloadLength: Int { 4 }

  /// `target_system`: System that runs the command; not to be broadcast (0).
  public var targetSystem: UInt8

  /// `target_component`: Component that runs the command.
  public var targetComponent: UInt8

  /// `command`: The command to stop.
  public var command: CommandID

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    command: CommandID
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.command = command
  }

  public init(payload: RawSpan) {
    command = payload.load(at: 0)
    targetSystem = payload.load(at: 2)
    targetComponent = payload.load(at: 3)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(command, at: 0)
    payload.store(targetSystem, at: 2)
    payload.store(targetComponent, at: 3)
  }
}
