// Written by scripts/mavlink-generate; do not edit.

/// `MISSION_ITEM_INT` (73): Message encoding a mission item. This message is emitted to announce
/// the presence of a mission item and to set a mission item on the system. The mission item can be
/// either in x, y, z meters (type: LOCAL) or x:lat, y:lon, z:altitude. Local frame is Z-down, right
/// handed (NED), global frame is Z-up, right handed (ENU). NaN or INT32_MAX may be used in
/// float/integer params (respectively) to indicate optional/default values (e.g. to use the
/// component's current latitude, yaw rather than a specific value). See also
/// https://mavlink.io/en/services/mission.html.
public struct MissionItemInt: Message {
  public static var specificationName: String { "MISSION_ITEM_INT" }
  public static var messageID: UInt32 { 73 }
  public static var crcExtra: UInt8 { 38 }
  public static var maximumPayloadLength: Int { 38 }
  public static var minimumPayloadLength: Int { 37 }

  /// `target_system`: System ID.
  public var targetSystem: UInt8

  /// `target_component`: Component ID.
  public var targetComponent: UInt8

  /// `seq`: Waypoint ID (sequence number). Starts at zero. Increases monotonically for each
  /// waypoint, no gaps in the sequence (0,1,2,3,4).
  public var seq: UInt16

  /// `frame`: The coordinate system of the waypoint.
  public var frame: CoordinateFrame

  /// `command`: The scheduled action for the waypoint.
  public var command: CommandID

  /// `current`: false:0, true:1.
  public var current: UInt8

  /// `autocontinue`: Autocontinue to next waypoint. 0: false, 1: true. Set false to pause mission
  /// after the item completes.
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

  /// `y`: PARAM6 / y position: local: x position in meters * 1e4, global: longitude in degrees
  /// *10^7.
  public var y: Int32

  /// `z`: PARAM7 / z position: global: altitude in meters (relative or absolute, depending on
  /// frame.
  public var z: Float

  /// `mission_type`, extension: Mission type.
  public var missionType: MissionType

  public init(
    targetSystem: UInt8,
    targetComponent: UInt8,
    seq: UInt16 = 0,
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
    z: Float = 0,
    missionType: MissionType = .init(rawValue: 0)
  ) {
    self.targetSystem = targetSystem
    self.targetComponent = targetComponent
    self.seq = seq
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
    self.missionType = missionType
  }

  public init(payload: RawSpan) {
    param1 = payload.load(at: 0)
    param2 = payload.load(at: 4)
    param3 = payload.load(at: 8)
    param4 = payload.load(at: 12)
    x = payload.load(at: 16)
    y = payload.load(at: 20)
    z = payload.load(at: 24)
    seq = payload.load(at: 28)
    command = payload.load(at: 30)
    targetSystem = payload.load(at: 32)
    targetComponent = payload.load(at: 33)
    frame = payload.load(at: 34)
    current = payload.load(at: 35)
    autocontinue = payload.load(at: 36)
    missionType = payload.load(at: 37)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(param1, at: 0)
    payload.store(param2, at: 4)
    payload.store(param3, at: 8)
    payload.store(param4, at: 12)
    payload.store(x, at: 16)
    payload.store(y, at: 20)
    payload.store(z, at: 24)
    payload.store(seq, at: 28)
    payload.store(command, at: 30)
    payload.store(targetSystem, at: 32)
    payload.store(targetComponent, at: 33)
    payload.store(frame, at: 34)
    payload.store(current, at: 35)
    payload.store(autocontinue, at: 36)
    payload.store(missionType, at: 37)
  }
}
