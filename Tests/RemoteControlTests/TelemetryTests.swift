import Geodesy
import PeerProtocol
import RemoteControl
import TestSupport
import Testing
import Vehicle

/// What travels from the navigator to its clients.
@Suite struct TelemetryTests {
  static let receipt = CommandReceipt(
    sequence: 0xDEAD_BEEF, stage: .refused, verb: "takeoff", reason: "Arm: Need Position Estimate",
    elapsedMilliseconds: 1234)
  static let notice = VehicleNotice(severity: 3, text: "Arm: Battery 1 low")

  static var fullStatus: VehicleStatus {
    var status = VehicleStatus(isInControl: true, isStopLatched: true)
    status.autopilotProblem = "no heartbeat for 4 s"
    status.relayState = "holding: the client is silent"
    status.autopilot = .ardupilot
    status.isArmed = true
    status.mode = .returnToLaunch
    status.modeName = "RTL"
    status.landed = .inAir
    status.coordinate = Coordinate(latitude: -89.999999999, longitude: 179.999999999)
    status.altitudeAboveHomeMeters = -12.25
    status.groundSpeedMetersPerSecond = 9.9
    status.climbRateMetersPerSecond = -2.5
    status.headingDegrees = 359.99
    status.batteryPercent = 100
    status.batteryVolts = 16.8
    status.gpsFixType = 6
    status.satellites = 31
    status.isReadyToArm = false
    status.isFailsafe = true
    status.target = Coordinate(latitude: 52.5, longitude: -0.125)
    status.distanceToTargetMeters = 1234.5
    status.bearingToTargetDegrees = 0
    status.controllerName = "Ann"
    status.controlAskerName = "Bob"
    status.secondsUntilHandOver = 10
    status.isAskingForControl = false
    status.engagedSequence = .max
    status.hasArrived = true
    status.targetAltitudeAboveHomeMeters = 12.5
    return status
  }

  @Test(arguments: [CommandReceipt.Stage.received, .forwarded, .accepted, .refused, .unknown, .superseded])
  func aReceiptReadsBackAsWritten(stage: CommandReceipt.Stage) throws {
    for verb in ["takeoff", "stop", "land", "return", "reset", "goto", "take-control", "hand-over", "keep"] {
      var receipt = Self.receipt
      (receipt.stage, receipt.verb) = (stage, verb)
      #expect(CommandReceipt(encoded: receipt.encoded()[...]) == receipt)
    }
    let least = CommandReceipt(sequence: 0, stage: stage, verb: "")
    #expect(CommandReceipt(encoded: least.encoded()[...]) == least)
  }

