import Glibc
import JSONText
import ServiceRuntime
import TestSupport
import Testing

/// Files and folders between two of the built program.
@Suite(.serialized) struct NearbyTransferTests {
  private let ann: TemporaryDirectory
  private let bob: TemporaryDirectory
  private let files: TemporaryDirectory
  private let received: TemporaryDirectory

  init() throws {
    ann = try TemporaryDirectory()
    bob = try TemporaryDirectory()
    files = try TemporaryDirectory()
    received = try TemporaryDirectory()
  }

  private func receives(_ more: [String], in place: Place = Place()) throws -> Script {
    try Script(
      [
        "receive", "--state", ann.path, "--name", "Ann", "--listen", "127.0.0.1:0", "--folder", received.path,
      ] + more, in: place)
  }

  private func sends(_ paths: [String], _ more: [String]) throws -> Script {
    try Script(
      ["send", "--state", bob.path, "--name", "Bob", "--listen", "127.0.0.1:0", "--accept", "any"] + more
        + paths)
  }

  private func port(of script: Script) throws -> String {
    let line = try #require(script.line(with: "port"), "\(script.story)")
    if let port = try? JSON.parse(line)["port"]?.integer { return "127.0.0.1:\(port)" }
    let digits = line.split(separator: "port ", maxSplits: 1).last?.prefix { $0.isNumber }
    return "127.0.0.1:\(try #require(digits))"
  }

