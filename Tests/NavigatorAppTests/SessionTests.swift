import Configuration
import NavigatorApp
import PeerLink
import PeerProtocol
import RemoteControl
import ServiceRuntime
import TestSupport
import Testing
import Vehicle

/// What clients are told, who is one, and how the navigator ends.
@Suite(.timeLimit(.minutes(1)))
struct SessionTests {
  @Test func statusComesFourTimesASecond() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.fly()
    bench.vehicle.reported.batteryPercent = 87
    #expect(bench.loop.runUntil { bench.statuses.count >= 7 })
    let status = try #require(bench.statuses.last?.status)
    #expect(status.batteryPercent == 87)
    #expect(status.coordinate == Bench.home)
    #expect(status.isInControl)
    // The first one comes with the session; a machine under load makes them later, never earlier.
    let period = bench.statuses[1].at.duration(to: bench.statuses[6].at) / 5
    #expect((.milliseconds(150)...(.milliseconds(700))).contains(period))
  }

  @Test func warningsOfTheAutopilotArePassedOn() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.vehicle.onStatusText?(6, "EKF3 IMU0 is using GPS")
    bench.vehicle.onStatusText?(4, "Battery 1 is low")
    #expect(bench.loop.runUntil { bench.notices.contains { $0.text == "autopilot: Battery 1 is low" } })
    #expect(!bench.notices.contains { $0.text.contains("EKF3") })
  }

  @Test func anUntrustedClientMovesNothingAndTheLogTellsHowToTrustIt() throws {
    let bench = try Bench(trusting: false)
    bench.trustOfClient.ids = [bench.navigatorID]
    bench.fly()
    #expect(bench.loop.runUntil { bench.log.messages.contains { $0.contains("is not trusted") } })
    let line = bench.log.messages.first { $0.contains("is not trusted") }
    #expect(line?.contains("drone-navigator trust \(bench.clientID.hex)") == true)
    bench.send { $0.stop = true }
    bench.run(for: .milliseconds(200))
    #expect(bench.transceiver.connectedPeers.isEmpty)
    #expect(bench.vehicle.performed.isEmpty)

    // Trust needs no restart.
    bench.trustOfNavigator.ids = [bench.clientID]
    bench.transceiver.trustChanged()
    #expect(bench.connect())
    bench.send { $0.stop = true }
    #expect(bench.loop.runUntil { bench.vehicle.actions == [.hold] })

    // And its loss ends the session.
    bench.trustOfNavigator.ids = []
    bench.transceiver.trustChanged()
    #expect(bench.loop.runUntil { bench.ends.count == 1 })
    bench.send { $0.land = true }
    bench.run(for: .milliseconds(200))
    #expect(bench.vehicle.actions == [.hold])
  }

  @Test func aClientThatDoesNotTrustTheVehicleIsNamedWithTheRemedy() throws {
    let bench = try Bench(trusting: false)
    bench.trustOfNavigator.ids = [bench.clientID]
    #expect(bench.loop.runUntil { bench.log.messages.contains { $0.contains("cannot connect") } })
    let line = bench.log.messages.first { $0.contains("cannot connect") }
    #expect(line?.contains("drone-client trust \(bench.navigatorID.hex)") == true)
  }

  @Test func theGroundStationHeartbeatNeedsALivingClient() throws {
    let bench = try Bench()
    #expect(!bench.vehicle.isGroundStationAlive())
    #expect(bench.connect())
    bench.send()
    bench.run(for: .milliseconds(100))
    #expect(bench.vehicle.isGroundStationAlive())
    #expect(bench.loop.runUntil { !bench.vehicle.isGroundStationAlive() })
    let silent = try Bench { $0.sendsGCSHeartbeat = false }
    #expect(silent.connect())
    #expect(!silent.vehicle.isGroundStationAlive())
  }

  @Test func onTheGroundItEndsAtOnceWithAGoodbye() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.standOnGround()
    bench.service.shutDown()
    bench.loop.run()
    #expect(bench.isStopping)
    #expect(bench.vehicle.isStopped)
    #expect(bench.vehicle.performed.isEmpty)
    #expect(bench.loop.runUntil { !bench.ends.isEmpty })
    guard case .left(.shuttingDown, _)? = bench.ends.first else {
      Issue.record("the client saw \(bench.ends)")
      return
    }
  }

  @Test func inFlightItHoldsFirstAndEndsWhenThatIsConfirmed() throws {
    let bench = try Bench()
    #expect(bench.connect())
    #expect(bench.guide())
    bench.service.shutDown()
    #expect(bench.vehicle.actions.last == .hold)
    bench.run(for: .milliseconds(300))
    #expect(!bench.vehicle.isStopped)
    // Nothing new is begun meanwhile.
    bench.send {
      $0.coordinate = Bench.home
      $0.engage = true
    }
    #expect(bench.loop.runUntil { bench.receipts.last?.stage == .refused })
    bench.loop.schedule(after: .milliseconds(50)) {
      bench.vehicle.reported.mode = .hold
      bench.vehicle.report(.accepted)
    }
    bench.loop.run()
    #expect(bench.vehicle.isStopped)
    #expect(bench.vehicle.actions.count == 2)
    #expect(!bench.log.messages.contains { $0.contains("not confirmed") })
  }

  @Test func aHoldThatIsNeverConfirmedDoesNotKeepItRunning() throws {
    let bench = try Bench()
    #expect(bench.connect())
    #expect(bench.guide())
    let start = bench.loop.now
    bench.service.shutDown()
    bench.service.shutDown()
    bench.loop.run()
    #expect(start.duration(to: bench.loop.now) >= .seconds(8))
    #expect(bench.vehicle.isStopped)
    #expect(bench.log.messages.contains { $0.contains("the hold was not confirmed in time") })
  }

  @Test func healthIsClaimedFromTheLoop() throws {
    let bench = try Bench()
    bench.run(for: .milliseconds(500))
    #expect(bench.fed >= 2)
  }
}
