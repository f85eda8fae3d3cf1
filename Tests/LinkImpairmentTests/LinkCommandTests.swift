import LinkImpairment
import Testing

struct LinkCommandTests {
  private static let both: Set<Direction> = [.aToB, .bToA]

  @Test(arguments: [
    ("delay 20ms", ImpairmentChange.delay(.milliseconds(20))),
    ("delay 1.5s", .delay(.milliseconds(1500))),
    ("jitter 250us", .jitter(.microseconds(250))),
    ("loss 0.25", .loss(0.25)),
    ("loss 50%", .loss(0.5)),
    ("duplicate 1%", .duplicates(0.01)),
    ("rate 2mbit", .rate(bitsPerSecond: 2e6)),
    ("rate 9600bit", .rate(bitsPerSecond: 9600)),
    ("rate off", .rate(bitsPerSecond: nil)),
    ("queue 64kB", .queue(byteCount: 64_000)),
    ("drop udp", .block([.udp])),
    ("drop none", .block([])),
    ("bands on", .bands(true)),
    ("cut", .cut),
    ("restore", .restore),
  ])
  func aLineSaysAChange(_ line: String, _ change: ImpairmentChange) throws {
    #expect(try LinkCommand.parse(line) == .change(change, LinkCommandTests.both))
    #expect(try LinkCommand.parse(line + " a-to-b") == .change(change, [.aToB]))
    #expect(try LinkCommand.parse(line + " b-to-a") == .change(change, [.bToA]))
  }

  @Test(arguments: [
    "", "a-to-b", "delay", "delay 20", "delay -1ms", "delay 61s", "delay nanms", "loss 2", "loss 101%",
    "loss -0.1",
    "rate 0mbit", "rate fast", "queue 0B", "drop everything", "drop neighbour", "cut now", "loss 0.1 a-to-c",
    "explode 3",
  ])
  func aWrongLineIsRefused(_ line: String) {
    #expect(throws: LinkCommand.ParseError.self) { try LinkCommand.parse(line) }
  }

  @Test func theCountersAreAsked() throws {
    #expect(try LinkCommand.parse("counters") == .counters)
  }
}
