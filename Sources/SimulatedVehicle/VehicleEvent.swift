/// Something that happened to the vehicle, for people to read and for tests to wait for.
public struct VehicleEvent: Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    case booted
    case rebooting
    case modeChanged(String, reason: ModeReason)
    case armed
    case disarmed
    case tookOff
    case landed
    /// Touched the ground faster than it bears.
    case crashed(speedMetersPerSecond: Double)
    case homeSet
    case statusText(severity: UInt8, String)
    case failsafe(String)
    case failsafeCleared(String)
  }

  /// Who changed the mode.
  public enum ModeReason: String, Sendable {
    case command
    case pilot
    case failsafe
    case landed
  }

  /// Simulated seconds since the simulation began.
  public let seconds: Double
  public let kind: Kind

  public var description: String {
    switch kind {
    case .booted: "flight controller started"
    case .rebooting: "flight controller restarts"
    case .modeChanged(let mode, let reason): "mode \(mode) (\(reason.rawValue))"
    case .armed: "armed"
    case .disarmed: "disarmed"
    case .tookOff: "took off"
    case .landed: "landed"
    case .crashed(let speed): "crashed at \(Double(Int(speed * 10)) / 10) m/s"
    case .homeSet: "home set"
    case .statusText(_, let text): "text: \(text)"
    case .failsafe(let name): "failsafe: \(name)"
    case .failsafeCleared(let name): "failsafe cleared: \(name)"
    }
  }
}
