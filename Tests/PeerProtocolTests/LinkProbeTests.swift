import PeerProtocol
import Testing

/// How well datagrams go, as the session's pings tell.
@Suite struct LinkProbeTests {
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  /// A session for a while: every ping gets the answer that the test says, after its time.
  private func quality(
    seconds: Int, answer: (_ number: UInt32) -> Int?
  ) -> LinkQuality? {
    var planes = SessionPlanes(at: start)
    var answers: [(at: Int, number: UInt32)] = []
    func note(_ outputs: [SessionPlanes.Output], _ time: Int) {
      for case .datagram(.ping(let number, _)) in outputs {
        if let delay = answer(number) { answers.append((time + delay, number)) }
      }
    }
    note(planes.associated(at: at(0)), 0)
    for time in stride(from: 10, through: seconds * 1000, by: 10) {
      note(planes.poll(backlog: 0, at: at(time)), time)
      for due in answers where due.at <= time {
        _ = planes.receivedDatagram(
          DatagramFrame.pong(number: due.number, received: 0).encoded[...], at: at(due.at))
      }
      answers.removeAll { $0.at <= time }
    }
    return planes.datagramQuality(at: at(seconds * 1000))
  }

  struct Way: Sendable {
    let name: String
    let seconds: Int
    let answer: @Sendable (UInt32) -> Int?
    let quality: LinkQuality?
  }

  static let ways = [
    Way(
      name: "good", seconds: 10, answer: { _ in 20 },
      quality: LinkQuality(answeredPercent: 100, roundTrip: .milliseconds(20))),
    Way(
      name: "slow", seconds: 10, answer: { _ in 600 },
      quality: LinkQuality(answeredPercent: 100, roundTrip: .milliseconds(600))),
    Way(
      name: "a quarter lost", seconds: 30, answer: { $0.isMultiple(of: 4) ? nil : 20 },
      quality: LinkQuality(answeredPercent: 75, roundTrip: .milliseconds(20))),
    Way(
      name: "dead", seconds: 30, answer: { _ in nil },
      quality: LinkQuality(answeredPercent: 0, roundTrip: nil)),
    Way(
      name: "dead for long, good now", seconds: 30, answer: { $0 < 30 ? nil : 20 },
      quality: LinkQuality(answeredPercent: 100, roundTrip: .milliseconds(20))),
    Way(name: "too new to tell", seconds: 0, answer: { _ in 20 }, quality: nil),
  ]

  @Test(arguments: ways.indices) func shareAndTimeAreThoseOfTheLastSeconds(_ index: Int) {
    let way = Self.ways[index]
    let told = quality(seconds: way.seconds, answer: way.answer)
    // The newest question may still be on its way.
    #expect(abs((told?.answeredPercent ?? -1) - (way.quality?.answeredPercent ?? -1)) <= 5, "\(way.name)")
    #expect(told?.roundTrip == way.quality?.roundTrip, "\(way.name)")
  }

  @Test func withoutAnAssociationNothingIsTold() {
    var planes = SessionPlanes(at: start)
    #expect(planes.datagramQuality(at: at(5000)) == nil)
    _ = planes.associated(at: start)
    for time in stride(from: 250, through: 5000, by: 250) { _ = planes.poll(backlog: 0, at: at(time)) }
    #expect(planes.datagramQuality(at: at(5000))?.answeredPercent == 0)
    planes.dissociated()
    #expect(planes.datagramQuality(at: at(5000)) == nil)
  }
}
