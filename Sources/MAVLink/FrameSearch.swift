/// One search for the next frame in a buffer: where it stands, and what it met.
struct FrameSearch {
  /// The first byte that is neither delivered nor skipped.
  var head: Int
  /// No checked frame begins between `head` (exclusive) and here.
  var clearedEnd: Int
  /// Whole frames of known messages whose checksum was wrong.
  var checksumErrors: UInt64 = 0

  /// Where a frame lies.
  struct Found {
    var start: Int
    var layout: FrameLayout
    var integrity: Frame.Integrity
  }

  /// What begins at one place of the buffer.
  private enum Candidate {
    case nothing
    case checksumError
    case incomplete
    case frame(FrameLayout, Frame.Integrity)
  }

  init(head: Int, clearedEnd: Int) {
    self.head = head
    self.clearedEnd = clearedEnd
  }

  /// The next frame; `head` is then behind it. Nil when more bytes are needed.
  mutating func next(in buffer: UnsafeRawBufferPointer) -> Found? {
    while true {
      while head < buffer.count, !Self.isStart(buffer[head]) { head += 1 }
      guard head < buffer.count else { return nil }
      switch Self.candidate(at: head, in: buffer) {
      case .nothing: head += 1
      case .checksumError:
        checksumErrors += 1
        head += 1
      case .incomplete: return nil
      case .frame(let layout, .verified):
        switch wholeness(of: layout, in: buffer) {
        case .plausible: return found(layout, .verified)
        case .noise: head += 1
        case .undecided: return nil
        }
      case .frame(let layout, .unknown):
        switch plausibility(of: layout, in: buffer) {
        case .plausible: return found(layout, .unknown)
        case .noise: head += 1
        case .undecided: return nil
        }
      }
    }
  }

  private mutating func found(_ layout: FrameLayout, _ integrity: Frame.Integrity) -> Found {
    defer { head += layout.length }
    return Found(start: head, layout: layout, integrity: integrity)
  }

  private enum Plausibility {
    case plausible
    case noise
    case undecided
  }

  /// Whether a frame at `head` that cannot be checked may be passed on.
  private mutating func plausibility(
    of layout: FrameLayout, in buffer: UnsafeRawBufferPointer
  ) -> Plausibility {
    let end = head + layout.length
    if end < buffer.count, !Self.isStart(buffer[end]) { return .noise }
    clearedEnd = max(clearedEnd, head + 1)
    while clearedEnd < end {
      switch Self.candidate(at: clearedEnd, in: buffer) {
      case .frame(_, .verified): return .noise
      case .incomplete: return .undecided
      case .nothing, .checksumError, .frame(_, .unknown): clearedEnd += 1
      }
    }
    return layout.version == .one && end == buffer.count ? .undecided : .plausible
  }

  /// Whether the signature of a frame at `head` is its own: no checksum covers it, so when bytes of
  /// it were lost, the next frame would pass for the rest of it.
  ///
  /// A MAVLink 1 frame that has only begun is not waited for: its start is too frequent among the
  /// random bytes of signatures, and a sender that signs speaks MAVLink 2.
  private func wholeness(of layout: FrameLayout, in buffer: UnsafeRawBufferPointer) -> Plausibility {
    guard layout.isSigned else { return .plausible }
    for place in (head + layout.checksumOffset + 2)..<(head + layout.length) {
      switch Self.candidate(at: place, in: buffer) {
      case .frame(_, .verified): return .noise
      case .incomplete where Frame.Version(magic: buffer[place]) == .two: return .undecided
      case .nothing, .checksumError, .incomplete, .frame(_, .unknown): break
      }
    }
    return .plausible
  }

  private static func isStart(_ byte: UInt8) -> Bool { byte == 0xFD || byte == 0xFE }

  private static func candidate(at start: Int, in buffer: UnsafeRawBufferPointer) -> Candidate {
    guard let version = Frame.Version(magic: buffer[start]) else { return .nothing }
    let available = buffer.count - start
    // Refused as early as possible, so that noise delays what follows as little as possible.
    if version == .two, available > 2, buffer[start + 2] > 1 { return .nothing }
    guard available >= version.headerLength else { return .incomplete }
    let layout = FrameLayout(version: version, header: buffer.baseAddress.unsafelyUnwrapped + start)
    guard available >= layout.length else { return .incomplete }
    guard let crcExtra = DialectTable.crcExtra(of: layout.messageID) else {
      return .frame(layout, .unknown)
    }
    var checksum = Checksum()
    checksum.add(
      UnsafeRawBufferPointer(rebasing: buffer[(start + 1)..<(start + layout.checksumOffset)]))
    checksum.add(crcExtra)
    let stated =
      UInt16(buffer[start + layout.checksumOffset])
      | UInt16(buffer[start + layout.checksumOffset + 1]) << 8
    return checksum.value == stated ? .frame(layout, .verified) : .checksumError
  }
}
