import FileTransfer
import Glibc
import PeerProtocol

/// One peer that offers something and sends something else.
struct HostilePeer {
  var random: Random

  mutating func play(in playground: Playground, _ tally: inout Tally) throws {
    let terms = terms()
    // The second try finds what the first left, sometimes damaged.
    for attempt in 0..<2 {
      var policy = ReceivingPolicy()
      policy.reserveBytes = 0
      policy.isDurable = false
      policy.naming = random.next(2) == 0 ? .asSent : .withSender
      policy.maximumEntries = 20
      let folder = try ReceivedFolder(path: playground.folder, policy: policy)
      let sink: ReceivedSink
      do {
        sink = try folder.sink(for: terms)
      } catch {
        tally.refused += 1
        return
      }
      if try attempt == 1 && sink.position() != .start { tally.resumed += 1 }
      let before = try Playground.names(playground.folder).count
      do {
        try send(to: sink, terms)
        try sink.finish()
        tally.finished += 1
        guard try playground.partialNames().isEmpty else {
          throw Playground.Fault(description: "a part stayed after the end")
        }
        guard try Playground.names(playground.folder).count == before + 1 else {
          throw Playground.Fault(description: "not exactly one thing arrived")
        }
        return
      } catch is StorageError {
        tally.refused += 1
        let isResumable = random.next(4) != 0
        sink.abandon(isResumable: isResumable)
        let left = try playground.partialNames()
        guard isResumable || left.isEmpty else {
          throw Playground.Fault(description: "a part stayed: \(left)")
        }
        guard try Playground.names(playground.folder).count == before else {
          throw Playground.Fault(description: "something arrived in spite of a refusal")
        }
      }
      if random.next(2) == 0 { try damage(playground) }
    }
  }

  private mutating func terms() -> ReceivingTerms {
    let content: ReceivingTerms.Content =
      random.next(2) == 0
      ? .file(
        sizeBytes: UInt64(random.next(40)),
        modifiedAtUnixSeconds: random.pick([nil, 0, .max, .min, 1_700_000_000]))
      : .folder(
        entryCount: UInt32(random.next(random.next(8) == 0 ? 40 : 8)), sizeBytes: UInt64(random.next(100)))
    return ReceivingTerms(
      sender: [UInt8(random.next(4))], senderName: name(), name: name(), content: content,
      contentKey: random.pick([[], [1]]))
  }

  private mutating func send(to sink: ReceivedSink, _ terms: ReceivingTerms) throws {
    let start = try sink.position()
    var index = start.entryIndex
    let (entries, bytes): (UInt32, UInt64) =
      switch terms.content {
      case .file(let size, _): (1, size)
      case .folder(let count, let size): (count, size)
      }
    var left = bytes
    var isFirst = true
    while index < entries {
      // Honest as a rule, so that the dishonest step comes at every depth.
      let isHonest = random.next(12) != 0
      let isLast = index + 1 == entries
      var size = isLast || random.next(3) == 0 ? left : UInt64(random.next(Int(left) + 1))
      if !isHonest { size = random.pick([0, 1, size &+ 1, .max, .max >> 1]) }
      let isFolder = terms.isFolderOffer && !isLast && (random.next(4) == 0 || !isHonest)
      let path = terms.isFolderOffer ? path(index, isHonest) : isHonest ? [] : [name()]
      guard
        let entry = TransferEntry(
          path: path, kind: isFolder ? .folder : .file(sizeBytes: size, isExecutable: random.next(2) == 0),
          modifiedAtUnixSeconds: random.pick([nil, 0, .max, .min]))
      else { continue }
      let offset = isFirst ? min(start.offsetBytes, entry.sizeBytes) : 0
      isFirst = false
      try sink.begin(
        entry, index: isHonest ? index : UInt32(random.next(5)), at: random.next(30) == 0 ? 7 : offset)
      var unsent = Int(clamping: entry.sizeBytes &- offset)
      if random.next(20) == 0 { unsent = random.next(60) }
      while unsent > 0 {
        let portion = [UInt8](repeating: 0x61, count: min(unsent, 1 + random.next(20), 4096))
        try portion.withUnsafeBytes { try sink.write($0) }
        unsent -= portion.count
        // The link breaks.
        if random.next(25) == 0 { throw StorageError(.notReadable, "cut") }
      }
      try sink.complete()
      if case .file = entry.kind { left = left >= size ? left - size : 0 }
      index += 1
    }
  }

  private mutating func path(_ index: UInt32, _ isHonest: Bool) -> [String] {
    if isHonest { return ["entry \(index)"] }
    return (0..<random.next(4)).map { _ in random.next(3) == 0 ? "entry \(random.next(4))" : name() }
  }

  private mutating func name() -> String {
    let pieces = [
      "..", "/", ".", "\u{0}", "\u{1b}[2J", "\u{202e}", "-", "~", " ", "a", "b", "c.txt", "d", ".partial",
      "..\u{2215}", "é\u{301}", "👩‍👧", "\u{FFFD}",
      ".tar.gz", "\n", "\\", "%2e%2e%2f", "\u{feff}", String(repeating: "x", count: 250), "\u{e0041}", "CON",
    ]
    return (0..<1 + random.next(4)).map { _ in random.pick(pieces) }.joined()
  }

  /// Another program of this user, or a broken disk, changes what lies in the private folder.
  private mutating func damage(_ playground: Playground) throws {
    for name in try playground.partialNames() {
      let path = "\(playground.folder)/.partial/\(name)"
      switch random.next(6) {
      case 0: unlink(path)
      case 1: truncate(path, off_t(random.next(300)))
      case 2:
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW)
        if descriptor >= 0 {
          let byte = [UInt8(random.next(256))]
          pwrite(descriptor, byte, 1, off_t(random.next(200)))
          close(descriptor)
        }
      case 3:
        unlink(path)
        symlink("\(playground.base)/outside/secret", path)
      case 4:
        unlink(path)
        mkfifo(path, 0o600)
      default: break
      }
    }
  }
}

extension ReceivingTerms {
  var isFolderOffer: Bool {
    switch content {
    case .file: false
    case .folder: true
    }
  }
}
