import CLinux
import Glibc
import JSONText
import LinkImpairment
import ServiceRuntime
import TestSupport
import Testing

/// The program between two namespaces; sockets of this process inside each.
@Suite(.enabled(if: canRun, "needs root and network namespaces"), .serialized, .timeLimit(.minutes(1)))
struct LinkProgramTests {
  /// A packet that arrived.
  private struct Arrival {
    let number: Int
    /// From sending to arrival.
    let after: Duration
  }

  private let a: NetworkNamespace
  private let b: NetworkNamespace
  private let program: ChildProcess

  init() throws {
    a = try NetworkNamespace("new")
    b = try NetworkNamespace("new")
    program = try ChildProcess([builtProgram, "--seed", "5", a.path, b.path, "delay 20ms"], quiet: false)
    let ready = try JSON.parse(#require(program.readLine(within: .seconds(10))))
    #expect(ready["event"]?.string == "ready")
  }

  private func tell(_ line: String) throws -> JSON {
    program.send(line)
    return try JSON.parse(#require(program.readLine(within: .seconds(5))))
  }

  private func counters(_ direction: Direction) throws -> JSON {
    try #require(try tell("counters")[direction.rawValue])
  }

  /// Sends numbered packets from a to b, one every `interval`, and collects what arrives.
  private func send(
    _ count: Int, every interval: Duration, byteCount: Int = 100, to address: String = "10.99.0.2"
  ) throws -> [Arrival] {
    let sender = try UDPSocket(in: a)
    let receiver = try UDPSocket(in: b, port: 5000)
    let start = ContinuousClock.now
    var arrivals: [Arrival] = []
    var sent: [ContinuousClock.Instant] = []
    func collect() {
      while let number = receiver.receive() {
        arrivals.append(Arrival(number: number, after: sent[number].duration(to: .now)))
      }
    }
    for number in 0..<count {
      while ContinuousClock.now < start.advanced(by: interval * number) { collect() }
      sent.append(.now)
      sender.send(number, byteCount: byteCount, to: address, port: 5000)
    }
    // What is under way, and a machine that is busy with something else.
    let end = ContinuousClock.now.advanced(by: .milliseconds(500))
    while ContinuousClock.now < end, arrivals.count < count {
      collect()
      usleep(100)
    }
    return arrivals
  }

  /// Whether packets came as they were sent. The kernel queues what is written to a TAP device on the processor that
  /// writes; when the scheduler moves the program, what waits on the old processor may come after what follows it. That
  /// happens a few times in many thousand packets on a busy machine, and is not the program's order.
  private func isInOrder(_ arrivals: [Arrival]) -> Bool {
    let steps = zip(arrivals, arrivals.dropFirst())
    return steps.count { $0.number > $1.number } <= 1 + arrivals.count / 2000
  }

  @Test func packetsArriveInOrderAfterTheDelay() throws {
    let arrivals = try send(500, every: .milliseconds(1))
    #expect(arrivals.map(\.number).sorted() == Array(0..<500))
    #expect(isInOrder(arrivals))
    let delays = arrivals.map(\.after).sorted()
    // Never earlier, and at the median (single packets wait for a busy machine) hardly later.
    #expect(delays[0] >= .milliseconds(20))
    #expect(delays[delays.count / 2] < .milliseconds(23))
  }

  @Test func aShareIsLostAndCounted() throws {
    _ = try tell("loss 30%")
    let count = 3000
    let arrivals = try send(count, every: .microseconds(200))
    let share = 1 - Double(arrivals.count) / Double(count)
    #expect(abs(share - 0.3) < 5 * (0.3 * 0.7 / Double(count)).squareRoot())
    #expect(isInOrder(arrivals))
    // The kernel sends some packets of its own.
    let lost = try #require(try counters(.aToB)["lost"]?.integer)
    #expect((0..<10).contains(Int(lost) - (count - arrivals.count)))
  }

  @Test func manyPacketsASecondPassWithoutLoss() throws {
    let count = 20_000
    let arrivals = try send(count, every: .microseconds(50))
    let counters = try counters(.aToB)
    #expect(counters["failed"]?.integer == 0)
    #expect(arrivals.count == count, "\(counters)")
    #expect(Set(arrivals.map(\.number)).count == count)
    #expect(isInOrder(arrivals))
  }

  @Test func aRateHoldsBackAndDropsTheRest() throws {
    _ = try tell("delay 0ms")
    _ = try tell("rate 1mbit")
    _ = try tell("queue 20kB")
    // 100 packets of about 1000 bytes at once: 20 have room, one each 8.5 ms.
    let arrivals = try send(100, every: .zero, byteCount: 1000)
    #expect((18...21).contains(arrivals.count))
    #expect(try #require(arrivals.last).after > .milliseconds(140))
    #expect(try counters(.aToB)["overflowed"]?.integer == Int64(100 - arrivals.count))
  }

  @Test func aCutPassesNothingAndEndsWithRestore() throws {
    #expect(try send(10, every: .zero).count == 10)
    _ = try tell("cut a-to-b")
    #expect(try send(10, every: .zero).isEmpty)
    _ = try tell("restore")
    #expect(try send(10, every: .zero).count == 10)
  }

  @Test func jitterChangesTheOrder() throws {
    _ = try tell("jitter 10ms")
    let numbers = try send(300, every: .milliseconds(1)).map(\.number)
    #expect(numbers.count == 300)
    #expect(numbers != numbers.sorted())
  }

  @Test func duplicatesArriveTwice() throws {
    _ = try tell("duplicate 100%")
    let arrivals = try send(10, every: .zero)
    #expect(arrivals.count > 10)
    #expect(Set(arrivals.map(\.number)).isSubset(of: 0..<10))
  }

  @Test func ipVersion6AndMulticastPass() throws {
    #expect(try send(10, every: .zero, to: "fe80::ff:fe00:2%radio0").count == 10)
    #expect(try send(10, every: .zero, to: "ff02::1%radio0").count == 10)
    _ = try tell("drop udp")
    #expect(try send(10, every: .zero, to: "fe80::ff:fe00:2%radio0").isEmpty)
    #expect(try send(10, every: .zero, to: "ff02::1%radio0").count == 10)
  }

  @Test func aWrongLineIsAnsweredAndChangesNothing() throws {
    #expect(try tell("loss 7")["event"]?.string == "error")
    #expect(try send(10, every: .zero).count == 10)
  }

  @Test func theProgramEndsWithItsInput() throws {
    program.closeInput()
    #expect(program.exitCode(within: .seconds(5)) == 0)
  }

  @Test(arguments: [["1"], ["new", "new", "explode"], ["--mtu", "1", "new", "new"]])
  func whatItCannotUnderstandIsUsage(_ arguments: [String]) throws {
    #expect(try ChildProcess([builtProgram] + arguments).exitCode(within: .seconds(5)) == 64)
  }

  @Test func aNamespaceThatIsNotThereIsNamed() throws {
    let program = try ChildProcess(["sh", "-c", "\"$@\" 2>&1", "sh", builtProgram, "/nonexistent", "new"])
    #expect(program.readLine(within: .seconds(5))?.contains("/nonexistent") == true)
    #expect(program.exitCode(within: .seconds(5)) == 78)
  }
}
