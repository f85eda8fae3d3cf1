// Written by scripts/mavlink-generate; do not edit.

/// `AVAILABLE_MODES` (435): Get information about a particular flight modes. The message can be
/// enumerated or requested for a particular mode using MAV_CMD_REQUEST_MESSAGE. Specify 0 in param2
/// to request that the message is emitted for all available modes or the specific index for just
/// one mode. The modes must be available/settable for the current vehicle/frame type. Each modes
/// should only be emitted once (even if it is both standard and custom).
public struct AvailableModes: Message {
  public static var specificationName: String { "AVAILABLE_MODES" }
  public static var messageID: UInt32 { 435 }
  public static var crcExtra: UInt8 { 134 }
  public static var maximumPayloadLength: Int { 46 }
  public static var minimumPayloadLength: Int { 46 }

  /// `number_modes`: The total number of available modes for the current vehicle type.
  public var numberModes: UInt8

  /// `mode_index`: The current mode index within number_modes, indexed from 1.
  public var modeIndex: UInt8

  /// `standard_mode`: Standard mode.
  public var standardMode: StandardMode

  /// `custom_mode`: A bitfield for use for autopilot-specific flags.
  public var customMode: UInt32

  /// `properties`: Mode properties.
  public var properties: ModeProperties

  /// `mode_name`: Name of custom mode, with null termination character. Should be omitted for
  /// standard modes.
  public var modeName: FixedText<35>

  public init(
    numberModes: UInt8 = 0,
    modeIndex: UInt8 = 0,
    standardMode: StandardMode = .init(rawValue: 0),
    customMode: UInt32 = 0,
    properties: ModeProperties = .init(rawValue: 0),
    modeName: FixedText<35> = ""
  ) {
    self.numberModes = numberModes
    self.modeIndex = modeIndex
    self.standardMode = standardMode
    self.customMode = customMode
    self.properties = properties
    self.modeName = modeName
  }

  public init(payload: RawSpan) {
    customMode = payload.load(at: 0)
    properties = payload.load(at: 4)
    numberModes = payload.load(at: 8)
    modeIndex = payload.load(at: 9)
    standardMode = payload.load(at: 10)
    modeName = payload.load(at: 11)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(customMode, at: 0)
    payload.store(properties, at: 4)
    payload.store(numberModes, at: 8)
    payload.store(modeIndex, at: 9)
    payload.store(standardMode, at: 10)
    payload.store(modeName, at: 11)
  }
}