  @Test func aReceiptIsWrittenAsDocumented() {
    let receipt = CommandReceipt(
      sequence: 7, stage: .accepted, verb: "stop", reason: "ok", elapsedMilliseconds: 258)
    #expect(
      receipt.encoded() == [
        1, 4, 0, 0, 0, 7, 2, 1, 3, 3, 4, 0x73, 0x74, 0x6F, 0x70, 4, 2, 0x6F, 0x6B, 5, 4, 0, 0, 1, 2,
      ])
  }

  @Test func onlyTheLastStagesAreFinal() {
    let stages: [CommandReceipt.Stage] = [.received, .forwarded, .accepted, .refused, .unknown, .superseded]
    #expect(stages.map(\.isFinal) == [false, false, true, true, true, true])
  }

  @Test func reasonAndTimeOfAReceiptMayBeMissing() {
    #expect(
      CommandReceipt(encoded: [1, 4, 0, 0, 0, 1, 2, 1, 1, 3, 1, 0x61])
        == CommandReceipt(sequence: 1, stage: .received, verb: "a"))
  }

  @Test(arguments: 0...7) func aNoticeReadsBackAsWritten(severity: Int) {
    var notice = Self.notice
    notice.severity = UInt8(severity)
    #expect(VehicleNotice(encoded: notice.encoded()[...]) == notice)
  }

  @Test func aStatusReadsBackAsWritten() {
    for status in [VehicleStatus(), Self.fullStatus] {
      #expect(VehicleStatus(encoded: status.encoded()[...]) == status)
    }
  }

  /// One field alone, so that no two share a tag.
  @Test func everyFieldOfAStatusStandsForItself() {
    let full = Self.fullStatus
    let setters: [(String, (inout VehicleStatus) -> Void)] = [
      ("autopilotProblem", { $0.autopilotProblem = full.autopilotProblem }),
      ("isInControl", { $0.isInControl = true }), ("isStopLatched", { $0.isStopLatched = true }),
      ("relayState", { $0.relayState = full.relayState }), ("autopilot", { $0.autopilot = .px4 }),
      ("isArmed", { $0.isArmed = false }), ("mode", { $0.mode = .guided }),
      ("modeName", { $0.modeName = "GUIDED" }), ("landed", { $0.landed = .onGround }),
      ("coordinate", { $0.coordinate = full.coordinate }),
      ("altitudeAboveHomeMeters", { $0.altitudeAboveHomeMeters = 0 }),
      ("groundSpeedMetersPerSecond", { $0.groundSpeedMetersPerSecond = 0 }),
      ("climbRateMetersPerSecond", { $0.climbRateMetersPerSecond = 0 }),
      ("headingDegrees", { $0.headingDegrees = 0 }), ("batteryPercent", { $0.batteryPercent = 0 }),
      ("batteryVolts", { $0.batteryVolts = 0 }), ("gpsFixType", { $0.gpsFixType = 0 }),
      ("satellites", { $0.satellites = 0 }), ("isReadyToArm", { $0.isReadyToArm = true }),
      ("isFailsafe", { $0.isFailsafe = false }), ("target", { $0.target = full.target }),
      ("distanceToTargetMeters", { $0.distanceToTargetMeters = 0 }),
      ("bearingToTargetDegrees", { $0.bearingToTargetDegrees = 0 }),
      ("controllerName", { $0.controllerName = "A" }),
      ("controlAskerName", { $0.controlAskerName = "A" }),
      ("secondsUntilHandOver", { $0.secondsUntilHandOver = 0 }),
      ("isAskingForControl", { $0.isAskingForControl = true }),
      ("engagedSequence", { $0.engagedSequence = 0 }), ("hasArrived", { $0.hasArrived = false }),
      ("targetAltitudeAboveHomeMeters", { $0.targetAltitudeAboveHomeMeters = 0 }),
    ]
    var seen: Set<[UInt8]> = [VehicleStatus().encoded()]
    for (name, set) in setters {
      var status = VehicleStatus()
      set(&status)
      #expect(VehicleStatus(encoded: status.encoded()[...]) == status, "\(name)")
      #expect(seen.insert(status.encoded()).inserted, "\(name) is not written")
    }
  }

  @Test(arguments: [FlightMode.guided, .hold, .takeoff, .land, .returnToLaunch, .other])
  func everyModeReadsBack(mode: FlightMode) {
    for landed in [LandedState.onGround, .inAir, .takingOff, .landing] {
      for autopilot in [Autopilot.ardupilot, .px4, .other] {
        var status = VehicleStatus()
        (status.mode, status.landed, status.autopilot) = (mode, landed, autopilot)
        #expect(VehicleStatus(encoded: status.encoded()[...]) == status)
      }
    }
  }

  @Test func whatThisVersionDoesNotKnowIsSkipped() {
    let future: [UInt8] = [200, 3, 1, 2, 3, 255, 0]
    #expect(CommandReceipt(encoded: (Self.receipt.encoded() + future)[...]) == Self.receipt)
    #expect(VehicleNotice(encoded: (future + Self.notice.encoded())[...]) == Self.notice)
    #expect(VehicleStatus(encoded: (Self.fullStatus.encoded() + future)[...]) == Self.fullStatus)
    // A mode of a later version is unknown here, not a broken status.
    let status = VehicleStatus(encoded: [2, 1, 1, 3, 1, 0, 7, 5, 0x6F, 0x72, 0x62, 0x69, 0x74])
    #expect(status == VehicleStatus(isInControl: true))
    #expect(CommandReceipt(encoded: [1, 4, 0, 0, 0, 1, 2, 1, 7, 3, 1, 0x61]) == nil)
  }

  /// A cut inside a field or before a needed one gives nothing; a cut between optional fields only leaves those out.
  @Test func noTruncationIsTakenForSomethingElse() {
    let receipt = Self.receipt.encoded()
    for count in 0..<receipt.count {
      guard let read = CommandReceipt(encoded: receipt[..<count]) else { continue }
      #expect(read.sequence == Self.receipt.sequence && read.stage == .refused && read.verb == "takeoff")
      #expect(read.reason == Self.receipt.reason || read.reason.isEmpty)
      #expect(read.elapsedMilliseconds == 0)
    }
    let notice = Self.notice.encoded()
    for count in 0..<notice.count { #expect(VehicleNotice(encoded: notice[..<count]) == nil) }
    let status = Self.fullStatus.encoded()
    var readable = 0
    for count in 0..<status.count {
      guard let read = VehicleStatus(encoded: status[..<count]) else { continue }
      readable += 1
      #expect(read != Self.fullStatus)
      #expect(read.isInControl && read.isStopLatched)
      #expect(read.coordinate == nil || read.coordinate == Self.fullStatus.coordinate)
      #expect(read.target == nil || read.target == Self.fullStatus.target)
    }
    #expect(readable == 29, "one for each boundary behind the two needed flags")
  }

  static let hostile: [(String, [UInt8])] = [
    ("nothing", []), ("half a field", [1]), ("length past the end", [1, 255, 0]),
    ("a tag twice", [2, 1, 1, 3, 1, 1, 2, 1, 0]), ("only unknown tags", [99, 0, 98, 1, 7]),
    ("needed fields of another size", [1, 2, 0, 1, 2, 2, 0, 1, 3, 0]),
  ]

  @Test(arguments: hostile) func whatIsNoPayloadOfOursIsRefused(what: String, bytes: [UInt8]) {
    #expect(CommandReceipt(encoded: bytes[...]) == nil, "\(what)")
    #expect(VehicleNotice(encoded: bytes[...]) == nil, "\(what)")
    #expect(VehicleStatus(encoded: bytes[...]) == nil, "\(what)")
  }

  @Test func numbersThatCannotBeMeantAreMissing() throws {
    var writer = TaggedFieldWriter()
    writer.set(2, false)
    writer.set(3, false)
    writer.set(10, 90.5)
    writer.set(11, 0.0)
    writer.set(12, Double.nan)
    writer.set(13, Double.infinity)
    writer.set(22, 1.0)
    let status = try #require(VehicleStatus(encoded: writer.bytes[...]))
    #expect(status == VehicleStatus())
  }

  @Test func longTextsAreShortenedAndFit() throws {
    let long = String(repeating: "é", count: 2000)
    var status = Self.fullStatus
    (status.autopilotProblem, status.relayState, status.modeName) = (long, long, long)
    let read = try #require(VehicleStatus(encoded: status.encoded()[...]))
    #expect(read.autopilotProblem?.utf8.count == 120)
    #expect(status.encoded().count <= RemoteControlMessageClass.status.maximumBytes)
    var receipt = Self.receipt
    (receipt.verb, receipt.reason) = (long, long)
    #expect(try #require(CommandReceipt(encoded: receipt.encoded()[...])).reason.utf8.count == 250)
    #expect(receipt.encoded().count <= RemoteControlMessageClass.receipt.maximumBytes)
    let notice = VehicleNotice(severity: 0, text: long)
    #expect(notice.encoded().count <= RemoteControlMessageClass.notice.maximumBytes)
  }

  @Test func countsOutOfRangeAreClampedWhenWritten() throws {
    var status = VehicleStatus()
    (status.batteryPercent, status.satellites, status.gpsFixType) = (-1, 1000, 3)
    let read = try #require(VehicleStatus(encoded: status.encoded()[...]))
    #expect((read.batteryPercent, read.satellites, read.gpsFixType) == (0, 255, 3))
  }

  @Test func damageNeverCrashes() {
    var random = SplitMix64(seed: 4)
    let seeds = [Self.receipt.encoded(), Self.notice.encoded(), Self.fullStatus.encoded()]
    var (read, refused) = (0, 0)
    for _ in 0..<100_000 {
      var bytes = seeds[Int.random(in: 0..<3, using: &random)]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let cut = bytes[..<Int.random(in: bytes.count / 2...bytes.count, using: &random)]
      let receipt = CommandReceipt(encoded: cut)
      let notice = VehicleNotice(encoded: cut)
      let status = VehicleStatus(encoded: cut)
      // What was read can be written and read again: nothing out of range got in.
      if let receipt { #expect(CommandReceipt(encoded: receipt.encoded()[...]) != nil) }
      if let status { #expect(VehicleStatus(encoded: status.encoded()[...]) != nil) }
      if receipt == nil && notice == nil && status == nil { refused += 1 } else { read += 1 }
    }
    #expect(read > 1000 && refused > 10_000, "\(read) read, \(refused) refused")
  }

  @Test func everyMessageClassHasAPlaneThatIsAlwaysThereAndABound() {
    for messageClass in RemoteControlMessageClass.allCases {
      #expect(messageClass.planes.contains(.control))
      #expect((1...ControlFrame.maximumMessageBytes).contains(messageClass.maximumBytes))
    }
    #expect(RemoteControlMessageClass.allCases.map(\.rawValue) == [1, 2, 3, 4])
    #expect(RemoteControlMessageClass.command.planes == [.control, .datagrams])
  }
}
