// Written by scripts/mavlink-generate; do not edit.

/// `FENCE_BREACH`: named values.
public struct FenceBreach: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `FENCE_BREACH_NONE`: No last fence breach.
  public static let none = FenceBreach(rawValue: 0)

  /// `FENCE_BREACH_MINALT`: Breached minimum altitude.
  public static let minalt = FenceBreach(rawValue: 1)

  /// `FENCE_BREACH_MAXALT`: Breached maximum altitude.
  public static let maxalt = FenceBreach(rawValue: 2)

  /// `FENCE_BREACH_BOUNDARY`: Breached fence boundary.
  public static let boundary = FenceBreach(rawValue: 3)
}
