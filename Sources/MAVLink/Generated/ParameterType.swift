// Written by scripts/mavlink-generate; do not edit.

/// `MAV_PARAM_TYPE`: Specifies the datatype of a MAVLink parameter.
public struct ParameterType: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_PARAM_TYPE_UINT8`: 8-bit unsigned integer.
  public static let uint8 = ParameterType(rawValue: 1)

  /// `MAV_PARAM_TYPE_INT8`: 8-bit signed integer.
  public static let int8 = ParameterType(rawValue: 2)

  /// `MAV_PARAM_TYPE_UINT16`: 16-bit unsigned integer.
  public static let uint16 = ParameterType(rawValue: 3)

  /// `MAV_PARAM_TYPE_INT16`: 16-bit signed integer.
  public static let int16 = ParameterType(rawValue: 4)

  /// `MAV_PARAM_TYPE_UINT32`: 32-bit unsigned integer.
  public static let uint32 = ParameterType(rawValue: 5)

  /// `MAV_PARAM_TYPE_INT32`: 32-bit signed integer.
  public static let int32 = ParameterType(rawValue: 6)

  /// `MAV_PARAM_TYPE_UINT64`: 64-bit unsigned integer.
  public static let uint64 = ParameterType(rawValue: 7)

  /// `MAV_PARAM_TYPE_INT64`: 64-bit signed integer.
  public static let int64 = ParameterType(rawValue: 8)

  /// `MAV_PARAM_TYPE_REAL32`: 32-bit floating-point.
  public static let real32 = ParameterType(rawValue: 9)

  /// `MAV_PARAM_TYPE_REAL64`: 64-bit floating-point.
  public static let real64 = ParameterType(rawValue: 10)
}
