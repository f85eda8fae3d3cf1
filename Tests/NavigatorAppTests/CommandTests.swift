import Configuration
import Geodesy
import PeerLink
import RemoteControl
import ServiceRuntime
import TestSupport
import Testing
import Vehicle

/// What a client's frame leads to.
@Suite(.timeLimit(.minutes(1)))
struct CommandTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isFlying: Bool
    let frame: RemoteControlCommand
    let action: VehicleAction
  }

  static let vectors = [
    Vector(
      testDescription: "takeoff to the configured height", isFlying: false,
      frame: RemoteControlCommand(takeoff: true), action: .takeoff(altitudeAboveHomeMeters: 12)),
    Vector(
      testDescription: "takeoff to a height of its own", isFlying: false,
      frame: RemoteControlCommand(takeoff: true, takeoffAltitudeMeters: 4),
      action: .takeoff(altitudeAboveHomeMeters: 4)),
    Vector(
      testDescription: "goto at the follow height", isFlying: true,
      frame: RemoteControlCommand(coordinate: Bench.north, engage: true),
      action: .goTo(Bench.north, altitudeAboveHomeMeters: 15)),
    Vector(
      testDescription: "stop", isFlying: true, frame: RemoteControlCommand(stop: true), action: .hold),
    Vector(
      testDescription: "land", isFlying: true, frame: RemoteControlCommand(land: true), action: .land),
    Vector(
      testDescription: "return", isFlying: true, frame: RemoteControlCommand(returnToLaunch: true),
      action: .returnToLaunch),
    Vector(
      testDescription: "stop before everything else", isFlying: true,
      frame: RemoteControlCommand(
        coordinate: Bench.north, stop: true, takeoff: true, reset: true, land: true, returnToLaunch: true,
        engage: true),
      action: .hold),
  ]

  @Test(arguments: vectors)
  func aFrameIsActedOnBeforeItsHandlerReturns(_ vector: Vector) throws {
    let bench = try Bench {
      $0.takeoffAltitudeAboveHomeMeters = 12
      $0.followHeightAboveHomeMeters = 15
    }
    #expect(bench.connect())
    if vector.isFlying { bench.fly() } else { bench.standOnGround() }
    let handler = try #require(bench.transceiver.onMessage)
    var inOneTurn: [VehicleAction]?
    bench.transceiver.onMessage = { [unowned bench] peer, message in
      let before = bench.vehicle.performed.count
      handler(peer, message)
      if inOneTurn == nil { inOneTurn = Array(bench.vehicle.actions[before...]) }
    }
    bench.send { command in
      let sequence = command.sequence
      command = vector.frame
      command.sequence = sequence
    }
    #expect(bench.loop.runUntil { inOneTurn != nil })
    #expect(inOneTurn == [vector.action])
  }

  @Test func receiptsTellVerbStageAndReason() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.standOnGround()
    let takeoff = bench.send { $0.takeoff = true }
    #expect(bench.loop.runUntil { !bench.vehicle.performed.isEmpty })
    bench.vehicle.report(.forwarded)
    bench.vehicle.report(.refused(reason: "PreArm: Compass not calibrated"))
    #expect(bench.loop.runUntil { bench.receipts.count == 3 })
    #expect(bench.receipts.map(\.stage) == [.received, .forwarded, .refused])
    #expect(bench.receipts.allSatisfy { $0.verb == "takeoff" && $0.sequence == takeoff })
    #expect(bench.receipts.map(\.reason) == ["", "", "PreArm: Compass not calibrated"])

    // Repeats are answered and not obeyed again.
    bench.sendBytes(RemoteControlCommand(takeoff: true, sequence: takeoff).encoded())
    #expect(bench.loop.runUntil { bench.receipts.count == 4 })
    #expect(bench.receipts.last?.stage == .refused)
    #expect(bench.vehicle.performed.count == 1)

    let reset = bench.send { $0.reset = true }
    #expect(bench.loop.runUntil { bench.receipts.count == 5 })
    #expect(bench.receipts.last == CommandReceipt(sequence: reset, stage: .accepted, verb: "reset"))
  }

  @Test func whatGuidanceRefusesNeverReachesTheAutopilot() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.fly()
    for coordinate in [Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 48, longitude: 9)] {
      bench.send {
        $0.coordinate = coordinate
        $0.engage = true
      }
    }
    #expect(bench.loop.runUntil { bench.receipts.count == 2 })
    #expect(bench.receipts.map(\.stage) == [.refused, .refused])
    #expect(bench.receipts.first?.reason.contains("0,0") == true)
    #expect(bench.receipts.last?.reason.contains("from home") == true)
    #expect(bench.vehicle.performed.isEmpty)
  }

  @Test func aStopIsLatchedUntilReset() throws {
    let bench = try Bench()
    #expect(bench.connect())
    #expect(bench.guide())
    bench.send { $0.stop = true }
    #expect(bench.loop.runUntil { bench.vehicle.actions.last == .hold })
    bench.vehicle.reported.mode = .hold
    bench.vehicle.report(.accepted)
    #expect(bench.loop.runUntil { bench.statuses.last?.status.isStopLatched == true })
    let count = bench.vehicle.performed.count
    bench.send { $0.coordinate = Bench.home }
    let reset = bench.send { $0.reset = true }
    #expect(bench.loop.runUntil { bench.receipts.contains { $0.sequence == reset } })
    #expect(bench.vehicle.performed.count == count)
    bench.send { $0.coordinate = Bench.home }
    #expect(bench.loop.runUntil { bench.vehicle.performed.count > count })
    #expect(bench.vehicle.actions.last == .goTo(Bench.home, altitudeAboveHomeMeters: 10))
  }

  @Test func aMalformedFrameIsNoFrame() throws {
    let bench = try Bench { $0.holdAfter = .milliseconds(600) }
    #expect(bench.connect())
    #expect(bench.guide())
    // Far more often than a client speaks, and still silence.
    let noise = bench.loop.repeating(every: .milliseconds(50)) { [unowned bench] in
      bench.sendBytes([1, 2, 3])
    }
    #expect(bench.loop.runUntil { bench.vehicle.actions.last == .hold })
    noise.cancel()
    #expect(bench.vehicle.performed.count == 2)
    // One line in ten seconds, however many there are.
    let lines = bench.log.messages.filter { $0.contains("refused") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("1 frames of Ann") == true)
    #expect(bench.receipts.allSatisfy { $0.verb == "goto" })
  }

  @Test func otherMessagesAreIgnored() throws {
    let bench = try Bench()
    #expect(bench.connect())
    bench.fly()
    let stop = RemoteControlCommand(stop: true, sequence: 1).encoded()
    _ = bench.client.send(77, stop, to: bench.navigatorID)
    _ = bench.client.send(RemoteControlMessageClass.receipt.rawValue, stop, to: bench.navigatorID)
    bench.sendBytes([UInt8](repeating: 0, count: RemoteControlCommand.maximumEncodedBytes + 1))
    let reset = bench.send { $0.reset = true }
    #expect(bench.loop.runUntil { bench.receipts.contains { $0.sequence == reset } })
    #expect(bench.vehicle.performed.isEmpty)
  }

  @Test func aSilentClientLeadsToAHoldAndNothingResumesByItself() throws {
    let bench = try Bench { $0.holdAfter = .milliseconds(600) }
    #expect(bench.connect())
    #expect(bench.guide())
    #expect(bench.loop.runUntil { bench.vehicle.actions.last == .hold })
    bench.vehicle.reported.mode = .hold
    bench.vehicle.report(.accepted)
    let count = bench.vehicle.performed.count
    for _ in 0..<3 {
      bench.send { $0.coordinate = Bench.home }
      bench.run(for: .milliseconds(50))
    }
    #expect(bench.vehicle.performed.count == count)
    bench.send {
      $0.coordinate = Bench.home
      $0.engage = true
    }
    #expect(bench.loop.runUntil { bench.vehicle.performed.count > count })
    #expect(bench.vehicle.actions.last == .goTo(Bench.home, altitudeAboveHomeMeters: 10))
  }
}
