import CLinux
import Glibc

/// Signals as ordinary loop events.
public final class SignalWatch {
  private let descriptor: Int32
  private var watch: DescriptorWatch?

  /// Blocks `signals` for this thread and every thread it starts later, and hands each arrival to `handler`.
  ///
  /// Make it before any other thread exists: a thread started earlier could still be interrupted by the default action.
  public init(_ signals: [Int32], on loop: EventLoop, _ handler: @escaping (Int32) -> Void)
    throws(SystemError)
  {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    if descriptor < 0 { throw SystemError.current("signalfd") }
    self.descriptor = descriptor
    watch = try loop.watch(descriptor, for: .readable) { _ in
      var information = signalfd_siginfo()
      while Glibc.read(descriptor, &information, MemoryLayout<signalfd_siginfo>.size)
        == MemoryLayout<signalfd_siginfo>.size
      {
        handler(Int32(information.ssi_signo))
      }
    }
  }

  deinit {
    watch?.cancel()
    Glibc.close(descriptor)
  }

  /// Writing to a socket or pipe whose reader is gone must be an error of that write, not the end of the process.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
