import FlightLog
import JSONText
import Testing

struct WallClock {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
      (1_772_323_199_999, "2026-02-28T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)]) func isWrittenAndReadAsRFC3339(_ milliseconds: Int64, _ text: String)
  {
    #expect(WallClockTime(unixMilliseconds: milliseconds).description == text)
    #expect(WallClockTime(rfc3339: text)?.unixMilliseconds == milliseconds)
  }

  @Test func everyDayOfFourCenturiesReadsBack() {
    for day in Int64(-10000)..<140_000 {
      let time = WallClockTime(unixMilliseconds: day * 86_400_000)
      #expect(WallClockTime(rfc3339: time.description) == time)
    }
  }

  static let now = WallClockTime(rfc3339: "2026-05-01T12:30:00Z")!

  @Test(arguments: [
    ("2026-05-01T10:00:00+02:00", "2026-05-01T08:00:00.000Z"), ("10m", "2026-05-01T12:20:00.000Z"),
    ("2h", "2026-05-01T10:30:00.000Z"), ("90s", "2026-05-01T12:28:30.000Z"),
    ("1d", "2026-04-30T12:30:00.000Z"),
    // Two hours east it is 14:30.
    ("14:00", "2026-05-01T12:00:00.000Z"), ("15:00", "2026-04-30T13:00:00.000Z"),
    ("0:05", "2026-04-30T22:05:00.000Z"),
  ]) func sinceIsUnderstood(_ text: String, _ expected: String) {
    #expect(WallClockTime(since: text, now: Self.now, secondsEastOfUTC: 7200)?.description == expected)
  }

  @Test(arguments: [
    "", "x", "25:00", "12:60", "1:2", "-5m", "5", "m", "5w", "9999999999m", "2026-02-30T00:00:00Z",
    "2026-05-01",
    "2026-05-01T12:00:00", "2026-05-01T12:00:00.Z", "2026-05-01T12:00:00Zx", "2026-13-01T00:00:00Z", "é0m",
  ]) func anythingElseIsRefused(_ text: String) {
    #expect(WallClockTime(since: text, now: Self.now, secondsEastOfUTC: 0) == nil)
  }
}

struct Records {
  static let record = FlightRecord(
    time: WallClockTime(rfc3339: "2026-05-01T12:00:00.250Z")!, monotonicSeconds: 12.5, event: .outcome,
    client: "Ground \"1\"\u{1B}[2J,", clientID: "ab", sequence: 7, command: "takeoff",
    details: ["result": "accepted", "after": 0.21, "time": "not replaced"])

  @Test func areOneJSONLineThatReadsBack() {
    let text =
      #"{"time":"2026-05-01T12:00:00.250Z","monotonic":12.5,"event":"outcome","client":"Ground \"1\"\u001b[2J,","#
      + #""client.id":"ab","sequence":7,"command":"takeoff","result":"accepted","after":0.21}"#
    #expect(Self.record.json.text == text)
    #expect(FlightRecord(line: Array(text.utf8))?.json == Self.record.json)
  }

  @Test func areSafeOnTerminalsAndQuotedInCSV() {
    #expect(
      Self.record.text
        == #"2026-05-01T12:00:00.250Z outcome client="Ground "1"\u{1b}[2J," sequence=7 takeoff result=accepted after=0.21 time="not replaced""#
    )
    let csv = Self.record.csv
    #expect(
      csv.hasPrefix(
        #"2026-05-01T12:00:00.250Z,12.5,outcome,"Ground ""1""\u{1b}[2J,",ab,7,takeoff,"{""result"""#))
    #expect(!csv.unicodeScalars.contains { $0.properties.generalCategory == .control })
  }

  @Test(arguments: ["", "{}", "[]", "null", #"{"time":"x","monotonic":1,"event":"sent"}"#, "\u{0}", "{"])
  func otherLinesAreNone(_ line: String) { #expect(FlightRecord(line: line.utf8) == nil) }
}
