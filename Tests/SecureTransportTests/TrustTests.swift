import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TrustTests {
  private let directory: TemporaryDirectory
  private let store: TrustStore
  private let a: PeerID
  private let b: PeerID

  init() throws {
    directory = try TemporaryDirectory()
    store = TrustStore(directory: directory.path)
    a = try #require(PeerID(bytes: [UInt8](repeating: 0xAA, count: 32)))
    b = try #require(PeerID(bytes: [UInt8](repeating: 0xBB, count: 32)))
  }

  private func write(_ text: String, mode: UInt32 = 0o600) throws {
    try Files.replace(store.path, with: Array(text.utf8), mode: mode)
    chmod(store.path, mode)
  }

  private func text() throws -> String {
    String(decoding: try Files.read(store.path, maximumBytes: 1 << 20), as: UTF8.self)
  }

  @Test func nobodyIsTrustedWithoutAFile() throws {
    let list = try store.load()
    #expect(list.peers.isEmpty && list.problems.isEmpty)
    #expect(!list.contains(a))
  }

  @Test func peersAreAddedRenamedAndRemoved() throws {
    #expect(try store.add(a, name: "laptop"))
    #expect(try store.add(b, name: "Drone 7"))
    #expect(try !store.add(a, name: "laptop"))
    #expect(directory.mode(of: "trusted") == 0o600)
    let list = try store.load()
    #expect(list.peers.map(\.id) == [a, b])
    #expect(list.name(of: b) == "Drone 7")
    #expect(try store.add(a, name: "other"))
    #expect(try text() == "\(a.hex) other\n\(b.hex) Drone 7\n")
    #expect(try store.remove(a))
    #expect(try !store.remove(a))
    #expect(try store.load().peers.map(\.id) == [b])
  }

  @Test func commentsAndUnknownLinesSurviveChanges() throws {
    try write("# mine\n\nnonsense line\n\(a.hex)   laptop  \n# end")
    try store.add(b, name: "Drone")
    #expect(try text() == "# mine\n\nnonsense line\n\(a.hex)   laptop  \n# end\n\(b.hex) Drone\n")
    try store.remove(a)
    #expect(try text() == "# mine\n\nnonsense line\n# end\n\(b.hex) Drone\n")
  }

  @Test func badLinesAreReportedWithTheirPlaceAndTheOthersCount() throws {
    let upper = b.hex.uppercased()
    try write("\(a.hex) laptop\nabc short\n  \(upper)\tDrone\r\n\(a.hex)0 long\n\(a.hex) again\n")
    let list = try store.load()
    #expect(list.peers.map(\.name) == ["laptop", "Drone"])
    #expect(
      list.problems.map(\.description) == [
        "\(store.path):2: expected 64 hexadecimal digits and a name",
        "\(store.path):4: expected 64 hexadecimal digits and a name",
        "\(store.path):5: peer aaaaaaaa.. is listed twice",
      ])
  }

  @Test(arguments: [
    ("Drone", "Drone"), ("", "unnamed"), (" \t\n", "unnamed"), ("a\nb", "ab"), ("a\u{1B}[31mb", "a[31mb"),
    ("  two   words ", "two words"), ("\u{202E}evil", "evil"), ("a\u{0}b", "ab"), ("\u{2028}x", "x"),
    (String(repeating: "a", count: 64), String(repeating: "a", count: 63)),
    (String(repeating: "ü", count: 40), String(repeating: "ü", count: 31)),
  ])
  func namesFitOneLine(given: String, kept: String) throws {
    #expect(sanitizedPeerName(given) == kept)
    try store.add(a, name: given)
    #expect(try store.load().name(of: a) == kept)
    #expect(try text() == "\(a.hex) \(kept)\n")
  }

  @Test(arguments: [UInt32(0o620), 0o602, 0o666])
  func aFileThatOthersMayWriteProvesNothing(mode: UInt32) throws {
    try write("\(a.hex) laptop\n", mode: mode)
    #expect(throws: TrustError.writableByOthers(path: store.path, mode: mode)) { try store.load() }
    #expect(throws: TrustError.self) { try store.add(b, name: "x") }
  }

  @Test func theSizeIsBounded() throws {
    try write(String(repeating: "# filler\n", count: 29_127))
    let error = TrustError.tooLarge(path: store.path, maximumBytes: TrustStore.maximumBytes)
    #expect(throws: error) { try store.add(a, name: "one too many") }
    try write(String(repeating: "# filler\n", count: 30_000))
    #expect(throws: error) { try store.load() }
  }

  @Test func anyBytesAreReadWithoutHarm() {
    for seed in UInt64(0)..<500 {
      var random = SplitMix64(seed: seed)
      var bytes = Array("\(a.hex) laptop\n# comment\n\(b.hex) Drone\n".utf8)
      for _ in 0..<8 {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let list = TrustList(text: bytes, path: "trusted")
      #expect(list.peers.count <= 4)
      for peer in list.peers { #expect(peer.name == sanitizedPeerName(peer.name), "seed \(seed)") }
    }
  }

  @Test func changesByOthersTakeEffectAtOnce() throws {
    let loop = try EventLoop()
    try store.add(a, name: "laptop")
    let watch = try TrustFileWatch(store, on: loop)
    #expect(watch.list.contains(a))
    var changes: [TrustChange] = []
    watch.onChange = { changes.append($0) }
    try store.add(b, name: "Drone")
    #expect(loop.runUntil { changes.count == 1 })
    #expect(changes.last?.added == [b] && changes.last?.removed == [])
    try store.remove(a)
    #expect(loop.runUntil { changes.count == 2 })
    #expect(changes.last?.added == [] && changes.last?.removed == [a])
    #expect(!watch.list.contains(a))
    // As an editor or a shell would: written in place.
    let descriptor = open(store.path, O_WRONLY | O_APPEND)
    _ = Glibc.write(descriptor, "\(a.hex) again\n", 70)
    close(descriptor)
    #expect(loop.runUntil { watch.list.contains(a) })
    unlink(store.path)
    #expect(loop.runUntil { watch.list.peers.isEmpty })
    #expect(Set(changes.last?.removed ?? []) == [a, b])
  }

  @Test func anUnusableFileIsReportedAndTheLastGoodListStays() throws {
    let loop = try EventLoop()
    try store.add(a, name: "laptop")
    let watch = try TrustFileWatch(store, on: loop)
    var errors: [TrustError] = []
    watch.onError = { errors.append($0) }
    chmod(store.path, 0o666)
    #expect(loop.runUntil { !errors.isEmpty })
    #expect(errors.first == .writableByOthers(path: store.path, mode: 0o666))
    #expect(watch.list.contains(a))
  }

  @Test func otherFilesOfTheDirectoryWakeNobody() throws {
    let loop = try EventLoop()
    let watch = try TrustFileWatch(store, on: loop)
    var changes = 0
    watch.onChange = { _ in changes += 1 }
    try Files.replace("\(directory.path)/log", with: [1], mode: 0o600)
    try store.add(a, name: "x")
    #expect(loop.runUntil { changes > 0 })
    #expect(changes == 1)
    watch.cancel()
    try store.add(b, name: "y")
    loop.runOnce(waitingAtMost: .milliseconds(20))
    #expect(changes == 1)
  }

  @Test func changesAtTheSameTimeLoseNothing() throws {
    let ids = try (0..<40).map { try #require(PeerID(bytes: [UInt8](repeating: UInt8($0), count: 32))) }
    let store = store
    let workers = try (0..<4).map { part in
      try WorkerThread(name: "trust \(part)") {
        for index in stride(from: part, to: ids.count, by: 4) { _ = try? store.add(ids[index], name: "p") }
      }
    }
    for worker in workers { worker.join() }
    #expect(Set(try store.load().peers.map(\.id)) == Set(ids))
  }
}
