import MAVLink
import MAVLinkServices
import Testing

@Suite struct LineBudgetTests {
  private let start = ContinuousClock.now
  private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private let stop = OutgoingMessage.command(
    CommandLong(targetSystem: 1, targetComponent: 1, command: .doSetMode, param1: 1, param2: 17))
  private let nowhere = OutgoingMessage.command(
    CommandLong(
      targetSystem: 1, targetComponent: 1, command: .doReposition, param1: -1, param2: 1, param5: .nan))
  private let request = OutgoingMessage.command(
    CommandLong(targetSystem: 1, targetComponent: 1, command: .setMessageInterval, param1: 33))
  private let target = OutgoingMessage.target(
    SetPositionTargetGlobalInt(
      targetSystem: 1, targetComponent: 1, coordinateFrame: .globalRelativeAltInt, typeMask: [], latInt: 1,
      lonInt: 1))
  private let heartbeat = OutgoingMessage.companionHeartbeat(
    Heartbeat(type: .onboardController, autopilot: .invalid))

  @Test func bytesLeaveAtTheSpeedOfTheLine() {
    var budget = LineBudget(bytesPerSecond: 960)
    #expect(budget.waitingBytes(at: start) == 0)
    budget.wrote(target, bytes: 96, at: start)
    #expect(budget.waitingBytes(at: after(0)) == 96)
    #expect(budget.waitingBytes(at: after(50)) == 48)
    #expect(budget.waitingBytes(at: after(500)) == 0)
    budget.wrote(target, bytes: 96, at: after(600))
    budget.reset()
    #expect(budget.waitingBytes(at: after(600)) == 0)
  }

