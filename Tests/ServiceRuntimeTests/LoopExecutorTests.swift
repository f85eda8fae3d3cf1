import Glibc
import ServiceRuntime
import Synchronization
import Testing

/// An actor that lives on a loop and counts.
private actor Counter {
  private let executor: LoopExecutor
  private(set) var value = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(on executor: LoopExecutor) { self.executor = executor }

  func increment() -> Bool {
    value += 1
    return executor.isOnLoop
  }

  /// A timer of the loop enters the actor without a hop.
  func incrementByTimer() async {
    await withCheckedContinuation { continuation in
      executor.loop.schedule(after: .milliseconds(1)) {
        self.assumeIsolated { $0.value += 1 }
        continuation.resume()
      }
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct LoopExecutorTests {
  @Test func runsAnActorOnTheLoopsThread() async throws {
    let executor = try LoopExecutor()
    try executor.start(threadName: "test-loop")
    let counter = Counter(on: executor)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<500 { #expect(await counter.increment()) } }
      }
    }
    #expect(await counter.value == 4000)
    #expect(executor.waitingJobs == 0)
    #expect(!executor.isOnLoop)
  }

  @Test func handlersOfTheLoopEnterTheActor() async throws {
    let executor = try LoopExecutor()
    try executor.start(threadName: "test-loop")
    let counter = Counter(on: executor)
    await counter.incrementByTimer()
    #expect(await counter.value == 1)
  }

  @Test func keepsTheOrderOfWhatIsHandedOver() async throws {
    let executor = try LoopExecutor()
    let order = Mutex<[Int]>([])
    // Before the start too.
    executor.submit { order.withLock { $0.append(0) } }
    try executor.start(threadName: "test-loop")
    let last: Int = await withCheckedContinuation { continuation in
      for number in 1..<1000 { executor.submit { order.withLock { $0.append(number) } } }
      executor.submit { continuation.resume(returning: order.withLock { $0.count }) }
    }
    #expect(last == 1000)
    #expect(order.withLock { $0 } == Array(0..<1000))
  }

  @Test func theLoopBelongsToItsMakerUntilTheStart() throws {
    let executor = try LoopExecutor()
    #expect(executor.isOnLoop)
    _ = executor.loop
    try executor.start(threadName: "test-loop")
    #expect(!executor.isOnLoop)
  }

  @Test func anotherThreadMayNotTouchTheLoop() async {
    await #expect(processExitsWith: .failure) {
      let executor = try LoopExecutor()
      try executor.start(threadName: "test-loop")
      _ = executor.loop
    }
  }

  @Test func aWriteToAClosedPipeDoesNotEndTheProgram() async throws {
    let executor = try LoopExecutor()
    try executor.start(threadName: "test-loop")
    let code: Int32 = await withCheckedContinuation { continuation in
      executor.submit {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        close(ends[0])
        var byte: UInt8 = 1
        let result = write(ends[1], &byte, 1) < 0 ? errno : 0
        close(ends[1])
        continuation.resume(returning: result)
      }
    }
    #expect(code == EPIPE)
  }

  @Test func theThreadEndsWithTheExecutor() async throws {
    let before = threadCount()
    for _ in 0..<20 {
      let executor = try LoopExecutor()
      try executor.start(threadName: "test-loop")
      let counter = Counter(on: executor)
      _ = await counter.increment()
    }
    // The last threads need a moment to leave.
    let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    while threadCount("test-loop") > 0, ContinuousClock.now < deadline { usleep(1000) }
    #expect(threadCount("test-loop") == 0, "before: \(before)")
  }

  /// Threads of this process with one name.
  private func threadCount(_ name: String = "test-loop") -> Int {
    guard let directory = opendir("/proc/self/task") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      let task = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let bytes = try? Files.read("/proc/self/task/\(task)/comm", maximumBytes: 100) else { continue }
      if String(decoding: bytes, as: UTF8.self) == "\(name)\n" { count += 1 }
    }
    return count
  }
}
