import ServiceRuntime
import TestSupport
import Testing

@Suite struct LogThrottleTests {
  private let start = ContinuousClock.now

  private func record(
    _ text: String, level: Logger.Level = .warning, _ fields: [(key: String, value: String)] = []
  ) -> Logger.Record { Logger.Record(level: level, message: text, fields: fields) }

  @Test func aKindIsWrittenTenTimesAndThenCounted() {
    var throttle = LogThrottle()
    var written = 0
    for number in 0..<500 {
      let now = start.advanced(by: .milliseconds(100 * number))
      written += throttle.admit(record("no MAVLink: \(number) bytes"), at: now).count
    }
    #expect(written == 10)
    let after = throttle.admit(record("something else"), at: start.advanced(by: .seconds(61)))
    #expect(after.map(\.message) == ["no MAVLink: 499 bytes", "something else"])
    #expect(after[0].fields.map(\.key) == ["log.repeated", "log.seconds"])
    #expect(after[0].fields.map(\.value) == ["490", "61"])
    let anew = throttle.admit(record("no MAVLink: 500 bytes"), at: start.advanced(by: .seconds(62)))
    #expect(anew.count == 1)
  }

  @Test func identitiesAndPortsMakeNoNewKind() {
    var throttle = LogThrottle()
    var random = SplitMix64(seed: 7)
    var written = 0
    for _ in 0..<200 {
      let id = String(random.next(), radix: 16)
      let one = record(
        "refused 10.0.0.\(random.next() % 250):\(random.next() % 60000)", [("peer.id", "0\(id)")])
      written += throttle.admit(one, at: start).count
    }
    #expect(written == 10)
  }

  @Test func kindsAreToldApart() {
    var throttle = LogThrottle()
    for _ in 0..<10 { #expect(throttle.admit(record("one"), at: start).count == 1) }
    #expect(throttle.admit(record("one"), at: start).isEmpty)
    #expect(throttle.admit(record("two"), at: start).count == 1)
    #expect(throttle.admit(record("one", level: .error), at: start).count == 1)
    #expect(throttle.admit(record("one", [("reason", "other")]), at: start).count == 1)
  }

  @Test func everNewTextsAreBoundedToo() {
    var throttle = LogThrottle()
    var written = 0
    for first in "abcdefghijklmnopqrstuvwxyz" {
      for second in "ghijklmnopqrstuvwxyz" {
        for _ in 0..<2 { written += throttle.admit(record("\(first)\(second)"), at: start).count }
      }
    }
    #expect(written == 64 * 2 + 10)
  }

  @Test func detailsThatWereAskedForAreWritten() {
    var throttle = LogThrottle()
    for _ in 0..<100 { #expect(throttle.admit(record("x", level: .info), at: start).count == 1) }
  }
}
