import CLinux
import Glibc

/// One thread's reactor: descriptors, timers, signals and messages from other threads, one handler at a time.
///
/// Every long-lived object of a program is confined to the thread that runs its loop, so nothing needs a lock and no
/// command waits behind a queue hop. Handlers must not block; what can block runs on a `WorkerThread` and
/// answers through an `Inbox`. The class is deliberately not `Sendable`: the compiler keeps it on its thread.
public final class EventLoop {
  public typealias Instant = ContinuousClock.Instant

  private let epollDescriptor: Int32
  private var watches: [UInt64: DescriptorWatch] = [:]
  private var timers: [UInt64: ScheduledTimer] = [:]
  private var nextToken: UInt64 = 1
  private var isStopping = false
  private var events = [epoll_event](repeating: epoll_event(), count: 64)

  /// - Throws: `SystemError` when the kernel has no descriptor left.
  public init() throws(SystemError) {
    epollDescriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    if epollDescriptor < 0 { throw SystemError.current("epoll_create1") }
  }

  deinit { Glibc.close(epollDescriptor) }

  /// The monotonic clock, read now.
  public var now: Instant { ContinuousClock.now }

  /// Calls `handler` whenever `descriptor` is ready for one of `interest`, until the watch is cancelled.
  ///
  /// The descriptor stays the caller's: cancel the watch first, then close it.
  public func watch(
    _ descriptor: Int32, for interest: Readiness, _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) -> DescriptorWatch {
    let token = takeToken()
    let watch = DescriptorWatch(loop: self, token: token, descriptor: descriptor, handler: handler)
    try control(EPOLL_CTL_ADD, descriptor, interest, token)
    watches[token] = watch
    return watch
  }

  /// Calls `handler` once, at `deadline` or as soon after it as the loop is free.
  @discardableResult
  public func schedule(at deadline: Instant, _ handler: @escaping () -> Void) -> ScheduledTimer {
    let timer = ScheduledTimer(loop: self, token: takeToken(), deadline: deadline, handler: handler)
    timers[timer.token] = timer
    return timer
  }

  /// Calls `handler` once, `delay` from now.
  @discardableResult
  public func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> ScheduledTimer {
    schedule(at: now.advanced(by: delay), handler)
  }

  /// Calls `handler` every `period`, measured from start to start; a late run does not bunch up the next ones.
  public func repeating(every period: Duration, _ handler: @escaping () -> Void) -> RepeatingTimer {
    RepeatingTimer(loop: self, period: period, handler: handler)
  }

  /// Runs handlers until `stop()` is called from one of them.
  public func run() {
    isStopping = false
    while !isStopping { runOnce(waitingAtMost: .seconds(60)) }
  }

  /// Ends `run()` after the handler that called it.
  public func stop() { isStopping = true }

  /// Waits for the next event or timer, at most `limit`, and runs what is due.
  public func runOnce(waitingAtMost limit: Duration) {
    var wait = limit
    if let earliest = timers.values.map(\.deadline).min() {
      wait = min(wait, max(.zero, now.duration(to: earliest)))
    }
    handleEvents(waitingAtMost: wait)
    // A program that was stopped (SIGSTOP, a debugger, a suspended machine) wakes up here without an event, since that
    // interrupts the wait (signal(7)), and all its timers are due. What came meanwhile is read before they judge a silence.
    let late = now.advanced(by: .zero - Self.lateness)
    if timers.values.contains(where: { $0.deadline < late }) { handleEvents(waitingAtMost: .zero) }
    runDueTimers()
  }

  /// Later than this a timer is not by the rounding of the wait (1 ms) and the scheduler (a few).
  private static let lateness: Duration = .milliseconds(50)

