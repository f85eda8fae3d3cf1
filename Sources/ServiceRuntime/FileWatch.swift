import CLinux
import Glibc

/// Tells when a file was written, replaced, made or removed by anybody.
///
/// It watches the directory (`inotify(7)`), because a file that is replaced by a rename is another file; the directory must
/// exist at the start, and when it goes away its return is waited for.
public final class FileWatch {
  private static let interest = UInt32(
    IN_CLOSE_WRITE | IN_CREATE | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)
  private static let retryPeriod: Duration = .seconds(1)

  private let directory: String
  private let name: [UInt8]
  private let loop: EventLoop
  private let handler: () -> Void
  private let descriptor: Int32
  private var watch: DescriptorWatch?
  private var retry: ScheduledTimer?
  private var buffer = [UInt8](repeating: 0, count: 8_192)

  /// - Parameter handler: called on the loop after changes, several of them at once as one call; also when nothing is known to
  ///   have changed but something may have been missed.
  public init(_ path: String, on loop: EventLoop, _ handler: @escaping () -> Void) throws(SystemError) {
    directory = Files.parent(of: path)
    name = Array((path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]).utf8)
    self.loop = loop
    self.handler = handler
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if descriptor < 0 { throw SystemError.current("inotify_init1") }
    if inotify_add_watch(descriptor, directory, FileWatch.interest) < 0 {
      throw SystemError.current("watch \(directory)")
    }
    watch = try loop.watch(descriptor, for: .readable) { [weak self] _ in self?.readEvents() }
  }

  deinit {
    retry?.cancel()
    watch?.cancel()
    Glibc.close(descriptor)
  }

  /// No handler call follows. Idempotent.
  public func cancel() {
    retry?.cancel()
    watch?.cancel()
    watch = nil
  }

  private func readEvents() {
    var isConcerned = false
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count <= 0 { break }
      if scan(count) { isConcerned = true }
    }
    if isConcerned, watch != nil { handler() }
  }

  /// - Returns: whether one of the events is about our file.
  private func scan(_ count: Int) -> Bool {
    var isConcerned = false
    var offset = 0
    let headerBytes = MemoryLayout<inotify_event>.size
    while offset + headerBytes <= count {
      let header = buffer.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      }
      let nameStart = offset + headerBytes
      let nameEnd = min(nameStart + Int(header.len), count)
      if header.mask & UInt32(IN_Q_OVERFLOW) != 0 { isConcerned = true }
      if header.mask & UInt32(IN_IGNORED) != 0 {
        isConcerned = true
        watchAgain()
      }
      if buffer[nameStart..<nameEnd].prefix(while: { $0 != 0 }).elementsEqual(name) { isConcerned = true }
      offset = nameEnd
    }
    return isConcerned
  }

  private func watchAgain() {
    retry = loop.schedule(after: FileWatch.retryPeriod) { [weak self] in
      guard let self, watch != nil else { return }
      if inotify_add_watch(descriptor, directory, FileWatch.interest) < 0 {
        watchAgain()
      } else {
        handler()
      }
    }
  }
}