  @Test func aTargetWaitsForTheOneBeforeItAndACommandDoesNot() {
    var budget = LineBudget(bytesPerSecond: 120)
    budget.wrote(target, bytes: 63, at: start)
    budget.wrote(target, bytes: 63, at: start)
    for message in [target, request] { #expect(!budget.allows(message, at: after(100))) }
    // A heartbeat keeps a failsafe quiet, and a command is what the line is for.
    for message in [stop, heartbeat] { #expect(budget.allows(message, at: after(100))) }
    #expect(budget.allows(target, at: after(600)))
  }

  @Test func theQuestionForTheHeartbeatThatProvesACommandFollowsItAtOnce() {
    let question = OutgoingMessage.command(
      CommandLong(targetSystem: 1, targetComponent: 1, command: .requestMessage))
    var budget = LineBudget(bytesPerSecond: 5760)
    budget.wrote(stop, bytes: 44, at: start)
    #expect(budget.allows(question, at: after(1)) && !budget.allows(request, at: after(1)))
    for _ in 1...3 { budget.wrote(target, bytes: 63, at: after(1)) }
    #expect(!budget.allows(question, at: after(1)))
  }

  @Test(arguments: [1200, 9600]) func targetsNeverCrowdOutHeartbeats(baud: Int) {
    var budget = LineBudget(bytesPerSecond: baud / 10)
    for step in 0..<2000 {
      let now = after(step * 50)
      if step % 20 == 0 {
        for _ in 0..<2 {
          #expect(budget.allows(heartbeat, at: now))
          budget.wrote(heartbeat, bytes: 21, at: now)
        }
      }
      if budget.allows(target, at: now) { budget.wrote(target, bytes: 63, at: now) }
    }
  }

  @Test(arguments: [false, true]) func aRepeatOfWhatHasNotLeftYetIsLeftOut(isNowhere: Bool) {
    var budget = LineBudget(bytesPerSecond: 30)
    guard case .command(var command) = isNowhere ? nowhere : stop else { return }
    budget.wrote(.command(command), bytes: 45, at: start)
    command.confirmation = 1
    #expect(!budget.allows(.command(command), at: after(500)))
    command.param2 = 4
    #expect(budget.allows(.command(command), at: after(500)))
    command.param2 = 17
    #expect(budget.allows(.command(command), at: after(1600)))
  }

  @Test func aNetworkIsNotLimited() {
    var budget = LineBudget(bytesPerSecond: nil)
    for _ in 0..<1000 { budget.wrote(target, bytes: 63, at: start) }
    #expect(budget.allows(target, at: start) && budget.allows(request, at: start))
  }

  /// Whoever asks before each message never has more in front of a command than a few frames.
  @Test(arguments: [300, 1200, 9600, 57600, 921_600]) func noLineIsOverfed(baud: Int) {
    let perSecond = baud / 10
    var budget = LineBudget(bytesPerSecond: perSecond)
    var written = 0
    for step in 0..<20_000 {
      let now = after(step * 5)
      for (message, length) in [(target, 63), (heartbeat, 21), (request, 44)]
      where budget.allows(message, at: now) {
        #expect(budget.waitingBytes(at: now) <= max(84, perSecond / 50) + 80)
        budget.wrote(message, bytes: length, at: now)
        written += length
      }
    }
    #expect(written <= perSecond * 100 + 300)
  }
}

@Suite struct LineMeterTests {
  @Test func ratesAreMeasuredOverWholePeriods() throws {
    var meter = LineMeter()
    let start = ContinuousClock.now
    for step in 0...60 {
      let now = start.advanced(by: .milliseconds(step * 100))
      meter.received(GlobalPositionInt.messageID, bytes: 40, at: now)
      if step % 10 == 0 { meter.wrote(bytes: 21, at: now) }
      if step < 50 { #expect(meter.rate(of: GlobalPositionInt.messageID) == nil) }
    }
    #expect(meter.rate(of: GlobalPositionInt.messageID) == 10)
    #expect(meter.rate(of: VFRHUD.messageID) == 0)
    #expect(meter.bytesPerSecondIn == 400)
    #expect(meter.bytesPerSecondOut == 21)
    let report = StreamRequests(bytesPerSecond: 5760).report(meter)
    let position = try #require(report.streams.first { $0.name == "GLOBAL_POSITION_INT" })
    #expect(position.asked == 5 && position.measured == 10)
    #expect(abs(try #require(report.loadIn) - 400 / 5760) < 1e-9)
  }

  @Test func silenceIsMeasuredAsSuch() {
    var meter = LineMeter()
    let start = ContinuousClock.now
    meter.received(0, bytes: 21, at: start)
    meter.tick(at: start.advanced(by: .seconds(6)))
    meter.tick(at: start.advanced(by: .seconds(12)))
    #expect(meter.rate(of: 0) == 0)
    #expect(meter.bytesPerSecondIn == 0)
  }

  @Test func manyKindsOfMessagesAreBounded() {
    var meter = LineMeter()
    let start = ContinuousClock.now
    for id in 0..<10_000 { meter.received(UInt32(id), bytes: 12, at: start) }
    meter.tick(at: start.advanced(by: .seconds(5)))
    #expect(meter.rate(of: 1) == 0.2)
    #expect(meter.rate(of: 9999) == 0)
  }
}

@Suite struct StreamPlanTests {
  @Test func at57600BaudTheStreamsTakeAFifthAtMost() {
    let requests = StreamRequests(bytesPerSecond: 5760)
    #expect(requests.rateFactor == 1)
    #expect(requests.askedBytesPerSecond < 5760 / 5)
  }

  @Test(arguments: [300, 1200, 4800, 9600, 19_200, 57_600, 115_200, 921_600])
  func halfOfTheLineIsAskedForAtMost(baud: Int) {
    let requests = StreamRequests(bytesPerSecond: baud / 10)
    #expect(requests.askedBytesPerSecond <= Double(baud) / 20 + 0.001)
    #expect(requests.plan.contains("of \(baud / 10) bytes a second"))
    #expect((requests.rateFactor < 1) == requests.plan.contains("a faster line"))
  }

  /// The frames as they are on the wire, at the intervals that are asked for.
  @Test(arguments: [1200, 9600, 57_600]) func theIntervalsThatAreAskedForFit(baud: Int) {
    var requests = StreamRequests(bytesPerSecond: baud / 10)
    var now = ContinuousClock.now
    var bytes = 0.0
    var asked: Set<UInt32> = []
    for _ in 0..<100 {
      now = now.advanced(by: .milliseconds(100))
      if let request = requests.due(at: now, to: AutopilotAddress(systemID: 1, componentID: 1)) {
        requests.acknowledged(CommandAck(command: .setMessageInterval, result: .accepted))
        let longest =
          [
            GlobalPositionInt.messageID: GlobalPositionInt.maximumPayloadLength,
            ExtendedSystemState.messageID: ExtendedSystemState.maximumPayloadLength,
            SystemStatus.messageID: SystemStatus.maximumPayloadLength,
            GPSRawInt.messageID: GPSRawInt.maximumPayloadLength,
            VFRHUD.messageID: VFRHUD.maximumPayloadLength,
            PositionTargetGlobalInt.messageID: PositionTargetGlobalInt.maximumPayloadLength,
            SystemTime.messageID: SystemTime.maximumPayloadLength,
            HomePosition.messageID: HomePosition.maximumPayloadLength,
            BatteryStatus.messageID: BatteryStatus.maximumPayloadLength,
          ][UInt32(request.param1)] ?? 255
        asked.insert(UInt32(request.param1))
        bytes += Double(longest + 12) * 1_000_000 / Double(request.param2)
      }
      for id in asked { requests.observed(id, at: now) }
    }
    #expect(asked.count == 9)
    #expect(bytes > 50 && bytes <= Double(baud) / 20 * 1.001, "\(bytes)")
  }
}