  private func handleEvents(waitingAtMost limit: Duration) {
    let count = epoll_wait(epollDescriptor, &events, Int32(events.count), limit.roundedUpMilliseconds)
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      let token = events[index].data.u64
      // A handler earlier in this batch may have cancelled the watch.
      watches[token]?.handler(Readiness(epoll: events[index].events))
    }
  }

  private func runDueTimers() {
    let now = self.now
    let due = timers.values.filter { $0.deadline <= now }.sorted {
      ($0.deadline, $0.token) < ($1.deadline, $1.token)
    }
    for timer in due where timers.removeValue(forKey: timer.token) != nil { timer.handler() }
  }

  private func takeToken() -> UInt64 {
    defer { nextToken += 1 }
    return nextToken
  }

  private func control(
    _ operation: Int32, _ descriptor: Int32, _ interest: Readiness, _ token: UInt64
  ) throws(SystemError) {
    var event = epoll_event()
    event.events = interest.epoll
    event.data.u64 = token
    if epoll_ctl(epollDescriptor, operation, descriptor, &event) < 0 {
      throw SystemError.current("watch descriptor \(descriptor)")
    }
  }

  fileprivate func update(_ watch: DescriptorWatch, to interest: Readiness) throws(SystemError) {
    try control(EPOLL_CTL_MOD, watch.descriptor, interest, watch.token)
  }

  fileprivate func cancel(_ watch: DescriptorWatch) {
    guard watches.removeValue(forKey: watch.token) != nil else { return }
    epoll_ctl(epollDescriptor, EPOLL_CTL_DEL, watch.descriptor, nil)
  }

  fileprivate func cancel(_ timer: ScheduledTimer) { timers.removeValue(forKey: timer.token) }
}

/// What a descriptor is ready for, or what one waits for.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let readable = Readiness(rawValue: 1)
  public static let writable = Readiness(rawValue: 2)
  /// The other end is gone or the device failed; always reported, asked for or not.
  public static let hangUp = Readiness(rawValue: 4)

  fileprivate init(epoll: UInt32) {
    var value: Readiness = []
    if epoll & EPOLLIN.rawValue != 0 { value.insert(.readable) }
    if epoll & EPOLLOUT.rawValue != 0 { value.insert(.writable) }
    if epoll & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { value.insert(.hangUp) }
    self = value
  }

  fileprivate var epoll: UInt32 {
    (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
  }
}

/// A descriptor under watch; the loop keeps it until it is cancelled.
public final class DescriptorWatch {
  private unowned let loop: EventLoop
  fileprivate let token: UInt64
  fileprivate let descriptor: Int32
  fileprivate let handler: (Readiness) -> Void

  fileprivate init(loop: EventLoop, token: UInt64, descriptor: Int32, handler: @escaping (Readiness) -> Void)
  {
    self.loop = loop
    self.token = token
    self.descriptor = descriptor
    self.handler = handler
  }

  /// Changes what the watch waits for; the empty set leaves only `hangUp`.
  public func update(_ interest: Readiness) throws(SystemError) { try loop.update(self, to: interest) }

  /// Ends the watch; no handler call follows. Idempotent.
  public func cancel() { loop.cancel(self) }
}

/// A one-shot timer; the loop keeps it until it ran or was cancelled.
public final class ScheduledTimer {
  private unowned let loop: EventLoop
  fileprivate let token: UInt64
  public let deadline: ContinuousClock.Instant
  fileprivate let handler: () -> Void

  fileprivate init(
    loop: EventLoop, token: UInt64, deadline: ContinuousClock.Instant, handler: @escaping () -> Void
  ) {
    self.loop = loop
    self.token = token
    self.deadline = deadline
    self.handler = handler
  }

  /// The handler will not run. Idempotent.
  public func cancel() { loop.cancel(self) }
}

/// A timer that runs until it is cancelled.
public final class RepeatingTimer {
  private let loop: EventLoop
  private let period: Duration
  private let handler: () -> Void
  private var next: ScheduledTimer?

  fileprivate init(loop: EventLoop, period: Duration, handler: @escaping () -> Void) {
    self.loop = loop
    self.period = period
    self.handler = handler
    arm(at: loop.now.advanced(by: period))
  }

  private func arm(at deadline: ContinuousClock.Instant) {
    next = loop.schedule(at: deadline) { [self] in
      // Armed before the handler runs, so that the handler may cancel it.
      arm(at: max(deadline.advanced(by: period), loop.now))
      handler()
    }
  }

  /// Ends the timer. Idempotent.
  public func cancel() { next?.cancel() }
}

extension Duration {
  /// Whole milliseconds, rounded up so that a wait never ends before its deadline, at most a day.
  var roundedUpMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let milliseconds =
      min(seconds, 86_400) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: max(0, milliseconds))
  }
}
