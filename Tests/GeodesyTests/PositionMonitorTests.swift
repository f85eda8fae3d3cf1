import Geodesy
import Testing

struct PositionMonitorTests {
  private let start = ContinuousClock.now
  private let place = Coordinate(latitude: 47.397742, longitude: 8.545594)

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
  private func fix(at seconds: Double, mode: Fix.Mode = .threeDimensional) -> Fix {
    Fix(mode: mode, coordinate: place, receivedAt: at(seconds), horizontalErrorMeters: 4)
  }
  private func noFix(at seconds: Double) -> Fix {
    Fix(mode: .none, coordinate: nil, receivedAt: at(seconds))
  }

  enum Input: Sendable {
    case connected
    case disconnected(Double)
    case fix(Double)
    case noFix(Double)
  }
  enum Expected: Sendable {
    case waiting(PositionStatus.WaitingReason)
    case fix
    case lostFix(Double)
    case stale(Double)
    case unreachable(Double)
  }
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let inputs: [Input]
    let askedAt: Double
    let expected: Expected
    let isUsable: Bool
  }

  static let rows = [
    Row(
      testDescription: "nothing yet", inputs: [], askedAt: 0, expected: .waiting(.connecting), isUsable: false
    ),
    Row(
      testDescription: "no receiver", inputs: [.connected], askedAt: 60, expected: .waiting(.noReport),
      isUsable: false),
    Row(
      testDescription: "receiver starts", inputs: [.connected, .noFix(1)], askedAt: 1,
      expected: .waiting(.noFix),
      isUsable: false),
    Row(testDescription: "fix", inputs: [.connected, .fix(1)], askedAt: 1, expected: .fix, isUsable: true),
    Row(
      testDescription: "fix just fresh", inputs: [.connected, .fix(1)], askedAt: 3.999, expected: .fix,
      isUsable: true
    ),
    Row(
      testDescription: "silent receiver", inputs: [.connected, .fix(1)], askedAt: 4, expected: .stale(3),
      isUsable: false),
    Row(
      testDescription: "lost fix counts at once", inputs: [.connected, .fix(1), .noFix(1.1)], askedAt: 1.2,
      expected: .lostFix(1.1), isUsable: false),
    Row(
      testDescription: "lost since the first report without",
      inputs: [.connected, .fix(1), .noFix(2), .noFix(3)], askedAt: 9, expected: .lostFix(2), isUsable: false),
    Row(
      testDescription: "found again", inputs: [.connected, .fix(1), .noFix(2), .fix(3)], askedAt: 3,
      expected: .fix,
      isUsable: true),
    Row(
      testDescription: "late no-fix report of before the fix",
      inputs: [.connected, .fix(2), .noFix(1)], askedAt: 2, expected: .fix, isUsable: true),
    Row(
      testDescription: "never reached", inputs: [.disconnected(1), .disconnected(5)], askedAt: 9,
      expected: .unreachable(1), isUsable: false),
    Row(
      testDescription: "gone a moment ago", inputs: [.connected, .fix(1), .disconnected(2)], askedAt: 3,
      expected: .unreachable(2), isUsable: true),
    Row(
      testDescription: "gone for long", inputs: [.connected, .fix(1), .disconnected(2)], askedAt: 4,
      expected: .unreachable(2), isUsable: false),
    Row(
      testDescription: "back without a report", inputs: [.connected, .fix(1), .disconnected(2), .connected],
      askedAt: 9, expected: .stale(8), isUsable: false),
    Row(
      testDescription: "back with a fix",
      inputs: [.connected, .fix(1), .disconnected(2), .connected, .fix(9)],
      askedAt: 9, expected: .fix, isUsable: true),
  ]

  @Test("The status and the usable position follow from the events and the time", arguments: rows)
  func table(row: Row) {
    var monitor = PositionMonitor()
    for input in row.inputs {
      switch input {
      case .connected: monitor.connected()
      case .disconnected(let seconds): monitor.disconnected(reason: "gone", at: at(seconds))
      case .fix(let seconds): monitor.received(fix(at: seconds))
      case .noFix(let seconds): monitor.received(noFix(at: seconds))
      }
    }
    let expected: PositionStatus =
      switch row.expected {
      case .waiting(let reason): .waiting(reason)
      case .fix: .fix(fix(at: lastFixTime(row.inputs)))
      case .lostFix(let since): .lostFix(since: at(since))
      case .stale(let age): .stale(last: fix(at: lastFixTime(row.inputs)), age: .seconds(age))
      case .unreachable(let since): .unreachable(reason: "gone", since: at(since))
      }
    #expect(monitor.status(at: at(row.askedAt)) == expected)
    #expect((monitor.position(at: at(row.askedAt)) != nil) == row.isUsable)
  }

  private func lastFixTime(_ inputs: [Input]) -> Double {
    inputs.reduce(0) { if case .fix(let seconds) = $1 { seconds } else { $0 } }
  }

  @Test("A usable position carries its age and error")
  func age() throws {
    var monitor = PositionMonitor()
    monitor.connected()
    monitor.received(fix(at: 1, mode: .twoDimensional))
    let position = try #require(monitor.position(at: at(2.5)))
    #expect(position.coordinate == place)
    #expect(position.age == .seconds(1.5))
    #expect(position.horizontalErrorMeters == 4)
  }

  @Test("A receiver that says 0,0 has no fix")
  func nullIsland() {
    var monitor = PositionMonitor()
    monitor.connected()
    let zero = Coordinate(latitude: 0, longitude: 0)
    monitor.received(Fix(mode: .threeDimensional, coordinate: zero, receivedAt: at(1)))
    #expect(monitor.status(at: at(1)) == .waiting(.noFix))
    #expect(monitor.position(at: at(1)) == nil)
  }

  @Test("The freshness can be chosen")
  func freshness() {
    var monitor = PositionMonitor(freshness: .seconds(1))
    monitor.connected()
    monitor.received(fix(at: 0))
    #expect(monitor.position(at: at(0.9)) != nil)
    #expect(monitor.position(at: at(1)) == nil)
  }

  @Test("Each change of the status is told once, new fixes and repeated failures are not changes")
  func changes() {
    var monitor = PositionMonitor()
    var changes: [PositionStatus] = []
    func look(at seconds: Double) {
      if let change = monitor.statusChange(at: at(seconds)) { changes.append(change) }
    }
    look(at: 0)
    monitor.disconnected(reason: "refused", at: at(1))
    look(at: 1)
    monitor.disconnected(reason: "refused", at: at(2))
    look(at: 2)
    monitor.connected()
    monitor.received(fix(at: 3))
    look(at: 3)
    monitor.received(fix(at: 4))
    look(at: 4)
    look(at: 7)
    look(at: 8)
    #expect(
      changes == [
        .unreachable(reason: "refused", since: at(1)), .fix(fix(at: 3)),
        .stale(last: fix(at: 4), age: .seconds(3)),
      ])
  }

  @Test("A chosen coordinate is always fresh, and never 0,0")
  func fixed() throws {
    let chosen = try #require(place)
    let source = try #require(FixedPosition(chosen))
    #expect(source.position(at: at(100_000))?.coordinate == place)
    #expect(source.position(at: at(100_000))?.age == .zero)
    let zero = try #require(Coordinate(latitude: 0, longitude: 0))
    #expect(FixedPosition(zero) == nil)
  }
}
