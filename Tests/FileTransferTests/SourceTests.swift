import FileTransfer
import Glibc
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SourceTests {
  let directory: TemporaryDirectory
  var path: String { directory.path }
  init() throws { directory = try TemporaryDirectory() }

  private func readAll(_ source: any TransferSource) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1000)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  private func entries(_ source: FolderSource) throws -> [TransferEntry] {
    var entries: [TransferEntry] = []
    while let entry = try source.open(entry: UInt32(entries.count)) { entries.append(entry) }
    return entries
  }

  @Test func aFileIsReadAsOftenAsItIsOpened() throws {
    try write(pattern(5000), to: "\(path)/a.bin")
    chmod("\(path)/a.bin", 0o755)
    let source = try FileSource(path: "\(path)/a.bin")
    #expect(source.name == "a.bin")
    for _ in 0..<2 {
      let entry = try #require(try source.open(entry: 0))
      #expect(entry.path.isEmpty)
      #expect(entry.kind == .file(sizeBytes: 5000, isExecutable: true))
      #expect(try readAll(source) == pattern(5000))
    }
    #expect(try source.open(entry: 1) == nil)
    source.close()
  }

  @Test func aFileThatBecomesShorterIsNoticed() throws {
    try write(pattern(5000), to: "\(path)/a")
    let source = try FileSource(path: "\(path)/a")
    _ = try source.open(entry: 0)
    truncate("\(path)/a", 2500)
    #expect(reason { _ = try readAll(source) } == .changed)
    #expect(reason { _ = try source.open(entry: 0) } == .changed)
  }

  @Test func aFileThatBecomesLongerOrIsRewrittenIsNoticed() throws {
    for isLonger in [true, false] {
      try write(pattern(5000), to: "\(path)/a")
      let source = try FileSource(path: "\(path)/a")
      _ = try source.open(entry: 0)
      let descriptor = open("\(path)/a", O_WRONLY | (isLonger ? O_APPEND : 0))
      // The clock of files may tick only each few milliseconds; a change is told by another time.
      let old = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 5, tv_nsec: 5)]
      #expect(Glibc.write(descriptor, [1], 1) == 1)
      futimens(descriptor, old)
      close(descriptor)
      #expect(reason { _ = try readAll(source) } == .changed)
    }
  }

  @Test func theContentKeyTellsChanges() throws {
    mkdir("\(path)/f", 0o755)
    mkdir("\(path)/f/s", 0o755)
    try write([1], to: "\(path)/f/s/a")
    try write([1], to: "\(path)/f/b")
    func keys() throws -> [[UInt8]] {
      [try FolderSource(path: "\(path)/f").contentKey, try FileSource(path: "\(path)/f/s/a").contentKey]
    }
    let first = try keys()
    #expect(try keys() == first)
    #expect(first.allSatisfy { $0.count == 32 } && first[0] != first[1])
    let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 5, tv_nsec: 5)]
    utimensat(AT_FDCWD, "\(path)/f/s/a", times, 0)
    let second = try keys()
    #expect(second[0] != first[0] && second[1] != first[1])
    rename("\(path)/f/b", "\(path)/f/s/b")
    let third = try keys()
    #expect(third[0] != second[0] && third[1] == second[1])
  }

  @Test func whatTheUserNamesBecomesAnOffer() throws {
    mkdir("\(path)/trip", 0o755)
    try write([1, 2, 3], to: "\(path)/trip/a")
    symlink("a", "\(path)/trip/link")
    let folder = try OutgoingResource(path: "\(path)/trip/")
    #expect(folder.offer.kind == .folder(entryCount: 1, sizeBytes: 3))
    #expect(folder.offer.name == "trip")
    #expect(folder.offer.contentKey.count == 32)
    #expect(folder.omittedCount == 1)
    #expect(folder.omissions.map(\.reason) == [.symbolicLink])
    let file = try OutgoingResource(path: "\(path)/trip/a", named: "b")
    #expect(file.offer.kind == .file(sizeBytes: 3))
    #expect(file.offer.name == "b")
    #expect(file.offer.modifiedAtUnixSeconds != nil)
    let long = try OutgoingResource(
      path: "\(path)/trip/a", named: String(repeating: "é", count: 300) + ".txt")
    #expect(long.offer.name.utf8.count <= 255 && long.offer.name.hasSuffix("é.txt"))
    #expect(throws: SendingError.notAFile("/dev/zero")) { try OutgoingResource(path: "/dev/zero") }
    #expect(throws: SendingError.self) { try OutgoingResource(path: "\(path)/missing") }
    let sender = try #require(PeerID(bytes: Array(repeating: 5, count: 32)))
    let terms = try #require(ReceivingTerms(folder.offer, from: sender, named: "Anna"))
    #expect(terms.content == .folder(entryCount: 1, sizeBytes: 3))
    #expect(terms.contentKey == folder.offer.contentKey)
    let stream = try #require(TransferOffer(kind: .stream(.both), name: "s"))
    #expect(ReceivingTerms(stream, from: sender, named: "Anna") == nil)
  }

  @Test func whatIsNoFileIsRefusedWithoutWaiting() throws {
    mkfifo("\(path)/pipe", 0o600)
    #expect(throws: SendingError.notAFile("\(path)/pipe")) { try FileSource(path: "\(path)/pipe") }
    #expect(throws: SendingError.notAFile("/dev/zero")) { try FileSource(path: "/dev/zero") }
    #expect(throws: SendingError.isFolder(path)) { try FileSource(path: path) }
    #expect(throws: SendingError.self) { try FileSource(path: "\(path)/missing") }
    #expect(throws: SendingError.self) { try FolderSource(path: "\(path)/pipe") }
  }

  @Test func aFolderIsListedInOneOrder() throws {
    for folder in ["b", "b/c", "empty"] { mkdir("\(path)/\(folder)", 0o755) }
    for (name, bytes) in [("z", [1]), ("a", [2, 2]), ("b/2", [3]), ("b/10", []), ("b/c/x", [4])]
      as [(String, [UInt8])]
    {
      try write(bytes, to: "\(path)/\(name)")
    }
    let source = try FolderSource(path: path)
    let found = try entries(source)
    #expect(
      found.map { $0.path.joined(separator: "/") } == ["a", "b", "b/10", "b/2", "b/c", "b/c/x", "empty", "z"])
    #expect(source.entryCount == 8)
    #expect(source.sizeBytes == 5)
    #expect(source.omittedCount == 0)
    _ = try source.open(entry: 5)
    #expect(try readAll(source) == [4])
    _ = try source.open(entry: 1)
    #expect(try readAll(source).isEmpty)
  }

  @Test func linksAndDevicesAreLeftOutAndNamed() throws {
    try write([1], to: "\(path)/a")
    // To a place of our own: a mistake in cleaning up must not reach the system's files.
    let outside = try TemporaryDirectory()
    try write([1], to: "\(outside.path)/secret")
    symlink("\(outside.path)/secret", "\(path)/link")
    symlink(outside.path, "\(path)/folder")
    mkfifo("\(path)/pipe\u{1b}", 0o600)
    let source = try FolderSource(path: path)
    #expect(try entries(source).map(\.path) == [["a"]])
    #expect(source.omittedCount == 3)
    #expect(
      Set(source.omissions.map(\.description)) == [
        "'link' is a symbolic link", "'folder' is a symbolic link", "'pipe\\u{1b}' is no file",
      ])
  }

  @Test func whatCannotBeReadIsNamed() throws {
    guard geteuid() != 0 else {
      print("skipped: root can read every file")
      return
    }
    try write([1], to: "\(path)/a")
    chmod("\(path)/a", 0)
    let source = try FolderSource(path: path)
    #expect(source.omissions.map(\.description) == ["'a' cannot be read"])
  }

  @Test func aTreeThatIsTooDeepIsCutAndNamed() throws {
    var inner = path
    for _ in 0..<70 {
      inner += "/d"
      mkdir(inner, 0o755)
    }
    let source = try FolderSource(path: path)
    #expect(source.entryCount == 64)
    #expect(source.omissions.map(\.reason) == [.pathTooLong])
  }

  @Test func tooManyEntriesAreRefused() throws {
    for number in 0..<4 { try write([], to: "\(path)/\(number)") }
    #expect(throws: SendingError.tooManyEntries(path, maximum: 3)) {
      try FolderSource(path: path, maximumEntries: 3)
    }
    mkdir("\(path)/sub", 0o755)
    #expect(try FolderSource(path: path, maximumEntries: 5).entryCount == 5)
    try write([], to: "\(path)/sub/x")
    #expect(throws: SendingError.tooManyEntries(path, maximum: 5)) {
      try FolderSource(path: path, maximumEntries: 5)
    }
  }

  @Test func aFolderThatChangesIsNoticed() throws {
    mkdir("\(path)/s", 0o755)
    for name in ["s/a", "s/b", "s/c"] { try write([1, 2, 3], to: "\(path)/\(name)") }
    let source = try FolderSource(path: path)
    truncate("\(path)/s/a", 1)
    #expect(reason { _ = try source.open(entry: 1) } == .changed)
    unlink("\(path)/s/b")
    #expect(reason { _ = try source.open(entry: 2) } == .changed)
    // A link in place of the file does not lead out.
    unlink("\(path)/s/c")
    let outside = try TemporaryDirectory()
    try write([1], to: "\(outside.path)/a")
    symlink("\(outside.path)/a", "\(path)/s/c")
    #expect(reason { _ = try source.open(entry: 3) } == .changed)
    let again = try FolderSource(path: path)
    rename("\(path)/s", "\(path)/moved")
    symlink(outside.path, "\(path)/s")
    #expect(reason { _ = try again.open(entry: 1) } == .changed)
  }

  @Test func namesThatAreNoTextCrossReadably() throws {
    let bytes: [UInt8] = Array("\(path)/x".utf8) + [0xFF, 0]
    let descriptor = bytes.withUnsafeBytes { raw in
      raw.baseAddress.map { open($0.assumingMemoryBound(to: CChar.self), O_CREAT | O_WRONLY, 0o600) } ?? -1
    }
    #expect(descriptor >= 0)
    close(descriptor)
    let source = try FolderSource(path: path)
    #expect(try entries(source).map(\.path) == [["x%ff"]])
    _ = try source.open(entry: 0)
  }

  @Test(arguments: ["", "/", "/."]) func aFolderIsCalledByItsOwnName(ending: String) throws {
    mkdir("\(path)/photos", 0o755)
    #expect(try FolderSource(path: "\(path)/photos\(ending)").name == "photos")
  }
}