  private func file(_ name: String, _ size: Int) throws -> String {
    let path = "\(files.path)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var random = SplitMix64(seed: UInt64(size))
    let block = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &random) }
    var left = size
    while left > 0 {
      let count = block.withUnsafeBytes { write(descriptor, $0.baseAddress, min(left, $0.count)) }
      try #require(count > 0)
      left -= count
    }
    return path
  }

  private func isSame(_ first: String, _ second: String) throws -> Bool {
    try ChildProcess(["diff", "-r", first, second]).exitCode(within: .seconds(20)) == 0
  }

  @Test(.timeLimit(.minutes(1))) func filesAndFoldersArriveAndNothingIsOverwritten() throws {
    let small = try file("note.txt", 1000)
    try Files.makeDirectory("\(files.path)/photos/deep", mode: 0o755)
    _ = try file("photos/a.jpg", 200_000)
    _ = try file("photos/deep/b.jpg", 3_000_000)
    let receiver = try receives(["--accept", "any", "--json"])
    let address = try port(of: receiver)
    for _ in 0..<2 {
      let sender = try sends([small, "\(files.path)/photos"], ["--connect", address])
      #expect(sender.exitCode() == 0, "\(sender.story)")
      #expect(sender.story.contains("sent: note.txt to Ann"), "\(sender.story)")
      #expect(sender.story.contains("sent: photos to Ann: 3.2 MB"), "\(sender.story)")
    }
    var paths: [String] = []
    for _ in 0..<4 {
      let event = try JSON.parse(try #require(receiver.line(with: "received"), "\(receiver.story)"))
      let path = try #require(event["path"]?.string)
      #expect(event["from"]?["name"]?.string == "Bob")
      // The name tells the sender.
      #expect(path.contains("Bob"))
      #expect(try isSame("\(files.path)/\(try #require(event["name"]?.string))", path))
      paths.append(path)
    }
    #expect(Set(paths).count == 4, "\(paths)")
    receiver.signal(SIGTERM)
    #expect(receiver.exitCode() == 0)
  }

  @Test(.timeLimit(.minutes(1))) func anOfferIsAskedAboutAndDeclined() throws {
    let path = try file("secret.txt", 10)
    let receiver = try receives(["--accept", "ask"])
    let sender = try sends([path], ["--connect", try port(of: receiver)])
    #expect(receiver.says("invites you to receive files"), "\(receiver.story)")
    receiver.say("yes")
    #expect(receiver.says("offers secret.txt, 10 B"), "\(receiver.story)")
    receiver.say("no")
    #expect(sender.exitCode() == 2, "\(sender.story)")
    #expect(sender.story.contains("not sent: secret.txt to Ann: declined"), "\(sender.story)")
    #expect(try ChildProcess(["rmdir", received.path]).exitCode(within: .seconds(5)) == 0)
  }

  @Test(.timeLimit(.minutes(1))) func aSenderThatCancelsIsNoticed() throws {
    let path = try file("big", 400_000_000)
    let receiver = try receives(["--accept", "any", "--once"])
    let sender = try sends([path], ["--connect", try port(of: receiver)])
    #expect(sender.says("connected"), "\(sender.story)")
    usleep(150_000)
    sender.signal(SIGINT)
    #expect(sender.exitCode() == 2, "\(sender.story)")
    #expect(receiver.says("not received: big from Bob"), "\(receiver.story)")
    #expect(receiver.exitCode() == 4, "\(receiver.story)")
  }

  @Test(.timeLimit(.minutes(1))) func aReceiverThatLeavesIsNoticed() throws {
    let path = try file("big", 400_000_000)
    let receiver = try receives(["--accept", "any"])
    let sender = try sends([path], ["--connect", try port(of: receiver)])
    #expect(receiver.says("connected"), "\(receiver.story)")
    usleep(150_000)
    receiver.signal(SIGTERM)
    let code = sender.exitCode()
    #expect(code == 4 || code == 2, "\(sender.story)")
    #expect(
      sender.says("not sent: big to Ann") || sender.story.contains("not sent: big to Ann"), "\(sender.story)")
  }

  @Test(.timeLimit(.minutes(1))) func aPersonChoosesAFileAndSeesTheBar() throws {
    _ = try file("a.txt", 10)
    _ = try file("movie\u{7}.bin", 300_000_000)
    let receiver = try receives(["--accept", "any", "--once"])
    let session = try TerminalSession(
      [
        BuiltNearby.path, "send", "--state", bob.path, "--name", "Bob", "--listen", "127.0.0.1:0", "--folder",
        files.path, "--connect", try port(of: receiver),
      ], environment: Place().environment)
    #expect(session.shows("▸   a.txt"), "\(session.screen.all)")
    session.type("\u{1B}[B\r")
    #expect(session.shows("is not paired. Send anyway?"), "\(session.screen.all)")
    session.type("y")
    #expect(session.shows("█"), "\(session.screen.all)")
    #expect(session.shows("sent: movie\\u{7}.bin to Ann: 300.0 MB"), "\(session.screen.all)")
    #expect(session.exitCode() == 0)
    #expect(session.screen.faults == [])
    #expect(receiver.exitCode() == 0, "\(receiver.story)")
    #expect(receiver.story.contains("received: movie\\u{7}.bin from Bob: 300.0 MB"), "\(receiver.story)")
  }

  @Test(.timeLimit(.minutes(1))) func filesTravelInAChat() throws {
    let path = try file("note.txt", 5000)
    let common = ["--listen", "127.0.0.1:0", "--accept", "any"]
    let first = try Script(
      ["chat", "--state", ann.path, "--name", "Ann", "--folder", received.path] + common)
    let second = try Script(
      ["chat", "--state", bob.path, "--name", "Bob", "--connect", try port(of: first)] + common)
    #expect(second.says("connected: Ann"))
    second.say("/send \(path)")
    #expect(second.says("sent: note.txt to Ann: 5.0 kB"), "\(second.story)")
    #expect(first.says("received: note.txt from Bob"), "\(first.story)")
    second.say("/send /nonexistent")
    #expect(second.says("! not sent: nonexistent to Ann"), "\(second.story)")
  }

  private static let noNamespaces = NetworkNamespaces.missing

  @Test(
    .enabled(if: noNamespaces == nil, "\(noNamespaces ?? "")"), .timeLimit(.minutes(2)), arguments: [3])
  func aFolderArrivesAlthoughTheLinkIsCutHalfWay(_ seconds: UInt32) throws {
    let network = try NetworkNamespaces(hostCount: 2)
    try Files.makeDirectory("\(files.path)/folder", mode: 0o755)
    for number in 0..<8 { _ = try file("folder/part\(number)", 100_000_000 + number) }
    let receiver = try Script(
      [
        "receive", "--state", ann.path, "--name", "Ann", "--listen", "*:7999", "--folder", received.path,
        "--accept", "any",
      ], in: Place(network.hosts[0]))
    #expect(receiver.says("port 7999"))
    let place = Place(network.hosts[1])
    let session = try TerminalSession(
      place.prefix + [
        BuiltNearby.path, "send", "\(files.path)/folder", "--state", bob.path, "--name", "Bob", "--accept",
        "any",
        "--connect", "\(NetworkNamespaces.address(0)):7999",
      ], environment: place.environment)
    // Some of it is there, and some is not.
    #expect(
      session.waits { $0.lines.contains { $0.contains("2") && $0.contains(" %,") } }, "\(session.screen.all)")
    try network.cut(0)
    sleep(seconds)
    try network.restore(0)
    #expect(session.exitCode(within: .seconds(60)) == 0, "\(session.screen.all)\n\(receiver.story)")
    #expect(receiver.says("received: folder from Bob: 800.0 MB"), "\(receiver.story)")
    #expect(try isSame("\(files.path)/folder", "\(received.path)/folder from Bob"))
  }
}
