import PeerProtocol
import TestSupport
import Testing

private typealias Output = SessionPlanes.Output

@Suite struct SessionPlanesTests {
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private func outputs(_ verdict: SessionPlanes.SendVerdict) -> [Output]? {
    if case .sent(let outputs) = verdict { outputs } else { nil }
  }

  private func pong(_ number: UInt32 = 1) -> ArraySlice<UInt8> {
    DatagramFrame.pong(number: number, received: 0).encoded[...]
  }

  // MARK: Liveness

  @Test func silenceMakesItDormantAndAnythingAuthenticBringsItBack() {
    var planes = SessionPlanes(at: start)
    #expect(planes.poll(backlog: 0, at: at(7999)).contains(.fellSilent) == false)
    #expect(planes.poll(backlog: 0, at: at(8000)).contains(.fellSilent) == true)
    #expect(!planes.isConnected && !planes.isEnded)
    #expect(planes.sendReliable(1, [1], backlog: 0, at: at(8001)) == .notConnected)
    #expect(planes.receivedControl(.pong(number: 1), at: at(9000)) == [.returned])
    #expect(planes.isConnected)
  }

  @Test func datagramsKeepASessionWhoseControlConnectionIsGone() {
    var planes = SessionPlanes(at: start)
    _ = planes.associated(at: start)
    planes.controlLost()
    for second in 1...60 {
      #expect(planes.receivedDatagram(pong(), at: at(second * 1000)) == [])
      #expect(planes.poll(backlog: 0, at: at(second * 1000)).contains(.fellSilent) == false)
    }
    #expect(planes.poll(backlog: 0, at: at(68_000)).contains(.fellSilent) == true)
    #expect(planes.receivedDatagram(pong(), at: at(70_000)) == [.returned])
  }

  @Test func aDormantSessionEndsAfterTenMinutes() {
    var planes = SessionPlanes(at: start)
    _ = planes.poll(backlog: 0, at: at(8000))
    #expect(planes.poll(backlog: 0, at: at(607_999)).contains(.ended(.timedOut(.silence))) == false)
    #expect(planes.poll(backlog: 0, at: at(608_000)) == [.ended(.timedOut(.silence))])
    #expect(planes.receivedControl(.pong(number: 1), at: at(608_001)) == [])
  }

  @Test func pingsGoOutOnBothPlanes() {
    var planes = SessionPlanes(at: start)
    _ = planes.associated(at: start)
    var (control, datagrams) = (0, 0)
    for time in stride(from: 50, through: 5000, by: 50) {
      _ = planes.receivedDatagram(pong(), at: at(time))
      for output in planes.poll(backlog: 0, at: at(time)) {
        if case .control(.ping) = output { control += 1 }
        if case .datagram(.ping) = output { datagrams += 1 }
      }
    }
    #expect(control == 5 && datagrams == 20)
  }

  @Test func thePlaneIsUpWhileSomethingIsHeard() {
    var planes = SessionPlanes(at: start)
    #expect(!planes.datagramsAreUp(at: start))
    _ = planes.associated(at: start)
    #expect(planes.datagramsAreUp(at: at(1999)) && !planes.datagramsAreUp(at: at(2000)))
    _ = planes.receivedDatagram([0xFF], at: at(3000))
    #expect(planes.datagramsAreUp(at: at(3100)))
    planes.dissociated()
    #expect(!planes.datagramsAreUp(at: at(3100)))
  }

  @Test func aStalledControlConnectionShows() {
    var planes = SessionPlanes(at: start)
    #expect(!planes.controlIsStalled(at: at(3999)) && planes.controlIsStalled(at: at(4000)))
    _ = planes.receivedControl(.pong(number: 1), at: at(4000))
    #expect(!planes.controlIsStalled(at: at(7999)))
  }

  // MARK: Ways

