/// A lithium battery of three cells whose voltage falls with its charge.
struct Battery: Sendable {
  static let capacityMilliampereHours = 5200.0
  private(set) var usedMilliampereHours: Double
  private(set) var currentAmperes = 0.0

  /// Full, unless part of it is used up.
  init(remaining: Double = 1) {
    usedMilliampereHours = Battery.capacityMilliampereHours * (1 - remaining)
  }

  /// 0 to 1.
  var remaining: Double { max(0, 1 - usedMilliampereHours / Battery.capacityMilliampereHours) }
  var isEmpty: Bool { remaining <= 0 }
  /// 4.2 V a cell when full, 3.3 V when empty, and 20 mOhm inside.
  var voltage: Double { 9.9 + 2.7 * remaining - 0.02 * currentAmperes }

  /// Draws what electronics and, when flying, motors take: a hover of some 17 minutes.
  mutating func step(flying: Bool, motorsTurning: Bool, seconds: Double) {
    currentAmperes = flying ? 18 : motorsTurning ? 2 : 0.4
    usedMilliampereHours += currentAmperes * 1000 * seconds / 3600
  }

  /// Loses charge at once, down to `remaining`.
  mutating func drain(to remaining: Double) {
    usedMilliampereHours = max(usedMilliampereHours, Battery.capacityMilliampereHours * (1 - remaining))
  }
}
