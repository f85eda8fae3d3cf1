// Written by scripts/mavlink-generate; do not edit.

/// `GPS_FIX_TYPE`: Type of GPS fix.
public struct GPSFixType: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `GPS_FIX_TYPE_NO_GPS`: No GPS connected.
  public static let noGPS = GPSFixType(rawValue: 0)

  /// `GPS_FIX_TYPE_NO_FIX`: No position information, GPS is connected.
  public static let noFix = GPSFixType(rawValue: 1)

  /// `GPS_FIX_TYPE_2D_FIX`: 2D position.
  public static let fix2D = GPSFixType(rawValue: 2)

  /// `GPS_FIX_TYPE_3D_FIX`: 3D position.
  public static let fix3D = GPSFixType(rawValue: 3)

  /// `GPS_FIX_TYPE_DGPS`: DGPS/SBAS aided 3D position.
  public static let dgps = GPSFixType(rawValue: 4)

  /// `GPS_FIX_TYPE_RTK_FLOAT`: RTK float, 3D position.
  public static let rtkFloat = GPSFixType(rawValue: 5)

  /// `GPS_FIX_TYPE_RTK_FIXED`: RTK Fixed, 3D position.
  public static let rtkFixed = GPSFixType(rawValue: 6)

  /// `GPS_FIX_TYPE_STATIC`: Static fixed, typically used for base stations.
  public static let `static` = GPSFixType(rawValue: 7)

  /// `GPS_FIX_TYPE_PPP`: PPP, 3D position.
  public static let ppp = GPSFixType(rawValue: 8)
}
