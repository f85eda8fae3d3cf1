// Written by scripts/mavlink-generate; do not edit.

/// `MAV_FRAME`: Coordinate frames used by MAVLink. Not all frames are supported by all commands,
/// messages, or vehicles. Global frames use the following naming conventions: - "GLOBAL": Global
/// coordinate frame with WGS84 latitude/longitude and altitude positive over mean sea level (MSL)
/// by default. The following modifiers may be used with "GLOBAL": - "RELATIVE_ALT": Altitude is
/// relative to the vehicle home position rather than MSL. - "TERRAIN_ALT": Altitude is relative to
/// ground level rather than MSL. - "INT": Latitude/longitude (in degrees) are scaled by multiplying
/// by 1E7. Local frames use the following naming conventions: - "LOCAL": Origin of local frame is
/// fixed relative to earth. Unless otherwise specified this origin is the origin of the vehicle
/// position-estimator ("EKF"). - "BODY": Origin of local frame travels with the vehicle. NOTE,
/// "BODY" does NOT indicate alignment of frame axis with vehicle attitude. - "OFFSET": Deprecated
/// synonym for "BODY" (origin travels with the vehicle). Not to be used for new frames. Some
/// deprecated frames do not follow these conventions (e.g. MAV_FRAME_BODY_NED and
/// MAV_FRAME_BODY_OFFSET_NED).
public struct CoordinateFrame: PayloadConstant {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `MAV_FRAME_GLOBAL`: Global (WGS84) coordinate frame + altitude relative to mean sea level
  /// (MSL).
  public static let global = CoordinateFrame(rawValue: 0)

  /// `MAV_FRAME_LOCAL_NED`: NED local tangent frame (x: North, y: East, z: Down) with origin fixed
  /// relative to earth.
  public static let localNED = CoordinateFrame(rawValue: 1)

  /// `MAV_FRAME_MISSION`: NOT a coordinate frame, indicates a mission command.
  public static let mission = CoordinateFrame(rawValue: 2)

  /// `MAV_FRAME_GLOBAL_RELATIVE_ALT`: Global (WGS84) coordinate frame + altitude relative to the
  /// home position.
  public static let globalRelativeAlt = CoordinateFrame(rawValue: 3)

  /// `MAV_FRAME_LOCAL_ENU`: ENU local tangent frame (x: East, y: North, z: Up) with origin fixed
  /// relative to earth.
  public static let localENU = CoordinateFrame(rawValue: 4)

  /// `MAV_FRAME_GLOBAL_INT`: Global (WGS84) coordinate frame (scaled) + altitude relative to mean
  /// sea level (MSL).
  public static let globalInt = CoordinateFrame(rawValue: 5)

  /// `MAV_FRAME_GLOBAL_RELATIVE_ALT_INT`: Global (WGS84) coordinate frame (scaled) + altitude
  /// relative to the home position.
  public static let globalRelativeAltInt = CoordinateFrame(rawValue: 6)

  /// `MAV_FRAME_LOCAL_OFFSET_NED`: NED local tangent frame (x: North, y: East, z: Down) with origin
  /// that travels with the vehicle.
  public static let localOffsetNED = CoordinateFrame(rawValue: 7)

  /// `MAV_FRAME_BODY_NED`: Same as MAV_FRAME_LOCAL_NED when used to represent position values. Same
  /// as MAV_FRAME_BODY_FRD when used with velocity/acceleration values.
  public static let bodyNED = CoordinateFrame(rawValue: 8)

  /// `MAV_FRAME_BODY_OFFSET_NED`: This is the same as MAV_FRAME_BODY_FRD.
  public static let bodyOffsetNED = CoordinateFrame(rawValue: 9)

  /// `MAV_FRAME_GLOBAL_TERRAIN_ALT`: Global (WGS84) coordinate frame with AGL altitude (altitude at
  /// ground level).
  public static let globalTerrainAlt = CoordinateFrame(rawValue: 10)

  /// `MAV_FRAME_GLOBAL_TERRAIN_ALT_INT`: Global (WGS84) coordinate frame (scaled) with AGL altitude
  /// (altitude at ground level).
  public static let globalTerrainAltInt = CoordinateFrame(rawValue: 11)

  /// `MAV_FRAME_BODY_FRD`: FRD local frame aligned to the vehicle's attitude (x: Forward, y: Right,
  /// z: Down) with an origin that travels with vehicle.
  public static let bodyFRD = CoordinateFrame(rawValue: 12)

  /// `MAV_FRAME_LOCAL_FRD`: FRD local tangent frame (x: Forward, y: Right, z: Down) with origin
  /// fixed relative to earth. The forward axis is aligned to the front of the vehicle in the
  /// horizontal plane.
  public static let localFRD = CoordinateFrame(rawValue: 20)

  /// `MAV_FRAME_LOCAL_FLU`: FLU local tangent frame (x: Forward, y: Left, z: Up) with origin fixed
  /// relative to earth. The forward axis is aligned to the front of the vehicle in the horizontal
  /// plane.
  public static let localFLU = CoordinateFrame(rawValue: 21)
}