  @Test func anUrgentMessageGoesBothWaysAtOnce() throws {
    var planes = SessionPlanes(at: start)
    _ = planes.associated(at: start)
    let sent = try #require(outputs(planes.sendUrgent(1, [7], replacing: nil, backlog: 0, at: at(5))))
    let frame = DatagramFrame.message(
      MessageFrame(messageClass: 1, sequence: 1, senderClockMilliseconds: 5, payload: [7]), .urgent(key: nil))
    #expect(sent == [.datagram(frame), .control(.relayed(frame.encoded[...]))])
    #expect(planes.nextUrgent == at(15))
    #expect(planes.poll(backlog: 0, at: at(15)) == [.datagram(frame)])
    let receipt = DatagramFrame.received([.init(messageClass: 1, sequence: 1)])
    #expect(planes.receivedDatagram(receipt.encoded[...], at: at(20)) == [])
    #expect(planes.nextUrgent == nil && planes.urgentCount == 0)
  }

  @Test func anUrgentMessageDoesNotWaitBehindAStalledConnection() throws {
    var planes = SessionPlanes(at: start)
    _ = planes.associated(at: start)
    let sent = try #require(outputs(planes.sendUrgent(1, [7], replacing: nil, backlog: 100, at: start)))
    #expect(sent.count == 1)
    // When what waits there is out, the copy follows, unless it has arrived meanwhile.
    #expect(planes.fillControl(backlog: 0, at: at(1)).count == 1)
    #expect(planes.fillControl(backlog: 0, at: at(1)) == [])
  }

  @Test func withoutDatagramsEverythingGoesOverControl() throws {
    var planes = SessionPlanes(at: start)
    let urgent = try #require(outputs(planes.sendUrgent(1, [7], replacing: nil, backlog: 100, at: start)))
    guard case .control(.relayed) = urgent.first, urgent.count == 1 else {
      Issue.record("\(urgent)")
      return
    }
    let loose = try #require(outputs(planes.sendUnreliable(1, [7], backlog: 0, at: start)))
    guard case .control(.relayed) = loose.first, loose.count == 1 else {
      Issue.record("\(loose)")
      return
    }
    #expect(planes.sendUnreliable(1, [7], backlog: 1, at: start) == .congested)
    #expect(planes.nextUrgent == nil, "nothing to wake up for")
  }

  @Test func urgentMessagesPassTheLog() throws {
    var planes = SessionPlanes(at: start)
    for _ in 0..<10 {
      _ = planes.sendReliable(2, [UInt8](repeating: 0, count: 60_000), backlog: 70_000, at: start)
    }
    _ = planes.sendUrgent(1, [7], replacing: nil, backlog: 70_000, at: start)
    let filled = planes.fillControl(backlog: 0, at: start)
    guard case .control(.relayed) = filled.first else {
      Issue.record("\(filled.count)")
      return
    }
    #expect(filled.count == 3, "two long ones fill the connection's backlog")
  }

  @Test func limitsOfSizeAreThoseOfTheWay() {
    var planes = SessionPlanes(at: start)
    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    #expect(outputs(planes.sendUnreliable(1, bytes(1100), backlog: 0, at: start)) != nil)
    #expect(planes.sendUnreliable(1, bytes(1101), backlog: 0, at: start) == .tooLarge)
    #expect(outputs(planes.sendUrgent(1, bytes(65_536), replacing: nil, backlog: 0, at: start)) != nil)
    #expect(planes.sendUrgent(1, bytes(65_537), replacing: nil, backlog: 0, at: start) == .tooLarge)
    #expect(planes.sendReliable(1, bytes(65_537), backlog: 0, at: start) == .tooLarge)
  }

  @Test func whatWasUrgentIsGivenUpWithTheSilence() {
    var planes = SessionPlanes(at: start)
    _ = planes.associated(at: start)
    _ = planes.sendUrgent(1, [7], replacing: nil, backlog: 0, at: at(7000))
    _ = planes.poll(backlog: 0, at: at(8000))
    #expect(planes.urgentCount == 0)
    let later = planes.receivedDatagram(pong(), at: at(20_000)) + planes.poll(backlog: 0, at: at(20_001))
    for output in later {
      if case .datagram(.message) = output { Issue.record("sent late: \(output)") }
    }
  }

