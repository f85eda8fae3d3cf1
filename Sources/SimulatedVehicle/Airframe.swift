import Glibc

/// The body of a multicopter in still air over flat ground: what it does when a controller asks for something.
struct Airframe: Sendable {
  /// What the controller wants of the motors in one step.
  enum Demand: Equatable, Sendable {
    /// No thrust: on the ground nothing happens, in the air it falls.
    case stopped
    /// Turning without lift.
    case idle
    case fly(Horizontal, Vertical)
  }

  enum Horizontal: Equatable, Sendable {
    /// To a place, at most this fast, and stay there.
    case position(north: Double, east: Double, speedMetersPerSecond: Double)
    /// With a velocity, changed by at most this acceleration.
    case velocity(north: Double, east: Double, accelerationMetersPerSecondSquared: Double)
  }

  enum Vertical: Equatable, Sendable {
    /// To a height above the ground, and stay there.
    case height(Double)
    case rate(metersPerSecond: Double)
  }

  /// Metres from the origin of the local frame.
  private(set) var position = Vector.zero
  /// Metres per second.
  private(set) var velocity = Vector.zero
  /// The acceleration of the last step, for the attitude that goes with it.
  private(set) var acceleration = Vector.zero
  private(set) var headingDegrees = 0.0
  /// Where the nose shall point; it turns there while flying.
  var wantedHeadingDegrees = 0.0
  /// The vertical speed of the last contact with the ground, until it is taken.
  private(set) var touchdownSpeedMetersPerSecond: Double?

  // Measured on ArduCopter: 9.9 m/s to rest in 20 m, cruise at 10 m/s.
  static let accelerationLimit = 2.5
  /// Approach of a target: gentler than the limit, so that the lag of the velocity does not carry it past.
  private static let approachDeceleration = 2.0
  /// WPNAV_ACCEL_Z, WPNAV_SPEED_UP and WPNAV_SPEED_DN of ArduCopter.
  private static let verticalAcceleration = 1.0
  static let climbRate = 2.5
  static let descentRate = 1.5
  /// How the velocity follows what is wanted, 1/s.
  private static let velocityGain = 2.5
  private static let turnRateDegreesPerSecond = 60.0
  private static let gravity = 9.81
  /// Where drag and weight of a falling copter balance.
  private static let terminalSpeed = 25.0

  var isOnGround: Bool { position.up <= 0 }
  var groundSpeedMetersPerSecond: Double { velocity.horizontalLength }

  /// Radians, nose up and right wing down positive: the tilt that makes the acceleration.
  var attitude: (roll: Double, pitch: Double) {
    let heading = headingDegrees * .pi / 180
    let forward = acceleration.north * cos(heading) + acceleration.east * sin(heading)
    let right = acceleration.east * cos(heading) - acceleration.north * sin(heading)
    return (atan(right / Airframe.gravity), -atan(forward / Airframe.gravity))
  }

  mutating func takeTouchdown() -> Double? {
    defer { touchdownSpeedMetersPerSecond = nil }
    return touchdownSpeedMetersPerSecond
  }

  /// Lets `seconds` pass.
  mutating func step(_ demand: Demand, seconds: Double) {
    let before = velocity
    switch demand {
    case .stopped, .idle:
      guard !isOnGround else { return stand() }
      let drag = Airframe.gravity / (Airframe.terminalSpeed * Airframe.terminalSpeed)
      velocity.up += (-Airframe.gravity + drag * velocity.up * velocity.up) * seconds
      velocity = velocity.horizontallyLimited(to: velocity.horizontalLength * (1 - 0.3 * seconds))
    case .fly(let horizontal, let vertical):
      follow(horizontal, seconds: seconds)
      follow(vertical, seconds: seconds)
      turn(seconds: seconds)
    }
    acceleration = (velocity - before) * (1 / seconds)
    let wasInAir = !isOnGround
    position = position + velocity * seconds
    if position.up <= 0 {
      if wasInAir { touchdownSpeedMetersPerSecond = -velocity.up }
      position.up = 0
      if velocity.up <= 0 { stand() }
    }
  }

  private mutating func stand() {
    velocity = .zero
    acceleration = .zero
  }

  private mutating func follow(_ horizontal: Horizontal, seconds: Double) {
    let wanted: Vector
    let limit: Double
    switch horizontal {
    case .velocity(let north, let east, let acceleration):
      wanted = Vector(north: north, east: east)
      limit = acceleration
    case .position(let north, let east, let speed):
      let way = Vector(north: north - position.north, east: east - position.east)
      let distance = way.horizontalLength
      let allowed = min(
        speed, Airframe.approachSpeed(distance, deceleration: Airframe.approachDeceleration))
      wanted = distance > 0 ? way * (allowed / distance) : .zero
      limit = Airframe.accelerationLimit
      // Nearer than that the bearing wanders; ArduCopter keeps the heading there, too.
      if distance > 5 { wantedHeadingDegrees = atan2(way.east, way.north) * 180 / .pi }
    }
    var change = Vector(north: wanted.north - velocity.north, east: wanted.east - velocity.east)
    change = (change * Airframe.velocityGain).horizontallyLimited(to: limit)
    velocity = velocity + change * seconds
  }

  private mutating func follow(_ vertical: Vertical, seconds: Double) {
    let wanted: Double
    switch vertical {
    case .rate(let rate): wanted = rate
    case .height(let height):
      let way = height - position.up
      let speed = Airframe.approachSpeed(abs(way), deceleration: Airframe.verticalAcceleration * 0.6)
      wanted = way > 0 ? min(speed, Airframe.climbRate) : -min(speed, Airframe.descentRate)
    }
    let change = (wanted - velocity.up) * Airframe.velocityGain
    let limit = Airframe.verticalAcceleration
    velocity.up += min(limit, max(-limit, change)) * seconds
  }

  private mutating func turn(seconds: Double) {
    let way = remainder(wantedHeadingDegrees - headingDegrees, 360)
    let limit = Airframe.turnRateDegreesPerSecond * seconds
    headingDegrees = fmod(headingDegrees + min(limit, max(-limit, way)) + 360, 360)
  }

  /// The speed from which a steady deceleration ends at the target, linear in the last stretch
  /// (ArduPilot calls it the square-root controller).
  private static func approachSpeed(_ distance: Double, deceleration: Double) -> Double {
    let gain = 0.8
    let linear = deceleration / (gain * gain)
    return distance < linear
      ? gain * distance : (2 * deceleration * (distance - linear / 2)).squareRoot()
  }
}
