// Written by scripts/mavlink-generate; do not edit.

/// `COMMAND_INT` (75): Message encoding a command with parameters as scaled integers. Scaling
/// depends on the actual command value. The command microservice is documented at
/// https://mavlink.io/en/services/command.html.
public struct CommandInt: Message {
  public static var specificationName: String { "COMMAND_INT" }
  public static var messageID: UInt32 { 75 }
  public static var crcExtra: UInt8 { 158 }
  public static var maximumPayloadLength: Int { 35 }
  public static var minimumPayloadLength: Int { 35 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `frame`: The coordinate system of the COMMAND.
  public var frame: CoordinateFrame

  /// `command`: The scheduled action for the mission item.
  public var command: CommandID

  /// `current`: Not used.
  public var current: UInt8

  /// `autocontinue`: Not used (set 0).
  public var autocontinue: UInt8

  /// `param1`: PARAM1, see MAV_CMD enum.
  public var param1: Float

  /// `param2`: PARAM2, see MAV_CMD enum.
  public var param2: Float

  /// `param3`: PARAM3, see MAV_CMD enum.
  public var param3: Float

  /// `param4`: PARAM4, see MAV_CMD enum.
  public var param4: Float

  /// `x`: PARAM5 / local: x position in meters * 1e4, global: latitude in degrees * 10^7.
  public var x: Int32

  /// `y`: PARAM6 / local: y position in meters * 1e4, global: longitude in degrees * 10^7.
  public var y: Int32

  /// `z`: PARAM7 / z position: global: altitude in meters (relative or absolute, depending on
  /// frame).
  public var z: Float

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    frame: CoordinateFrame,
    command: CommandID,
    current: UInt8 = 0,
    autocontinue: UInt8 = 0,
    param1: Float = 0,
    param2: Float = 0,
    param3: Float = 0,
    param4: Float = 0,
    x: Int32 = 0,
    y: Int32 = 0,
    z: Float = 0
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.frame = frame
    self.command = command
    self.current = current
    self.autocontinue = autocontinue
    self.param1 = param1
    self.param2 = param2
    self.param3 = param3
    self.param4 = param4
    self.x = x
    self.y = y
    self.z = z
  }

  public init(payload: RawSpan) {
    param1 = payload.load(at: 0)
    param2 = payload.load(at: 4)
    param3 = payload.load(at: 8)
    param4 = payload.load(at: 12)
    x = payload.load(at: 16)
    y = payload.load(at: 20)
    z = payload.load(at: 24)
    command = payload.load(at: 28)
    targetSystem = payload.load(at: 30)
    targetComponent = payload.load(at: 31)
    frame = payload.load(at: 32)
    current = payload.load(at: 33)
    autocontinue = payload.load(at: 34)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(param1, at: 0)
    payload.store(param2, at: 4)
    payload.store(param3, at: 8)
    payload.store(param4, at: 12)
    payload.store(x, at: 16)
    payload.store(y, at: 20)
    payload.store(z, at: 24)
    payload.store(command, at: 28)
    payload.store(targetSystem, at: 30)
    payload.store(targetComponent, at: 31)
    payload.store(frame, at: 32)
    payload.store(current, at: 33)
    payload.store(autocontinue, at: 34)
  }
}
