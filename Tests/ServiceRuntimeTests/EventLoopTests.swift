import Glibc
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventLoopTests {
  @Test func timersRunInOrderOfTheirDeadlines() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    loop.schedule(after: .milliseconds(4)) { order.append(2) }
    loop.schedule(after: .milliseconds(1)) { order.append(1) }
    loop.schedule(after: .milliseconds(8)) {
      order.append(3)
      loop.stop()
    }
    loop.run()
    #expect(order == [1, 2, 3])
  }

  @Test func aCancelledTimerDoesNotRun() throws {
    let loop = try EventLoop()
    var ran = false
    let timer = loop.schedule(after: .milliseconds(1)) { ran = true }
    timer.cancel()
    timer.cancel()
    loop.schedule(after: .milliseconds(5)) { loop.stop() }
    loop.run()
    #expect(!ran)
  }

  @Test func aHandlerMayCancelAnotherTimerOfTheSameInstant() throws {
    let loop = try EventLoop()
    let deadline = loop.now.advanced(by: .milliseconds(2))
    var second: ScheduledTimer?
    var ran = false
    loop.schedule(at: deadline) { second?.cancel() }
    second = loop.schedule(at: deadline) { ran = true }
    loop.schedule(after: .milliseconds(6)) { loop.stop() }
    loop.run()
    #expect(!ran)
  }

  /// What SIGSTOP and SIGCONT do to a wait: it ends with EINTR and late. A signal whose handler takes its time does the same.
  @Test func whatCameDuringAFreezeIsReadBeforeTimersThatAreLate() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    signal(SIGUSR1) { _ in usleep(300_000) }
    defer { signal(SIGUSR1, SIG_DFL) }
    let loop = try EventLoop()
    var order: [String] = []
    let watch = try loop.watch(ends[0], for: .readable) { _ in
      order.append("read")
      loop.stop()
    }
    loop.schedule(after: .milliseconds(200)) {
      order.append("silence")
      loop.stop()
    }
    let (thread, sending) = (pthread_self(), ends[1])
    let freezer = try WorkerThread(name: "freezer") {
      usleep(50_000)
      pthread_kill(thread, SIGUSR1)
      // Within the handler's time, after the wait has ended.
      usleep(100_000)
      write(sending, "x", 1)
    }
    let start = loop.now
    loop.run()
    // It was frozen beyond the deadline of the timer.
    #expect(start.duration(to: loop.now) >= .milliseconds(300))
    freezer.join()
    watch.cancel()
    #expect(order.first == "read")
  }

  @Test func aRepeatingTimerStopsFromItsOwnHandler() throws {
    let loop = try EventLoop()
    var count = 0
    var timer: RepeatingTimer?
    timer = loop.repeating(every: .milliseconds(1)) {
      count += 1
      if count == 3 { timer?.cancel() }
    }
    loop.schedule(after: .milliseconds(20)) { loop.stop() }
    loop.run()
    #expect(count == 3)
  }

  @Test func messagesOfAnotherThreadArriveInOrderOnTheLoop() throws {
    let loop = try EventLoop()
    var received: [Int] = []
    let receiver = try loop.receive(Int.self, capacity: 1000) { received.append($0) }
    let inbox = receiver.inbox
    let worker = try WorkerThread(name: "sender") { for value in 0..<500 { inbox.send(value) } }
    #expect(loop.runUntil { received.count == 500 })
    worker.join()
    #expect(received == Array(0..<500))
  }

  @Test func aFullInboxRefusesInsteadOfGrowing() throws {
    let loop = try EventLoop()
    let receiver = try loop.receive(Int.self, capacity: 2) { _ in }
    #expect(receiver.inbox.send(1))
    #expect(receiver.inbox.send(2))
    #expect(!receiver.inbox.send(3))
    receiver.close()
    #expect(!receiver.inbox.send(4))
  }
}

