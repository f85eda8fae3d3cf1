/// Finds MAVLink 1 and 2 frames in a stream of bytes that may hold anything.
///
/// Push what arrived, in any portions, then pull frames until there are none:
///
///     parser.push(chunk)
///     while let frame = parser.next() { … }
///
/// Rules:
/// - A start byte counts only when a whole frame with the right checksum follows. Otherwise the
///   search goes on at the very next byte, so no valid frame is lost inside the length that noise
///   announced.
/// - A MAVLink 2 header with incompatibility flags other than "signed" starts no frame, as the
///   specification says.
/// - A frame whose message ID is in no known dialect cannot be checked. It is passed on with
///   ``Frame/Integrity/unknown`` when no checked frame begins inside it and what follows, as far as
///   it is there, is a start byte. MAVLink 1, whose short header noise imitates easily, waits for
///   that start byte. If such a frame contains what may be the beginning of a checked frame, it
///   waits until that is settled: noise may therefore show up as a frame of an unknown message, but
///   never costs a frame that can be checked.
/// - Signed frames keep their signature, which is not verified here. A signed frame that lost bytes
///   of its signature is dropped when a MAVLink 2 frame that can be checked begins inside it.
///
/// When ``next()`` has returned nil, fewer than 600 bytes are kept; frames that are still alive then
/// keep the bytes of their portion.
public struct StreamParser: Sendable {
  /// Bytes that may wait to be pulled; what comes on top pushes the oldest out, counted as skipped.
  public static var maximumBacklog: Int { 1 << 18 }

  public private(set) var counters = StreamCounters()
  public private(set) var sources = SourceTable()

  private var buffer: [UInt8] = []
  /// Where the search goes on.
  private var head = 0
  /// No checked frame begins before this place, apart from the one at ``head``: spares a second
  /// look at bytes inside unknown frames, which would cost quadratic time on hostile input.
  private var clearedEnd = 0

  public init() {}

  /// Appends bytes from the stream.
  public mutating func push(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { push($0) }
  }

  /// Appends bytes from the stream.
  public mutating func push(_ bytes: UnsafeRawBufferPointer) {
    counters.bytes &+= UInt64(bytes.count)
    discardHead()
    let excess = buffer.count + bytes.count - Self.maximumBacklog
    if excess <= 0 {
      buffer.append(contentsOf: bytes)
      return
    }
    counters.skippedBytes &+= UInt64(excess)
    clearedEnd = 0
    if excess >= buffer.count {
      let rest = bytes[(excess - buffer.count)...]
      buffer.removeAll(keepingCapacity: true)
      buffer.append(contentsOf: rest)
    } else {
      buffer.removeFirst(excess)
      buffer.append(contentsOf: bytes)
    }
  }

  /// The frames in `bytes` and in what was kept from before.
  public mutating func frames(in bytes: [UInt8]) -> [Frame] {
    push(bytes)
    var frames: [Frame] = []
    while let frame = next() { frames.append(frame) }
    return frames
  }

  /// The next frame, or nil until more bytes are pushed.
  public mutating func next() -> Frame? {
    let start = head
    var search = FrameSearch(head: head, clearedEnd: clearedEnd)
    let found = buffer.withUnsafeBytes { search.next(in: $0) }
    clearedEnd = search.clearedEnd
    counters.checksumErrors &+= search.checksumErrors
    head = search.head
    guard let found else {
      counters.skippedBytes &+= UInt64(head - start)
      return nil
    }
    counters.skippedBytes &+= UInt64(found.start - start)
    let frame = Frame(
      in: buffer, at: found.start, layout: found.layout, integrity: found.integrity)
    switch found.integrity {
    case .verified:
      counters.frames &+= 1
      counters.lostFrames &+= UInt64(sources.note(frame))
    case .unknown: counters.unknownFrames &+= 1
    }
    return frame
  }

  private mutating func discardHead() {
    guard head > 0 else { return }
    buffer.removeFirst(head)
    clearedEnd = max(0, clearedEnd - head)
    head = 0
  }
}
