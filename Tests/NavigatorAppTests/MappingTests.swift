import Configuration
import Geodesy
import Guidance
import PeerLink
import PeerProtocol
import RemoteControl
import Testing
import Vehicle

@testable import NavigatorApp

struct MappingTests {
  private let client = PeerID(hex: String(repeating: "ab", count: 32))!

  @Test func aFrameKeepsEverythingOnItsWayToGuidance() {
    let frame = RemoteControlCommand(
      coordinate: Bench.north, coordinateAgeSeconds: 0.5, coordinateHorizontalAccuracyMeters: 4, stop: true,
      takeoff: true, reset: true, land: true, returnToLaunch: true, engage: true, sequence: 9,
      takeoffAltitudeMeters: 7)
    let command = Guidance.Command(frame, from: client, frame: 3, delay: .milliseconds(20))
    let expected = Guidance.Command(
      client: Guidance.ClientID(client.hex), sequence: 9, frame: 3, delay: .milliseconds(20), stop: true,
      land: true, returnToLaunch: true, takeoff: true, takeoffAltitudeMeters: 7, reset: true, engage: true,
      coordinate: Bench.north, coordinateAge: .milliseconds(500), horizontalAccuracyMeters: 4)
    #expect(command == expected)
    #expect(
      Guidance.Command(RemoteControlCommand(), from: client, frame: 1, delay: .zero)
        == Guidance.Command(client: Guidance.ClientID(client.hex), frame: 1))
  }

  /// No `Duration` holds these, and the conversion would end the program of a vehicle in the air.
  @Test(arguments: [1e19, 1e300, Double.greatestFiniteMagnitude])
  func anAgeBeyondAllTimeIsOldAndHarmless(seconds: Double) throws {
    let sent = RemoteControlCommand(coordinate: Bench.north, coordinateAgeSeconds: seconds)
    let frame = try RemoteControlCommand(encoded: sent.encoded())
    let command = Guidance.Command(frame, from: client, frame: 1, delay: .zero)
    #expect(try #require(command.coordinateAge) > .seconds(3600))
  }

  struct Outcome: Sendable {
    let outcome: Guidance.Outcome
    let stage: CommandReceipt.Stage
    let reason: String
  }

  @Test(arguments: [
    Outcome(outcome: .received, stage: .received, reason: ""),
    Outcome(outcome: .forwarded, stage: .forwarded, reason: ""),
    Outcome(outcome: .accepted, stage: .accepted, reason: ""),
    Outcome(outcome: .refused(reason: "no"), stage: .refused, reason: "no"),
    Outcome(outcome: .unknown(reason: "silence"), stage: .unknown, reason: "silence"),
    Outcome(outcome: .superseded, stage: .superseded, reason: ""),
  ])
  func anOutcomeBecomesAReceipt(_ vector: Outcome) {
    let reference = Guidance.CommandReference(
      client: Guidance.ClientID(client.hex), sequence: 5, verb: .returnToLaunch)
    #expect(
      CommandReceipt(reference, vector.outcome, elapsed: .milliseconds(30))
        == CommandReceipt(
          sequence: 5, stage: vector.stage, verb: "return", reason: vector.reason, elapsedMilliseconds: 30))
  }

  @Test func nobodyWaitsForAReceiptOfTheSteadyStream() {
    let id = Guidance.ClientID(client.hex)
    let coordinate = Guidance.CommandReference(client: id, sequence: 5, verb: .coordinate)
    let uncounted = Guidance.CommandReference(client: id, sequence: nil, verb: .stop)
    #expect(CommandReceipt(coordinate, .accepted, elapsed: .zero) == nil)
    #expect(CommandReceipt(uncounted, .accepted, elapsed: .zero) == nil)
  }

  @Test func theConfigurationBecomesRules() {
    #expect(Guidance.Rules(NavigatorConfiguration()) == Guidance.Rules())
    var configuration = NavigatorConfiguration()
    configuration.linkLossAction = .land
    configuration.stopAction = .returnToLaunch
    configuration.returnAfter = nil
    configuration.geofenceRadiusMeters = 80
    configuration.holdAfter = .seconds(5)
    configuration.handOverAfter = .seconds(20)
    let rules = Guidance.Rules(configuration)
    #expect(rules.linkLossAction == .land)
    #expect(rules.stopAction == .returnToLaunch)
    #expect(rules.returnAfter == nil)
    #expect(rules.geofenceRadiusMeters == 80)
    #expect(rules.holdAfter == .seconds(5))
    #expect(rules.controlAnswerTime == .seconds(20))
  }

  /// The verbs of a frame, as the log names them.
  @Test func framesAreNamedByWhatTheyAsk() {
    #expect(RemoteControlCommand().verbs == "keep-alive")
    #expect(RemoteControlCommand(coordinate: Bench.home).verbs == "coordinate")
    #expect(RemoteControlCommand(coordinate: Bench.home, engage: true).verbs == "goto")
    #expect(RemoteControlCommand(takeControl: true).verbs == "take-control")
    #expect(RemoteControlCommand(handOver: true, keep: true).verbs == "hand-over+keep")
    #expect(RemoteControlCommand(coordinate: Bench.home, takeoff: true).verbs == "takeoff+coordinate")
    #expect(
      RemoteControlCommand(stop: true, reset: true, land: true, returnToLaunch: true).verbs
        == "reset+stop+land+return")
  }
}

