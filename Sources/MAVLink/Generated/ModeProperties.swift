// Written by scripts/mavlink-generate; do not edit.

/// `MAV_MODE_PROPERTY`: Mode properties.
public struct ModeProperties: PayloadConstant, OptionSet {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `MAV_MODE_PROPERTY_ADVANCED`: If set, this mode is an advanced mode. For example a
  /// rate-controlled manual mode might be advanced, whereas a position-controlled manual mode is
  /// not. A GCS can optionally use this flag to configure the UI for its intended users.
  public static let advanced = ModeProperties(rawValue: 1 << 0)

  /// `MAV_MODE_PROPERTY_NOT_USER_SELECTABLE`: If set, this mode should not be added to the list of
  /// selectable modes. The mode might still be selected by the FC directly (for example as part of
  /// a failsafe).
  public static let notUserSelectable = ModeProperties(rawValue: 1 << 1)
}