  @Test func afterTheEndNothingCounts() {
    var planes = SessionPlanes(at: start)
    _ = planes.associated(at: start)
    let end = planes.disconnect(.untrusted)
    #expect(end.count == 5 && end.last == .ended(.disconnected(.untrusted)))
    let message = DatagramFrame.message(
      MessageFrame(messageClass: 1, sequence: 1, senderClockMilliseconds: 0, payload: [1]), .urgent(key: nil))
    #expect(planes.receivedDatagram(message.encoded[...], at: at(1)) == [])
    #expect(planes.receivedControl(.relayed(message.encoded[...]), at: at(1)) == [])
    #expect((planes.resumed(received: 0, at: at(1))) == nil)
    #expect(planes.poll(backlog: 0, at: at(60_000)) == [])
  }

  @Test func theOtherSidesCloseEndsIt() {
    var planes = SessionPlanes(at: start)
    _ = planes.associated(at: start)
    let close = DatagramFrame.close(.shuttingDown).encoded[...]
    #expect(planes.receivedDatagram(close, at: at(1)) == [.ended(.left(.shuttingDown, text: ""))])
  }

  static let misfits: [ControlFrame] = [
    .hello(Hello(runID: 1, name: "x")), .invitation(timeLimitSeconds: 1, context: []), .accept,
    .decline(.other, text: ""), .resume(sessionID: [UInt8](repeating: 0, count: 16), received: 0),
    .resumed(received: 0), .purpose(type: 16, payload: []), .acknowledge(count: 1),
  ]

  @Test(arguments: misfits) func aFrameWithoutAPlaceBreaksTheProtocol(frame: ControlFrame) {
    var planes = SessionPlanes(at: start)
    let outputs = planes.receivedControl(frame, at: at(1))
    guard case .ended(.brokeProtocol)? = outputs.last,
      case .control(.goodbye(.protocolError, _))? = outputs.first
    else {
      Issue.record("\(outputs)")
      return
    }
  }

  // MARK: Two sessions over bad lines

  /// Both ends, and lines between them that lose, repeat and overtake; and a control connection that breaks.
  private final class World {
    struct Flight {
      let due: Int
      let order: UInt64
      let toSecond: Bool
      let bytes: [UInt8]
    }

    var random: SplitMix64
    let loss: Double
    let start = ContinuousClock.now
    var now = 0
    var sides: [SessionPlanes]
    var delivered: [[MessageFrame]] = [[], []]
    private var air: [Flight] = []
    private var order: UInt64 = 0
    /// Frames on their way over the control connection, in order; nil while it is broken.
    private var wires: [[ControlFrame]]? = [[], []]
    private var brokenUntil = 0

    init(seed: UInt64, loss: Double) {
      random = SplitMix64(seed: seed)
      self.loss = loss
      sides = [SessionPlanes(at: start), SessionPlanes(at: start)]
      for side in 0...1 { perform(sides[side].associated(at: instant), of: side) }
    }

    var instant: ContinuousClock.Instant { start.advanced(by: .milliseconds(now)) }

    func perform(_ outputs: [Output], of side: Int) {
      for output in outputs {
        switch output {
        case .control(let frame):
          wires?[side].append(frame)
        case .datagram(let frame):
          for _ in 0..<(Double.random(in: 0..<1, using: &random) < loss ? 2 : 1)
          where Double.random(in: 0..<1, using: &random) >= loss {
            order += 1
            air.append(
              Flight(
                due: now + Int.random(in: 1...60, using: &random), order: order, toSecond: side == 0,
                bytes: frame.encoded))
          }
        case .message(let message, _): delivered[side].append(message)
        case .datagramOffer, .fellSilent, .returned, .ended: Issue.record("\(output)")
        }
      }
    }

    func send(_ verdict: SessionPlanes.SendVerdict, of side: Int) -> Bool {
      guard case .sent(let outputs) = verdict else { return false }
      perform(outputs, of: side)
      return true
    }

