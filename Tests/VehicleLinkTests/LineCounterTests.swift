import MAVLink
import Testing

@testable import VehicleLink

@Suite struct LineCounterTests {
  @Test func countsGoOnOverALoss() {
    var counter = LineCounter()
    counter.opened()
    var first = StreamCounters()
    first.bytes = 100
    first.checksumErrors = 2
    counter.closed(first)
    counter.opened()
    var second = StreamCounters()
    second.bytes = 10
    let statistics = counter.statistics(isOpen: true, second)
    #expect(statistics.bytes == 110)
    #expect(statistics.checksumErrors == 2)
    #expect(statistics.openings == 2)
  }
}
