// Written by scripts/mavlink-generate; do not edit.

/// `COMMAND_ACK` (77): Report status of a command. Includes feedback whether the command was
/// executed. The command microservice is documented at https://mavlink.io/en/services/command.html.
public struct CommandAck: Message {
  public static var specificationName: String { "COMMAND_ACK" }
  public static var messageID: UInt32 { 77 }
  public static var crcExtra: UInt8 { 143 }
  public static var maximumPayloadLength: Int { 10 }
  public static var minimumPayloadLength: Int { 3 }

  /// `command`: Command ID (of acknowledged command).
  public var command: CommandID

  /// `result`: Result of command.
  public var result: CommandResult

  /// `progress`, extension: Also used as result_param1, it can be set with a enum containing the
  /// errors reasons of why the command was denied or the progress percentage or 255 if unknown the
  /// progress when result is MAV_RESULT_IN_PROGRESS.
  public var progress: UInt8

  /// `result_param2`, extension: Additional parameter of the result, example: which parameter of
  /// MAV_CMD_NAV_WAYPOINT caused it to be denied.
  public var resultParam2: Int32

  /// `target_system`, extension: System which requested the command to be executed.
  public var targetSystem: UInt8

  /// `target_component`, extension: Component which requested the command to be executed.
  public var targetComponent: UInt8

  public init(
    command: CommandID,
    result: CommandResult,
    progress: UInt8 = 0,
    resultParam2: Int32 = 0,
    targetSystem: UInt8 = 0,
    targetComponent: UInt8 = 0
  ) {
    self.command = command
    self.result = result
    self.progress = progress
    self.resultParam2 = resultParam2
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
  }

  public init(payload: RawSpan) {
    command = payload.load(at: 0)
    result = payload.load(at: 2)
    progress = payload.load(at: 3)
    resultParam2 = payload.load(at: 4)
    targetSystem = payload.load(at: 8)
    targetComponent = payload.load(at: 9)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(command, at: 0)
    payload.store(result, at: 2)
    payload.store(progress, at: 3)
    payload.store(resultParam2, at: 4)
    payload.store(targetSystem, at: 8)
    payload.store(targetComponent, at: 9)
  }
}