@Suite(.timeLimit(.minutes(1))) struct DescriptorChannelTests {
  /// Two connected channels.
  private func pair(_ loop: EventLoop, backlog: Int = 1 << 20) throws -> (
    DescriptorChannel, DescriptorChannel
  ) {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (
      try DescriptorChannel(ends[0], name: "a", maximumBacklog: backlog, on: loop),
      try DescriptorChannel(ends[1], name: "b", maximumBacklog: backlog, on: loop)
    )
  }

  @Test func bytesBeyondTheKernelsBufferArriveWholeAndInOrder() throws {
    let loop = try EventLoop()
    let (a, b) = try pair(loop)
    let sent = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var received: [UInt8] = []
    b.onBytes = { received += $0 }
    #expect(a.write(sent))
    #expect(a.pendingByteCount > 0)
    #expect(loop.runUntil { received.count == sent.count })
    #expect(received == sent)
    #expect(a.pendingByteCount == 0)
  }

  @Test func aFullBacklogRefusesTheWholeWrite() throws {
    let loop = try EventLoop()
    let (a, b) = try pair(loop, backlog: 1000)
    b.setReading(false)
    while a.write([UInt8](repeating: 1, count: 900)) {}
    #expect(a.pendingByteCount <= 1000)
  }

  @Test func theEndOfThePeerIsReportedOnceAfterItsLastBytes() throws {
    let loop = try EventLoop()
    let (a, b) = try pair(loop)
    var events: [String] = []
    b.onBytes = { events.append("bytes \($0.count)") }
    b.onEnd = { events.append("end \($0)") }
    #expect(a.write([1, 2, 3]))
    a.close()
    #expect(loop.runUntil { events.count >= 2 })
    #expect(events == ["bytes 3", "end the other end closed"])
    #expect(!b.write([1]))
  }
}

@Suite struct BackoffTests {
  @Test func delaysDoubleUpToTheMaximumAndStartAgainAfterSuccess() {
    var backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(3))
    #expect(
      (0..<5).map { _ in backoff.nextDelay() } == [
        .milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3),
      ])
    backoff.reset()
    #expect(backoff.nextDelay() == .milliseconds(500))
  }

  @Test func faultsWithinAPeriodBecomeOneCount() {
    var counter = FaultCounter(period: .seconds(10))
    let start = ContinuousClock.now
    #expect(counter.record(at: start) == 1)
    for second in 1..<10 { #expect(counter.record(at: start.advanced(by: .seconds(second))) == nil) }
    #expect(counter.record(at: start.advanced(by: .seconds(10))) == 10)
  }
}

@Suite struct LoggerTests {
  @Test func levelsBelowTheThresholdAreNotBuilt() {
    let capture = LogCapture()
    let logger = capture.logger
    logger.setLevel(.notice)
    logger.info("hidden")
    logger.error("shown")
    #expect(capture.messages == ["shown"])
  }

  @Test func controlCharactersAreShownNotObeyed() {
    #expect("a\u{1b}[2Jb\u{9b}c".escapingControlCharacters == "a\\u{1b}[2Jb\\u{9b}c")
    #expect("Grüße".escapingControlCharacters == "Grüße")
  }
}

@Suite struct FilesTests {
  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func whatRootWritesBelongsToTheOwnerOfTheDirectory() throws {
    let directory = try TemporaryDirectory()
    func owner(_ name: String) -> UInt32? {
      var information = stat()
      return lstat("\(directory.path)/\(name)", &information) == 0 ? information.st_uid : nil
    }
    try Files.replace("\(directory.path)/mine", with: [1], mode: 0o600)
    try #require(chown(directory.path, 65534, 65534) == 0)
    try Files.replace("\(directory.path)/trust", with: [1], mode: 0o600)
    try Files.replace("\(directory.path)/trust", with: [2], mode: 0o600)
    #expect(owner("mine") == 0)
    #expect(owner("trust") == 65534)
    #expect(directory.mode(of: "trust") == 0o600)
    // A file with content was not made now: its owner stays.
    let descriptor = open("\(directory.path)/mine", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    Files.giveToOwnerOfDirectory(descriptor, at: "\(directory.path)/mine")
    #expect(owner("mine") == 0)
  }

  @Test func replacingAFileIsWholeAndKeepsTheMode() throws {
    let directory = "/tmp/files-test-\(getpid())/deep/er"
    try Files.makeDirectory(directory, mode: 0o700)
    defer { _ = system("rm -r /tmp/files-test-\(getpid())") }
    try Files.replace("\(directory)/key", with: [1, 2, 3], mode: 0o600)
    try Files.replace("\(directory)/key", with: [4], mode: 0o600)
    #expect(try Files.read("\(directory)/key", maximumBytes: 10) == [4])
    var status = stat()
    #expect(stat("\(directory)/key", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(throws: SystemError("read \(directory)/key", code: EFBIG)) {
      try Files.read("\(directory)/key", maximumBytes: 0)
    }
  }
}
