import Glibc
import ServiceRuntime
import TestSupport
import Testing

/// `nearby send` of a folder from one host to another over a slow radio link that breaks.
@Suite(.serialized) struct FolderOverBrokenLinkTests {
  private static let radioProgram = BuiltNearby.path.replacingLastComponent(by: "link-impairment")

  /// Two hosts, a folder of 6 MB on one of them, and an empty one for what arrives on the other.
  private final class Scene {
    let network: NetworkNamespaces
    let origin: TemporaryDirectory
    let destination: TemporaryDirectory
    let states: [TemporaryDirectory]
    private(set) var contents: [String: [UInt8]] = [:]

    init() throws {
      network = try NetworkNamespaces(
        hostCount: 2, radio: FolderOverBrokenLinkTests.radioProgram,
        settings: ["rate 16mbit", "queue 128kB", "delay 5ms"],
        radioHosts: [0])
      origin = try TemporaryDirectory()
      destination = try TemporaryDirectory()
      states = [try TemporaryDirectory(), try TemporaryDirectory()]
      var random = SplitMix64(seed: 3)
      mkdir("\(origin.path)/trip", 0o755)
      mkdir("\(origin.path)/trip/empty", 0o755)
      symlink("/etc/passwd", "\(origin.path)/trip/link")
      for folder in ["day 1", "day 1/inner", "day 2"] { mkdir("\(origin.path)/trip/\(folder)", 0o755) }
      for (name, size) in [
        ("day 1/a.jpg", 900_000), ("day 1/b.jpg", 800_000), ("day 1/inner/c.raw", 2_000_000),
        ("day 2/d.txt", 0),
        ("day 2/e.raw", 2_000_000), ("z.jpg", 300_000),
      ] {
        let words = (0..<(size / 8)).map { _ in random.next() }
        contents[name] = words.withUnsafeBytes { Array($0) }
        try Files.replace("\(origin.path)/trip/\(name)", with: contents[name] ?? [], mode: 0o644)
      }
    }

    func receive() throws -> Script {
      try Script(
        [
          "receive", "--state", states[0].path, "--name", "Ann", "--accept", "any", "--once", "--folder",
          destination.path,
          "--listen", "\(NetworkNamespaces.address(0)):4711",
        ], in: Place(network.hosts[0]))
    }

    func send() throws -> Script {
      try Script(
        [
          "send", "\(origin.path)/trip", "--state", states[1].path, "--name", "Bob", "--accept", "any",
          "--timeout", "60 s",
          "--connect", "\(NetworkNamespaces.address(0)):4711",
        ], in: Place(network.hosts[1]))
    }

    /// Bytes and the number of the file on disk of everything that is there so far.
    func arrived() -> (bytes: Int, inodes: [String: UInt64]) {
      var bytes = 0
      var inodes: [String: UInt64] = [:]
      func look(_ path: String, _ inside: String) {
        for name in (try? names(in: path)) ?? [] {
          var information = stat()
          guard lstat("\(path)/\(name)", &information) == 0 else { continue }
          if information.st_mode & S_IFMT == S_IFDIR {
            look(
              "\(path)/\(name)",
              inside.isEmpty && (name == ".partial" || name.hasSuffix(".tree")) ? "" : "\(inside)\(name)/")
          } else {
            bytes += Int(information.st_size)
            inodes["\(inside)\(name)"] = UInt64(information.st_ino)
          }
        }
      }
      look(destination.path, "")
      return (bytes, inodes)
    }

    /// Waits until so many bytes are there.
    func waitFor(bytes: Int) -> Bool {
      let deadline = ContinuousClock.now.advanced(by: .seconds(30))
      while ContinuousClock.now < deadline {
        if arrived().bytes >= bytes { return true }
        usleep(20_000)
      }
      return false
    }

    func checkResult() throws {
      #expect(try names(in: destination.path) == [".partial", "trip from Bob"])
      #expect(try names(in: "\(destination.path)/.partial").isEmpty)
      for (name, bytes) in contents {
        #expect(
          try Files.read("\(destination.path)/trip from Bob/\(name)", maximumBytes: 1 << 24) == bytes,
          "\(name)")
      }
      #expect(try names(in: "\(destination.path)/trip from Bob") == ["day 1", "day 2", "empty", "z.jpg"])
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: [4, 12]) func itGoesOnAfterTheLinkWasCut(seconds: UInt32) throws {
    if let missing = NetworkNamespaces.missing { return print("skipped: \(missing)") }
    let scene = try Scene()
    let receiver = try scene.receive()
    #expect(receiver.says("port "), "\(receiver.story)")
    let sender = try scene.send()
    #expect(scene.waitFor(bytes: 2_500_000), "\(sender.story)\n\(receiver.story)")
    try scene.network.cut(0)
    let before = scene.arrived()
    #expect(before.bytes < 5_500_000)
    sleep(seconds)
    #expect(scene.arrived().bytes < 5_500_000, "the cut does not cut")
    try scene.network.restore(0)
    #expect(sender.exitCode(within: .seconds(60)) == 0, "\(sender.story)\n\(receiver.story)")
    #expect(sender.story.contains("! left out: 'link' is a symbolic link"), "\(sender.story)")
    #expect(receiver.exitCode(within: .seconds(20)) == 0, "\(receiver.story)")
    try scene.checkResult()
    // What was whole before the cut is the same file on the disk: it was not sent again.
    let after = scene.arrived().inodes
    for name in ["day 1/a.jpg", "day 1/b.jpg"] {
      let inode = try #require(before.inodes[name], "\(before)")
      #expect(after["trip from Bob/\(name)"] == inode)
    }
  }

  @Test(.timeLimit(.minutes(2))) func aNewAttemptAfterACrashGoesOn() throws {
    if let missing = NetworkNamespaces.missing { return print("skipped: \(missing)") }
    let scene = try Scene()
    var receiver = try scene.receive()
    #expect(receiver.says("port "), "\(receiver.story)")
    let first = try scene.send()
    #expect(scene.waitFor(bytes: 2_500_000), "\(first.story)\n\(receiver.story)")
    first.signal(SIGKILL)
    receiver.signal(SIGKILL)
    #expect(receiver.exitCode() != nil)
    let before = scene.arrived()
    receiver = try scene.receive()
    #expect(receiver.says("port "), "\(receiver.story)")
    let second = try scene.send()
    #expect(second.exitCode(within: .seconds(60)) == 0, "\(second.story)\n\(receiver.story)")
    #expect(receiver.exitCode(within: .seconds(20)) == 0, "\(receiver.story)")
    try scene.checkResult()
    let after = scene.arrived().inodes
    let inode = try #require(before.inodes["day 1/a.jpg"], "\(before)")
    #expect(after["trip from Bob/day 1/a.jpg"] == inode)
  }
}

private func names(in path: String) throws -> [String] {
  guard let directory = opendir(path) else { throw SystemError.current("list \(path)") }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

extension String {
  fileprivate func replacingLastComponent(by name: String) -> String {
    (split(separator: "/", omittingEmptySubsequences: false).dropLast() + [Substring(name)]).joined(
      separator: "/")
  }
}
