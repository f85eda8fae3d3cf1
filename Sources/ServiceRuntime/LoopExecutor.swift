import CLinux
import Glibc
import Synchronization

/// Runs actors on the thread of an event loop.
///
/// An actor that is pinned to it may use what is confined to the loop without a hop, and the loop's handlers may enter the actor with
/// `assumeIsolated`, which is checked. Programs do without it; it is for libraries whose callers use `async`.
///
/// The loop belongs to the thread that made the executor until `start()`, and to the executor's own thread from then on. That thread ends
/// after the executor was released, so an actor keeps its executor and everything else lets go of it.
public final class LoopExecutor: SerialExecutor, @unchecked Sendable {
  // Unchecked because `loopStorage` is not `Sendable`: `loop` hands it out on the owning thread only, which is checked. The rest is `Sendable`.
  private let loopStorage: EventLoop
  private let jobs: JobQueue

  /// - Throws: `SystemError` when the kernel has no descriptor left.
  public init() throws(SystemError) {
    loopStorage = try EventLoop()
    jobs = try JobQueue()
  }

  deinit { jobs.finish() }

  /// The loop, for its thread.
  public var loop: EventLoop {
    precondition(isOnLoop, "the event loop is used from another thread than its own")
    return loopStorage
  }

  /// Whether the caller is on the thread to which the loop belongs at present.
  public var isOnLoop: Bool { jobs.owner.load(ordering: .acquiring) == currentThreadID() }

  /// Jobs that wait for the thread.
  public var waitingJobs: Int { jobs.count }

  /// Gives the loop to a thread of its own, which runs it until the executor is released. Call once, on the thread that made it.
  public func start(threadName: String) throws(SystemError) {
    let thread = LoopThread(loop: loop, jobs: jobs)
    jobs.owner.store(0, ordering: .releasing)
    do throws(SystemError) {
      _ = try WorkerThread(name: threadName) { thread.run() }
    } catch {
      jobs.owner.store(currentThreadID(), ordering: .releasing)
      throw error
    }
  }

  /// Runs `body` on the loop's thread after everything that was handed over before, from any thread.
  public func submit(_ body: @escaping @Sendable () -> Void) { jobs.append(.closure(body)) }

  public func enqueue(_ job: consuming ExecutorJob) {
    // The queue's reference keeps the executor until the job is done, however soon its actor goes.
    jobs.append(.job(UnownedJob(job), self))
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  public func checkIsolated() {
    precondition(isOnLoop, "isolated to an event loop, used from another thread than its own")
  }

  public func isIsolatingCurrentContext() -> Bool? { isOnLoop }
}

/// The thread's end of an executor.
private struct LoopThread: @unchecked Sendable {
  // Unchecked because the loop goes with it from the thread that made it to the one that runs it, and to no other.
  let loop: EventLoop
  let jobs: JobQueue

  func run() {
    jobs.owner.store(currentThreadID(), ordering: .releasing)
    blockSignals()
    do throws(SystemError) {
      let watch = try loop.watch(jobs.wakeUp, for: .readable) { _ in jobs.run() }
      while !jobs.isFinished { loop.runOnce(waitingAtMost: .seconds(60)) }
      watch.cancel()
    } catch {
      // Without it nothing would ever run here again. It takes a full disk of watches (`fs.epoll.max_user_watches`) to get here.
      preconditionFailure("watch for jobs: \(error)")
    }
  }
}

/// Keeps the signals of the program that uses a library from its threads, and from the worker threads that they start.
///
/// Above all SIGPIPE: a write to a connection that was just closed shall fail, not end the program.
private func blockSignals() {
  var signals = sigset_t()
  sigfillset(&signals)
  for fault in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&signals, fault) }
  pthread_sigmask(SIG_BLOCK, &signals, nil)
}

/// What waits for the loop's thread, from any thread.
///
/// Unbounded, because a job is the runtime's promise to a task and a dropped one would never return; each belongs to one task that waits, so there are as
/// many as tasks. Counted, so that tests see it.
private final class JobQueue: Sendable {
  enum Job {
    case job(UnownedJob, LoopExecutor)
    case closure(@Sendable () -> Void)
  }

  private struct State {
    var waiting: [Job] = []
    var isFinished = false
  }

  let owner = Atomic<UInt>(currentThreadID())
  let wakeUp: Int32
  private let state = Mutex(State())

  init() throws(SystemError) {
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if wakeUp < 0 { throw SystemError.current("eventfd") }
  }

  deinit { Glibc.close(wakeUp) }

  var count: Int { state.withLock { $0.waiting.count } }
  var isFinished: Bool { state.withLock { $0.isFinished && $0.waiting.isEmpty } }

  func append(_ job: Job) {
    let wasEmpty = state.withLock { state in
      state.waiting.append(job)
      return state.waiting.count == 1
    }
    if wasEmpty { wake() }
  }

  func finish() {
    state.withLock { $0.isFinished = true }
    wake()
  }

  /// Runs what waits now; what comes meanwhile waits for the next turn of the loop, so that descriptors get theirs.
  func run() {
    var count: UInt64 = 0
    _ = Glibc.read(wakeUp, &count, MemoryLayout<UInt64>.size)
    let batch = state.withLock { state in
      let batch = state.waiting
      state.waiting = []
      return batch
    }
    for job in batch {
      switch job {
      case .job(let job, let executor): job.runSynchronously(on: executor.asUnownedSerialExecutor())
      case .closure(let body): body()
      }
    }
  }

  private func wake() {
    var one: UInt64 = 1
    // Only a full counter can make this fail, and then the loop is awake anyway.
    _ = Glibc.write(wakeUp, &one, MemoryLayout<UInt64>.size)
  }
}

private func currentThreadID() -> UInt { UInt(pthread_self()) }
