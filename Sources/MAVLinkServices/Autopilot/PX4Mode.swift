import Vehicle

/// A flight mode of PX4: `custom_mode` of HEARTBEAT is `main << 16 | sub << 24` (px4_custom_mode.h).
struct PX4Mode: Equatable, Sendable {
  let main: UInt8
  let sub: UInt8

  static let takeoff = PX4Mode(main: 4, sub: 2)
  /// Hold.
  static let loiter = PX4Mode(main: 4, sub: 3)
  static let rtl = PX4Mode(main: 4, sub: 5)
  static let land = PX4Mode(main: 4, sub: 6)

  var customMode: UInt32 { UInt32(main) << 16 | UInt32(sub) << 24 }

  var flightMode: FlightMode {
    switch self {
    case .takeoff: .takeoff
    case .loiter: .hold
    case .rtl: .returnToLaunch
    case .land: .land
    default: .other
    }
  }

  var name: String {
    switch main {
    case 1: "MANUAL"
    case 2: "ALTCTL"
    case 3: sub == 1 ? "ORBIT" : "POSCTL"
    case 4:
      switch sub {
      case 1: "AUTO.READY"
      case 2: "AUTO.TAKEOFF"
      case 3: "AUTO.LOITER"
      case 4: "AUTO.MISSION"
      case 5: "AUTO.RTL"
      case 6: "AUTO.LAND"
      case 8: "AUTO.FOLLOW_TARGET"
      case 9: "AUTO.PRECLAND"
      default: "AUTO.\(sub)"
      }
    case 5: "ACRO"
    case 6: "OFFBOARD"
    case 7: "STABILIZED"
    default: "mode \(main).\(sub)"
    }
  }
}

extension PX4Mode {
  init(customMode: UInt32) {
    self.init(main: UInt8(customMode >> 16 & 0xFF), sub: UInt8(customMode >> 24))
  }
}
