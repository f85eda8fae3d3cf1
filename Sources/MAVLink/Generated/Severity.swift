// Written by scripts/mavlink-generate; do not edit.

/// `MAV_SEVERITY`: Indicates the severity level, generally used for status messages to indicate
/// their relative urgency. Based on RFC-5424 using expanded definitions at:
/// http://www.kiwisyslog.com/kb/info:-syslog-message-levels/.
public struct Severity: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_SEVERITY_EMERGENCY`: System is unusable. This is a "panic" condition.
  public static let emergency = Severity(rawValue: 0)

  /// `MAV_SEVERITY_ALERT`: Action should be taken immediately. Indicates error in non-critical
  /// systems.
  public static let alert = Severity(rawValue: 1)

  /// `MAV_SEVERITY_CRITICAL`: Action must be taken immediately. Indicates failure in a primary
  /// system.
  public static let critical = Severity(rawValue: 2)

  /// `MAV_SEVERITY_ERROR`: Indicates an error in secondary/redundant systems.
  public static let error = Severity(rawValue: 3)

  /// `MAV_SEVERITY_WARNING`: Indicates about a possible future error if this is not resolved within
  /// a given timeframe. Example would be a low battery warning.
  public static let warning = Severity(rawValue: 4)

  /// `MAV_SEVERITY_NOTICE`: An unusual event has occurred, though not an error condition. This
  /// should be investigated for the root cause.
  public static let notice = Severity(rawValue: 5)

  /// `MAV_SEVERITY_INFO`: Normal operational messages. Useful for logging. No action is required
  /// for these messages.
  public static let info = Severity(rawValue: 6)

  /// `MAV_SEVERITY_DEBUG`: Useful non-operational messages that can assist in debugging. These
  /// should not occur during normal operation.
  public static let debug = Severity(rawValue: 7)
}
