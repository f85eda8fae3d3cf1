// Written by scripts/mavlink-generate; do not edit.

/// `COMMAND_LONG` (76): Send a command with up to seven parameters to the MAV. COMMAND_INT is
/// generally preferred when sending MAV_CMD commands that include positional information; it offers
/// higher precision and allows the MAV_FRAME to be specified (which may otherwise be ambiguous,
/// particularly for altitude). The command microservice is documented at
/// https://mavlink.io/en/services/command.html.
public struct CommandLong: Message {
  public static var specificationName: String { "COMMAND_LONG" }
  public static var messageID: UInt32 { 76 }
  public static var crcExtra: UInt8 { 152 }
  public static var maximumPayloadLength: Int { 33 }
  public static var minimumPayloadLength: Int { 33 }

  /// `target_system`: System which should execute the command.
  public var targetSystem: UInt8

  /// `target_component`: Component which should execute the command, 0 for all components.
  public var targetComponent: UInt8

  /// `command`: Command ID (of command to send).
  public var command: CommandID

  /// `confirmation`: 0: First transmission of this command. 1-255: Confirmation transmissions (e.g.
  /// for kill command).
  public var confirmation: UInt8

  /// `param1`: Parameter 1 (for the specific command).
  public var param1: Float

  /// `param2`: Parameter 2 (for the specific command).
  public var param2: Float

  /// `param3`: Parameter 3 (for the specific command).
  public var param3: Float

  /// `param4`: Parameter 4 (for the specific command).
  public var param4: Float

  /// `param5`: Parameter 5 (for the specific command).
  public var param5: Float

  /// `param6`: Parameter 6 (for the specific command).
  public var param6: Float

  /// `param7`: Parameter 7 (for the specific command).
  public var param7: Float

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    command: CommandID,
    confirmation: UInt8 = 0,
    param1: Float = 0,
    param2: Float = 0,
    param3: Float = 0,
    param4: Float = 0,
    param5: Float = 0,
    param6: Float = 0,
    param7: Float = 0
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.command = command
    self.confirmation = confirmation
    self.param1 = param1
    self.param2 = param2
    self.param3 = param3
    self.param4 = param4
    self.param5 = param5
    self.param6 = param6
    self.param7 = param7
  }

  public init(payload: RawSpan) {
    param1 = payload.load(at: 0)
    param2 = payload.load(at: 4)
    param3 = payload.load(at: 8)
    param4 = payload.load(at: 12)
    param5 = payload.load(at: 16)
    param6 = payload.load(at: 20)
    param7 = payload.load(at: 24)
    command = payload.load(at: 28)
    targetSystem = payload.load(at: 30)
    targetComponent = payload.load(at: 31)
    confirmation = payload.load(at: 32)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(param1, at: 0)
    payload.store(param2, at: 4)
    payload.store(param3, at: 8)
    payload.store(param4, at: 12)
    payload.store(param5, at: 16)
    payload.store(param6, at: 20)
    payload.store(param7, at: 24)
    payload.store(command, at: 28)
    payload.store(targetSystem, at: 30)
    payload.store(targetComponent, at: 31)
    payload.store(confirmation, at: 32)
  }
}