    func step() {
      now += 1
      let arrived = air.filter { $0.due <= now }.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
      air.removeAll { $0.due <= now }
      for flight in arrived {
        let side = flight.toSecond ? 1 : 0
        perform(sides[side].receivedDatagram(flight.bytes[...], at: instant), of: side)
      }
      moveControl()
      for side in 0...1 { perform(sides[side].poll(backlog: 0, at: instant), of: side) }
    }

    private func moveControl() {
      guard wires != nil else {
        guard now >= brokenUntil else { return }
        wires = [[], []]
        // What each has received when the new connection is opened.
        let counts = sides.map(\.receivedCount)
        for side in 0...1 {
          guard let outputs = sides[side].resumed(received: counts[1 - side], at: instant) else {
            Issue.record("cannot resume")
            return
          }
          perform(outputs, of: side)
        }
        return
      }
      for side in 0...1 {
        // A few at a time, so that a break finds some on their way.
        for _ in 0..<Int.random(in: 0...3, using: &random) where wires?[side].isEmpty == false {
          guard let frame = wires?[side].removeFirst() else { break }
          perform(sides[1 - side].receivedControl(frame, at: instant), of: 1 - side)
        }
      }
      if Double.random(in: 0..<1, using: &random) < 0.005 {
        wires = nil
        brokenUntil = now + Int.random(in: 1...400, using: &random)
        for side in 0...1 { sides[side].controlLost() }
      }
    }
  }

  @Test(arguments: [(1, 0.0), (2, 0.3), (3, 0.5), (4, 0.5), (5, 0.5)] as [(UInt64, Double)])
  func nothingActsTwiceAndWhatMustArriveArrives(seed: UInt64, loss: Double) {
    let world = World(seed: seed, loss: loss)
    var urgent: [[UInt8]] = [[], []]
    var reliable: [[UInt8]] = [[], []]
    for number in 0..<250 {
      for side in 0...1 {
        let payload = [UInt8(number)]
        if world.send(
          world.sides[side].sendUrgent(1, payload, replacing: nil, backlog: 0, at: world.instant), of: side)
        {
          urgent[side].append(UInt8(number))
        }
        if world.send(world.sides[side].sendReliable(2, payload, backlog: 0, at: world.instant), of: side) {
          reliable[side].append(UInt8(number))
        }
        _ = world.send(world.sides[side].sendUnreliable(3, payload, backlog: 0, at: world.instant), of: side)
      }
      for _ in 0..<20 { world.step() }
    }
    for _ in 0..<3000 { world.step() }
    for side in 0...1 {
      let other = 1 - side
      let arrived = world.delivered[other]
      #expect(urgent[side].count == 250 && reliable[side].count == 250)
      #expect(
        arrived.filter { $0.messageClass == 1 }.map { $0.payload[$0.payload.startIndex] }.sorted()
          == urgent[side])
      #expect(
        arrived.filter { $0.messageClass == 2 }.map { $0.payload[$0.payload.startIndex] } == reliable[side])
      let loose = arrived.filter { $0.messageClass == 3 }.map(\.sequence)
      #expect(loose == loose.sorted() && Set(loose).count == loose.count)
      #expect(loose.count > 50)
      #expect(world.sides[side].urgentCount == 0 && world.sides[side].pendingBytes == 0)
    }
  }

  /// The older ones of a key never act after a newer one.
  @Test(arguments: [6, 7, 8] as [UInt64]) func replacedMessagesNeverActLate(seed: UInt64) {
    let world = World(seed: seed, loss: 0.5)
    for number in 0..<200 {
      _ = world.send(
        world.sides[0].sendUrgent(1, [UInt8(number)], replacing: 9, backlog: 0, at: world.instant), of: 0)
      for _ in 0..<15 { world.step() }
    }
    for _ in 0..<2000 { world.step() }
    let values = world.delivered[1].map { $0.payload[$0.payload.startIndex] }
    #expect(values == values.sorted() && Set(values).count == values.count)
    #expect(values.last == 199)
  }
}
