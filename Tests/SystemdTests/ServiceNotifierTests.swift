import Glibc
import ServiceRuntime
import Systemd
import TestSupport
import Testing

/// A socket as systemd has it: bound in the abstract namespace, named in `NOTIFY_SOCKET` of this process.
///
/// The environment belongs to the whole process, so each test is an exit test, which runs in a process of its own.
private struct NotifySocket {
  let descriptor: Int32

  init() {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let name = "drone-control-test-\(getpid())"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name.utf8) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    #expect(bound == 0)
    setenv("NOTIFY_SOCKET", "@\(name)", 1)
  }

  /// The next message, or nil when none waits: a datagram to a local socket is there when the sender's call returns.
  func receive() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}

@Suite struct ServiceNotifierTests {
  @Test func eachChangeIsOneMessage() async {
    await #expect(processExitsWith: .success) {
      let socket = NotifySocket()
      let notifier = ServiceNotifier(logger: .silent)
      notifier.ready(status: "1 client")
      #expect(socket.receive() == "READY=1\nSTATUS=1 client")
      notifier.status("2 clients")
      #expect(socket.receive() == "STATUS=2 clients")
      notifier.reloading(monotonicMicroseconds: 12)
      #expect(socket.receive() == "RELOADING=1\nMONOTONIC_USEC=12")
      notifier.stopping(status: "holding")
      #expect(socket.receive() == "STOPPING=1\nSTATUS=holding")
      #expect(socket.receive() == nil)
    }
  }

  @Test func lineBreakInAStatusStartsNoOtherAssignment() async {
    await #expect(processExitsWith: .success) {
      let socket = NotifySocket()
      ServiceNotifier(logger: .silent).status("Arm: no\nMAINPID=1" + String(repeating: "x", count: 9000))
      let message = socket.receive()
      #expect(message?.contains("\n") == false)
      #expect((message ?? "").utf8.count < 300)
    }
  }

  @Test func watchdogIsFedAtMostEachQuarterOfItsInterval() async {
    await #expect(processExitsWith: .success) {
      let socket = NotifySocket()
      setenv("WATCHDOG_USEC", "10000000", 1)
      setenv("WATCHDOG_PID", "\(getpid())", 1)
      let notifier = ServiceNotifier(logger: .silent)
      #expect(notifier.watchdogInterval == .seconds(10))
      let start = ContinuousClock.now
      var times: [Int] = []
      for millisecond in stride(from: 0, through: 10_000, by: 20) {
        notifier.feed(at: start.advanced(by: .milliseconds(millisecond)))
        if socket.receive() == "WATCHDOG=1" { times.append(millisecond) }
      }
      #expect(times == [0, 2500, 5000, 7500, 10_000])
    }
  }

  @Test func loopThatStandsStillFeedsNothing() async {
    await #expect(processExitsWith: .success) {
      let socket = NotifySocket()
      setenv("WATCHDOG_USEC", "40000", 1)
      setenv("WATCHDOG_PID", "\(getpid())", 1)
      let notifier = ServiceNotifier(logger: .silent)
      notifier.feed(at: .now)
      #expect(socket.receive() == "WATCHDOG=1")
      usleep(100_000)
      #expect(socket.receive() == nil)
    }
  }

  @Test func watchdogOfAnotherProcessIsNotOurs() async {
    await #expect(processExitsWith: .success) {
      let socket = NotifySocket()
      setenv("WATCHDOG_USEC", "10000000", 1)
      setenv("WATCHDOG_PID", "1", 1)
      let notifier = ServiceNotifier(logger: .silent)
      #expect(notifier.watchdogInterval == nil)
      notifier.feed(at: .now)
      #expect(socket.receive() == nil)
    }
  }

  @Test func nothingHappensWithoutSystemd() async {
    await #expect(processExitsWith: .success) {
      unsetenv("NOTIFY_SOCKET")
      unsetenv("WATCHDOG_USEC")
      let capture = LogCapture()
      let notifier = ServiceNotifier(logger: capture.logger)
      notifier.ready(status: "")
      notifier.feed(at: .now)
      notifier.stopping(status: "")
      #expect(notifier.watchdogInterval == nil)
      #expect(capture.messages.isEmpty)
    }
  }

  @Test func vanishedSocketIsReportedOnce() async {
    await #expect(processExitsWith: .success) {
      setenv("NOTIFY_SOCKET", "/nowhere/notify", 1)
      let capture = LogCapture()
      let notifier = ServiceNotifier(logger: capture.logger)
      for _ in 0..<3 { notifier.status("x") }
      #expect(capture.messages == ["cannot notify systemd"])
    }
  }
}