struct StatusViewTests {
  private let client = Guidance.ClientID("ab")

  private func told(_ change: (inout Guidance.Status) -> Void) -> VehicleStatus {
    var status = Guidance().status(at: ContinuousClock.now)
    change(&status)
    return VehicleStatus(VehicleState(), status, problem: nil, for: client)
  }

  @Test func nothingIsToldWhileAllIsAsUsual() {
    let status = told { _ in }
    #expect(status == VehicleStatus())
    #expect(status.relayState == nil)
  }

  @Test func onlyTheControllerIsToldThatItControls() {
    let other = Guidance.ClientID("cd")
    func held(by holder: Guidance.ClientID, free: Bool = false) -> VehicleStatus {
      told {
        $0.controller = holder
        $0.controllerName = "Ann"
        $0.isControlFree = free
      }
    }
    #expect(held(by: client).isInControl && held(by: client).controllerName == "Ann")
    #expect(!held(by: other).isInControl && held(by: other).controllerName == "Ann")
    // Given up, or lost by silence: nobody's.
    #expect(!held(by: client, free: true).isInControl && held(by: client, free: true).controllerName == nil)
  }

  @Test func whoAsksForControlIsToldToAll() {
    for asker in [client, Guidance.ClientID("cd")] {
      let status = told {
        $0.controlAsker = asker
        $0.controlAskerName = "Bob"
        $0.controlAnswerLeft = .milliseconds(6100)
      }
      #expect(status.controlAskerName == "Bob" && status.secondsUntilHandOver == 7)
      #expect(status.isAskingForControl == (asker == client))
    }
    let namesake = told {
      $0.controllerName = "Bob"
      $0.controlAsker = Guidance.ClientID("cdcdcdcdcdcd")
      $0.controlAskerName = "Bob"
    }
    #expect(namesake.controlAskerName == "Bob (cdcdcdcd)")
  }

  @Test func theRelaySaysWhatKeepsItAndWhatHelps() {
    #expect(told { $0.authority = .pilot }.relayState?.contains("pilot") == true)
    let stopped = told { $0.latch = .stop }
    #expect(stopped.isStopLatched)
    #expect(stopped.relayState == "stopped; reset, goto, follow or takeoff resumes")
    let lost = told { $0.latch = .linkLoss }
    #expect(!lost.isStopLatched)
    #expect(lost.relayState?.contains("lost link") == true)
    #expect(told { $0.latch = .fence }.relayState?.contains("fence") == true)
    #expect(told { $0.awaitsAsk = true }.relayState == "control changed hands; goto or follow resumes")
    let taken = told {
      $0.awaitsAsk = true
      $0.latch = .stop
    }
    #expect(taken.relayState == "stopped; goto, follow or takeoff resumes")
    #expect(told { $0.activity = .following }.relayState == "following")
  }

  @Test func theTargetIsShown() {
    let status = told {
      $0.target = Bench.north
      $0.distanceToTargetMeters = 12
      $0.bearingToTargetDegrees = 90
    }
    #expect(status.target == Bench.north)
    #expect(status.distanceToTargetMeters == 12)
    #expect(status.bearingToTargetDegrees == 90)
  }
}
