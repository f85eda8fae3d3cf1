import Geodesy
import MAVLink
import Vehicle

// Legal transitions of an action; every phase may also end as refused, unknown or superseded:
//
//   takeoff:             [changingMode] -> arming -> lifting -> idle (accepted)
//   goTo:                [changingMode | checking] -> targeting -> idle (accepted)
//   hold:                changingMode | stopping -> idle (accepted)
//   land, return:        changingMode -> idle (accepted)
//   rebootAutopilot:     rebooting -> idle (accepted)
//   any refusal:         refusing (collects the texts that explain it) -> idle (refused)
//
// A mode that fits already, or being armed already, skips the step.
enum DriverPhase: Equatable, Sendable {
  case idle
  case changingMode(ModeChange)
  case stopping(Stopping)
  case arming(Arming)
  case lifting(Lifting)
  case checking(Checking)
  case targeting(Targeting)
  case rebooting(Rebooting)
  case refusing(Refusing)

  struct ModeChange: Equatable, Sendable {
    let order: Order
    let mode: FlightMode
    var command: CommandInFlight
    /// A refusal that came after the acceptance, which the mode may disprove.
    var rejection: CommandResult?

    /// The same change on behalf of another order.
    func with(_ order: Order) -> ModeChange {
      ModeChange(order: order, mode: mode, command: command, rejection: rejection)
    }
  }
  struct Stopping: Equatable, Sendable {
    let order: Order
    var command: CommandInFlight
    /// The fastest that was seen since the command.
    var peakMetersPerSecond: Double?
  }
  struct Arming: Equatable, Sendable {
    let order: Order
    let heightMeters: Double
    var command: CommandInFlight
  }
  struct Lifting: Equatable, Sendable {
    let order: Order
    let heightMeters: Double
    let startHeightMeters: Double
    var command: CommandInFlight
  }
  struct Checking: Equatable, Sendable {
    let order: Order
    let coordinate: Coordinate
    let heightMeters: Double
    /// A heartbeat that came later tells the mode.
    let since: ContinuousClock.Instant
  }
  struct Targeting: Equatable, Sendable {
    let order: Order
    let coordinate: Coordinate
    let heightMeters: Double
    let firstSentAt: ContinuousClock.Instant
    var lastSentAt: ContinuousClock.Instant
    var sends: Int
    /// Distance to go when the target was first sent.
    let startDistanceMeters: Double?
  }
  struct Rebooting: Equatable, Sendable {
    let order: Order
    var command: CommandInFlight
  }
  struct Refusing: Equatable, Sendable {
    let order: Order
    let result: CommandResult
    /// What was refused, for the case that no text explains it.
    let step: String
    /// A mode that, when the vehicle takes it after all, makes the action a success.
    let provingMode: FlightMode?
    let since: ContinuousClock.Instant
  }

  /// The order that still waits for its outcome.
  var openOrder: Order? {
    switch self {
    case .idle: nil
    case .changingMode(let phase): phase.order
    case .stopping(let phase): phase.order
    case .arming(let phase): phase.order
    case .lifting(let phase): phase.order
    case .checking(let phase): phase.order
    case .targeting(let phase): phase.order
    case .rebooting(let phase): phase.order
    case .refusing(let phase): phase.order
    }
  }
}
