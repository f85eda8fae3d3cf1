// Written by scripts/mavlink-generate; do not edit.

/// `EXTENDED_SYS_STATE` (245): Provides state for additional features.
public struct ExtendedSystemState: Message {
  public static var specificationName: String { "EXTENDED_SYS_STATE" }
  public static var messageID: UInt32 { 245 }
  public static var crcExtra: UInt8 { 130 }
  public static var maximumPayloadLength: Int { 2 }
  public static var minimumPayloadLength: Int { 2 }

  /// `vtol_state`: The VTOL state if applicable. Is set to MAV_VTOL_STATE_UNDEFINED if UAV is not
  /// in VTOL configuration.
  public var vtolState: VTOLState

  /// `landed_state`: The landed state. Is set to MAV_LANDED_STATE_UNDEFINED if landed state is
  /// unknown.
  public var landedState: LandedState

  public init(
    vtolState: VTOLState = .init(rawValue: 0),
    landedState: LandedState = .init(rawValue: 0)
  ) {
    self.vtolState = vtolState
    self.landedState = landedState
  }

  public init(payload: RawSpan) {
    vtolState = payload.load(at: 0)
    landedState = payload.load(at: 1)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(vtolState, at: 0)
    payload.store(landedState, at: 1)
  }
}
