import Geodesy
import Glibc
import ServiceRuntime
import Synchronization

/// The thread's side: connects, reads, and leaves the newest state for the loop to take.
///
/// The state is one value that the newest replaces, so a busy loop finds one current report, never a queue of old ones.
final class Follower: Sendable {
  enum Link: Sendable {
    case connected
    case disconnected(reason: String)
  }

  struct News: Sendable {
    /// Nil when it did not change.
    var link: Link?
    var report: Fix?
  }

  /// Bounds how long the thread goes on after `stop()`, unless it is inside the system's resolver or connect.
  private static let waitMilliseconds: Int32 = 200
  /// gpsd without a receiver is silent by right. After this much silence it is asked, after as much again it is dead.
  private static let silence = Duration.seconds(3)

  private let host: String
  private let port: UInt16
  private let inbox: Inbox<Wake>
  private let news = Mutex(News())
  private let isStopped = Atomic(false)

  init(host: String, port: UInt16, inbox: Inbox<Wake>) {
    self.host = host
    self.port = port
    self.inbox = inbox
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  func takeNews() -> News {
    news.withLock { news in
      defer { news = News() }
      return news
    }
  }

  func run() {
    blockPipeSignal()
    var session = GPSSession()
    var backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(5))
    while !hasStopped {
      switch session.open(host: host, port: port) {
      case .failed(let reason): publish { $0.link = .disconnected(reason: reason) }
      case .opened:
        let openedAt = ContinuousClock.now
        let reason = follow(&session)
        session.close()
        // A server that greets and hangs up at once is not asked twice a second.
        if openedAt.duration(to: .now) >= backoff.maximum { backoff.reset() }
        if let reason { publish { $0.link = .disconnected(reason: reason) } }
      }
      sleep(backoff.nextDelay())
    }
  }

  /// Reads until the connection ends.
  ///
  /// - Returns: why it ended, or nil when the follower was stopped.
  private func follow(_ session: inout GPSSession) -> String? {
    var selection = ReceiverSelection()
    var heardAt = ContinuousClock.now
    var hasAnswered = false
    var hasAsked = false
    while !hasStopped {
      let event = session.next(waitingAtMost: Follower.waitMilliseconds)
      let now = ContinuousClock.now
      switch event {
      case .ended: return "connection ended"
      case .nothing:
        guard heardAt.duration(to: now) >= Follower.silence else { continue }
        guard !hasAsked else { return "gpsd does not answer" }
        guard session.requestReports() else { return "connection ended" }
        hasAsked = true
        heardAt = now
        continue
      case .other: break
      case .report(let raw, let device):
        if let fix = raw.fix(receivedAt: now), selection.accepts(fix, from: device) {
          publish { $0.report = fix }
        }
      }
      heardAt = now
      hasAsked = false
      if !hasAnswered {
        // Not when the connection is made: a port that only accepts is no gpsd.
        hasAnswered = true
        publish { $0.link = .connected }
      }
    }
    return nil
  }

  private var hasStopped: Bool { isStopped.load(ordering: .relaxed) }

  private func publish(_ change: (inout News) -> Void) {
    news.withLock { change(&$0) }
    // A full inbox means that the loop has not yet come to take the news.
    inbox.send(Wake())
  }

  /// libgps writes to its socket without `MSG_NOSIGNAL`; without this a gpsd that went away would end the program.
  private func blockPipeSignal() {
    unsafe withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { signals in
      guard let set = signals.baseAddress else { return }
      unsafe sigemptyset(set)
      unsafe sigaddset(set, SIGPIPE)
      unsafe pthread_sigmask(SIG_BLOCK, set, nil)
    }
  }

  /// Sleeps in slices, so that a stop is seen soon.
  private func sleep(_ delay: Duration) {
    let end = ContinuousClock.now.advanced(by: delay)
    while !hasStopped, ContinuousClock.now < end { usleep(100_000) }
  }
}
