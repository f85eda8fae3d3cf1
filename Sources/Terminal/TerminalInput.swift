import CLinux
import Glibc
public import ServiceRuntime
import Synchronization

/// What happens at the terminal, or at the pipe in its place.
public enum TerminalEvent: Equatable, Sendable {
  case key(Key)
  /// A line without its end, as bytes: a script may send what is no text.
  case line([UInt8])
  /// A line longer than `LineSplitter.maximumBytes` was left out.
  case lineTooLong
  case resized
  /// The program goes on after it was stopped; the terminal has to be painted anew.
  case resumed
  /// SIGTSTP: the person wants the program stopped (control-Z comes as a key).
  case suspensionWanted
  /// SIGINT, SIGTERM or SIGHUP: the program shall end. SIGPIPE: nobody reads its lines any more.
  case endWanted(signal: Int32)
  case inputEnded
}

/// Reads standard input and signals on a thread of its own and hands them on one by one.
///
/// Nothing is dropped: when the queue is full, standard input is not read, and the terminal or the pipe keeps what comes.
public final class TerminalInput: Sendable {
  public enum Style: Sendable {
    /// Raw mode, each key by itself.
    case keys
    /// Whole lines, for scripts.
    case lines
  }

  private struct State {
    var events: [TerminalEvent] = []
    var waiting: CheckedContinuation<TerminalEvent?, Never>?
    var isClosed = false
    /// An order to end that nobody has taken yet.
    var isEndPending = false
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT, SIGTSTP]
  private static let capacity = 64

  private let style: Style
  private let state = Mutex(State())
  private let signalDescriptor: Int32
  private let wakeUp: Int32

  /// Keeps the signals from every thread that is started from now on, so that only this class hears of them. Call it before
  /// anything else of the program.
  public static func takeSignals() {
    var set = signalSet()
    pthread_sigmask(SIG_BLOCK, &set, nil)
    Glibc.signal(SIGPIPE, SIG_IGN)
  }

  private static func signalSet() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }

  /// Starts reading; with `.keys` the terminal is in raw mode from now on.
  public init(_ style: Style) throws(SystemError) {
    self.style = style
    Self.takeSignals()
    var set = Self.signalSet()
    signalDescriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    if signalDescriptor < 0 { throw SystemError.current("signalfd") }
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if wakeUp < 0 {
      Glibc.close(signalDescriptor)
      throw SystemError.current("eventfd")
    }
    switch style {
    case .keys: try RawMode.enter()
    case .lines: break
    }
    _ = try WorkerThread(name: "terminal") { [self] in work() }
  }

  deinit {
    Glibc.close(signalDescriptor)
    Glibc.close(wakeUp)
  }

  /// The next event; nil after `close()`. For one reader.
  public func next() async -> TerminalEvent? {
    await withCheckedContinuation { continuation in
      let event: TerminalEvent?? = state.withLock { state in
        if !state.events.isEmpty {
          let event = state.events.removeFirst()
          if case .endWanted = event { state.isEndPending = false }
          if event == .key(.control("c")) { state.isEndPending = false }
          return event
        }
        if state.isClosed { return .some(nil) }
        state.waiting = continuation
        return nil
      }
      if let event {
        continuation.resume(returning: event)
        wake()
      }
    }
  }

  /// Ends reading and puts the terminal back. Idempotent.
  public func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: nil)
    RawMode.leave()
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    _ = Glibc.write(wakeUp, &one, MemoryLayout<UInt64>.size)
  }

  private func put(_ event: TerminalEvent) {
    var isEnd = event == .key(.control("c"))
    if case .endWanted = event { isEnd = true }
    let (waiting, isStuck) = state.withLock { state in
      if let waiting = state.waiting {
        state.waiting = nil
        return (Optional(waiting), false)
      }
      state.events.append(event)
      defer { if isEnd { state.isEndPending = true } }
      return (nil, isEnd && state.isEndPending)
    }
    waiting?.resume(returning: event)
    if isStuck {
      // Asked twice and not even heard the first time: the program hangs, perhaps on a terminal that was paused.
      RawMode.leave()
      _exit(128 + SIGINT)
    }
  }

  private var hasRoom: Bool { state.withLock { $0.events.count < Self.capacity } }
  private var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Runs on the thread.
  private func work() {
    var keys = KeyDecoder()
    var lines = LineSplitter()
    var isOpen = true
    // With keys the screen is the same terminal as the input, whose end tells.
    var isRead = style == .lines
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isClosed {
      var requests = [
        pollfd(fd: signalDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        // A negative descriptor is skipped.
        pollfd(fd: isOpen && hasRoom ? 0 : -1, events: Int16(POLLIN), revents: 0),
        // Errors are reported whatever is asked for.
        pollfd(fd: isRead ? 1 : -1, events: 0, revents: 0),
      ]
      let count = poll(&requests, 4, keys.isPending ? Self.escapeMilliseconds : -1)
      if count == 0 { for key in keys.flush() { put(.key(key)) } }
      if count <= 0 { continue }
      if requests[0].revents != 0 { readSignals() }
      if requests[1].revents != 0 {
        var number: UInt64 = 0
        _ = read(wakeUp, &number, MemoryLayout<UInt64>.size)
      }
      if requests[3].revents & Int16(POLLERR) != 0 {
        isRead = false
        put(.endWanted(signal: SIGPIPE))
      }
      guard requests[2].revents != 0, !isClosed else { continue }
      // Blocking mode is kept, since it is shared with whoever started the program: poll said that bytes are there.
      let size = read(0, &buffer, buffer.count)
      if size > 0 {
        switch style {
        case .keys: for key in keys.decode(buffer[..<size]) { put(.key(key)) }
        case .lines: for line in lines.split(buffer[..<size]) { put(line) }
        }
      } else if size == 0 || (errno != EINTR && errno != EAGAIN) {
        isOpen = false
        for line in lines.finish() { put(line) }
        put(.inputEnded)
      }
    }
  }

  private static let escapeMilliseconds = Int32(
    KeyDecoder.escapeTimeout.components.attoseconds / 1_000_000_000_000_000)

  private func readSignals() {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while read(signalDescriptor, &information, size) == size {
      switch Int32(information.ssi_signo) {
      case SIGWINCH: put(.resized)
      case SIGTSTP: put(.suspensionWanted)
      case SIGCONT:
        // The shell has set the terminal to its own taste meanwhile. If that fails, the next key shows it.
        if style == .keys { try? RawMode.enter() }
        put(.resumed)
      case let signal: put(.endWanted(signal: signal))
      }
    }
  }
}

/// Splits bytes at line ends, and bounds the lines.
public struct LineSplitter: Sendable {
  public static let maximumBytes = 65_000

  private var line: [UInt8] = []
  private var isTooLong = false

  public init() {}

  public mutating func split(_ bytes: some Sequence<UInt8>) -> [TerminalEvent] {
    var events: [TerminalEvent] = []
    for byte in bytes {
      if byte == 0x0A {
        events.append(take())
      } else if line.count < Self.maximumBytes {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return events
  }

  /// The input ended: what has no line end is a line too.
  public mutating func finish() -> [TerminalEvent] { line.isEmpty ? [] : [take()] }

  private mutating func take() -> TerminalEvent {
    defer {
      line = []
      isTooLong = false
    }
    if isTooLong { return .lineTooLong }
    if line.last == 0x0D { line.removeLast() }
    return .line(line)
  }
}
