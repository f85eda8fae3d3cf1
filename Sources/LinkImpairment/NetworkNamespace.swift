import CLinux
import Glibc
public import ServiceRuntime

/// A network namespace, held by a descriptor: it lives as long as this and the processes in it.
public final class NetworkNamespace {
  private let descriptor: Int32

  /// - Parameter name: a process ID, a name below `/run/netns`, a path, or `new` for a new one.
  public init(_ name: String) throws(SystemError) {
    if name == "new" {
      let own = try NetworkNamespace("/proc/self/ns/net")
      guard unshare(CLinux_CLONE_NEWNET) == 0 else { throw SystemError.current("make a network namespace") }
      defer { try? own.enter() }
      descriptor = try Self.open("/proc/thread-self/ns/net")
    } else if Int32(name) != nil {
      descriptor = try Self.open("/proc/\(name)/ns/net")
    } else {
      descriptor = try Self.open(name.contains("/") ? name : "/run/netns/\(name)")
    }
  }

  deinit { Glibc.close(descriptor) }

  /// Where others find it while this process lives; `nsenter --net=PATH` takes it.
  public var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Does `work` with this thread inside. A socket that it opens stays inside.
  public func inside<Result>(_ work: () throws(SystemError) -> Result) throws(SystemError) -> Result {
    let own = try NetworkNamespace("/proc/thread-self/ns/net")
    try enter()
    defer {
      // Back where the thread came from, which cannot fail for who could leave it.
      try? own.enter()
    }
    return try work()
  }

  private func enter() throws(SystemError) {
    guard setns(descriptor, CLinux_CLONE_NEWNET) == 0 else {
      throw SystemError.current("enter a network namespace")
    }
  }

  private static func open(_ path: String) throws(SystemError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError.current("open \(path)") }
    return descriptor
  }
}
