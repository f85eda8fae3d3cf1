// Written by scripts/mavlink-generate; do not edit.

/// `CURRENT_MODE` (436): Get the current mode. This should be emitted on any mode change, and
/// broadcast at low rate (nominally 0.5 Hz). It may be requested using MAV_CMD_REQUEST_MESSAGE.
public struct CurrentMode: Message {
  public static var specificationName: String { "CURRENT_MODE" }
  public static var messageID: UInt32 { 436 }
  public static var crcExtra: UInt8 { 193 }
  public static var maximumPayloadLength: Int { 9 }
  public static var minimumPayloadLength: Int { 9 }

  /// `standard_mode`: Standard mode.
  public var standardMode: StandardMode

  /// `custom_mode`: A bitfield for use for autopilot-specific flags.
  public var customMode: UInt32

  /// `intended_custom_mode`: The custom_mode of the mode that was last commanded by the user (for
  /// example, with MAV_CMD_DO_SET_STANDARD_MODE, MAV_CMD_DO_SET_MODE or via RC). This should
  /// usually be the same as custom_mode. It will be different if the vehicle is unable to enter the
  /// intended mode, or has left that mode due to a failsafe condition. 0 indicates the intended
  /// custom mode is unknown/not supplied. Not known: `0`.
  public var intendedCustomMode: UInt32

  public init(
    standardMode: StandardMode = .init(rawValue: 0),
    customMode: UInt32 = 0,
    intendedCustomMode: UInt32 = 0
  ) {
    self.standardMode = standardMode
    self.customMode = customMode
    self.intendedCustomMode = intendedCustomMode
  }

  public init(payload: RawSpan) {
    customMode = payload.load(at: 0)
    intendedCustomMode = payload.load(at: 4)
    standardMode = payload.load(at: 8)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(customMode, at: 0)
    payload.store(intendedCustomMode, at: 4)
    payload.store(standardMode, at: 8)
  }
}
