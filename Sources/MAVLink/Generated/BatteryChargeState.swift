// Written by scripts/mavlink-generate; do not edit.

/// `MAV_BATTERY_CHARGE_STATE`: Enumeration for battery charge states.
public struct BatteryChargeState: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_BATTERY_CHARGE_STATE_UNDEFINED`: Low battery state is not provided.
  public static let undefined = BatteryChargeState(rawValue: 0)

  /// `MAV_BATTERY_CHARGE_STATE_OK`: Battery is not in low state. Normal operation.
  public static let ok = BatteryChargeState(rawValue: 1)

  /// `MAV_BATTERY_CHARGE_STATE_LOW`: Battery state is low, warn and monitor close.
  public static let low = BatteryChargeState(rawValue: 2)

  /// `MAV_BATTERY_CHARGE_STATE_CRITICAL`: Battery state is critical, return or abort immediately.
  public static let critical = BatteryChargeState(rawValue: 3)

  /// `MAV_BATTERY_CHARGE_STATE_EMERGENCY`: Battery state is too low for ordinary abort sequence.
  /// Perform fastest possible emergency stop to prevent damage.
  public static let emergency = BatteryChargeState(rawValue: 4)

  /// `MAV_BATTERY_CHARGE_STATE_FAILED`: Battery failed, damage unavoidable. Possible causes
  /// (faults) are listed in MAV_BATTERY_FAULT.
  public static let failed = BatteryChargeState(rawValue: 5)

  /// `MAV_BATTERY_CHARGE_STATE_UNHEALTHY`: Battery is diagnosed to be defective or an error
  /// occurred, usage is discouraged / prohibited. Possible causes (faults) are listed in
  /// MAV_BATTERY_FAULT.
  public static let unhealthy = BatteryChargeState(rawValue: 6)

  /// `MAV_BATTERY_CHARGE_STATE_CHARGING`: Battery is charging.
  public static let charging = BatteryChargeState(rawValue: 7)
}
