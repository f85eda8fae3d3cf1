/// One record of a bulk connection, but for DATA, whose content never stands in one piece. PROTOCOL.md, section 17.3.
public enum TransferRecord: Equatable, Sendable {
  case ready
  /// - Parameter prefixHash: SHA-256 of the bytes that are there; empty when there are none.
  case position(TransferPosition, prefixHash: [UInt8])
  case entry(EntryHeader)
  case entryEnd(hash: [UInt8])
  case end(entryCount: UInt32, byteCount: UInt64)
  case alive

  /// What comes before the content of an entry.
  public struct EntryHeader: Equatable, Sendable {
    public let index: UInt32
    /// Content of all entries before this one.
    public let precedingBytes: UInt64
    /// Where the bytes that follow begin.
    public let offset: UInt64
    public let entry: TransferEntry

    public init(index: UInt32, precedingBytes: UInt64, offset: UInt64, entry: TransferEntry) {
      self.index = index
      self.precedingBytes = precedingBytes
      self.offset = offset
      self.entry = entry
    }
  }

  /// Bytes of type and length.
  public static let headerBytes = 4
  /// Content of one DATA record.
  public static let maximumDataBytes = 262_144
  /// The longest record but DATA, with its header.
  public static let maximumEncodedBytes =
    headerBytes + 38 + TransferEntry.maximumDepth + TransferEntry.maximumPathBytes
  static let hashBytes = 32

  enum Kind: UInt8 {
    case ready = 1
    case position = 2
    case entry = 3
    case data = 4
    case entryEnd = 5
    case end = 6
    case alive = 7

    /// Payload sizes that are legal, checked from the header before anything is stored.
    var payloadBytes: ClosedRange<Int> {
      switch self {
      case .ready, .alive: 0...0
      case .position: 12...12 + hashBytes
      case .entry: 30...maximumEncodedBytes - headerBytes
      case .data: 1...maximumDataBytes
      case .entryEnd: hashBytes...hashBytes
      case .end: 12...12
      }
    }
  }

  /// The header of a DATA record with `byteCount` bytes, 1 to `maximumDataBytes`.
  public static func dataHeader(byteCount: Int) -> [UInt8] { header(.data, byteCount) }

  private static func header(_ kind: Kind, _ count: Int) -> [UInt8] {
    [
      kind.rawValue, UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8),
      UInt8(truncatingIfNeeded: count),
    ]
  }

  /// Header and payload.
  public var encoded: [UInt8] {
    var payload: [UInt8] = []
    let kind: Kind
    switch self {
    case .ready: kind = .ready
    case .alive: kind = .alive
    case .position(let position, let prefixHash):
      kind = .position
      payload.appendBigEndian(position.entryIndex)
      payload.appendBigEndian(position.offsetBytes)
      payload += prefixHash
    case .entry(let header):
      kind = .entry
      TransferRecord.write(header, &payload)
    case .entryEnd(let hash):
      kind = .entryEnd
      payload = hash
    case .end(let entryCount, let byteCount):
      kind = .end
      payload.appendBigEndian(entryCount)
      payload.appendBigEndian(byteCount)
    }
    return TransferRecord.header(kind, payload.count) + payload
  }

  private static let folderBit: UInt8 = 1
  private static let executableBit: UInt8 = 2
  private static let timeBit: UInt8 = 4

  private static func write(_ header: EntryHeader, _ payload: inout [UInt8]) {
    let entry = header.entry
    payload.appendBigEndian(header.index)
    payload.appendBigEndian(header.precedingBytes)
    payload.appendBigEndian(header.offset)
    payload.appendBigEndian(entry.sizeBytes)
    var flags: UInt8 = entry.modifiedAtUnixSeconds == nil ? 0 : timeBit
    switch entry.kind {
    case .folder: flags |= folderBit
    case .file(_, let isExecutable): if isExecutable { flags |= executableBit }
    }
    payload.append(flags)
    payload.append(UInt8(entry.path.count))
    if let time = entry.modifiedAtUnixSeconds { payload.appendBigEndian(UInt64(bitPattern: time)) }
    for name in entry.path {
      payload.append(UInt8(name.utf8.count))
      payload += name.utf8
    }
  }

  init(_ kind: Kind, _ payload: [UInt8]) throws(TransferProtocolError) {
    var reader = ByteReader(payload)
    switch kind {
    case .ready: self = .ready
    case .alive: self = .alive
    case .position:
      guard let index = reader.integer(UInt32.self), let offset = reader.integer(UInt64.self),
        reader.remainingCount == (offset == 0 ? 0 : TransferRecord.hashBytes)
      else { throw .malformed("POSITION") }
      self = .position(
        TransferPosition(entryIndex: index, offsetBytes: offset), prefixHash: Array(reader.rest()))
    case .entry:
      guard let header = TransferRecord.readEntry(&reader) else { throw .malformed("ENTRY") }
      self = .entry(header)
    case .entryEnd: self = .entryEnd(hash: payload)
    case .end:
      guard let entries = reader.integer(UInt32.self), let bytes = reader.integer(UInt64.self) else {
        throw .malformed("END")
      }
      self = .end(entryCount: entries, byteCount: bytes)
    case .data: throw .unexpected("DATA")
    }
  }

  private static func readEntry(_ reader: inout ByteReader) -> EntryHeader? {
    guard let index = reader.integer(UInt32.self), let preceding = reader.integer(UInt64.self),
      let offset = reader.integer(UInt64.self), let size = reader.integer(UInt64.self),
      let flags = reader.integer(UInt8.self), flags & ~(folderBit | executableBit | timeBit) == 0,
      let depth = reader.integer(UInt8.self), depth <= TransferEntry.maximumDepth
    else { return nil }
    var time: Int64?
    if flags & timeBit != 0 {
      guard let value = reader.integer(UInt64.self) else { return nil }
      time = Int64(bitPattern: value)
    }
    var path: [String] = []
    for _ in 0..<depth {
      guard let length = reader.integer(UInt8.self), let bytes = reader.slice(Int(length)),
        let name = String(validating: bytes, as: UTF8.self)
      else { return nil }
      path.append(name)
    }
    let isFolder = flags & folderBit != 0
    let isExecutable = flags & executableBit != 0
    guard reader.remainingCount == 0, !isFolder || (size == 0 && offset == 0 && !isExecutable) else {
      return nil
    }
    return TransferEntry(
      path: path, kind: isFolder ? .folder : .file(sizeBytes: size, isExecutable: isExecutable),
      modifiedAtUnixSeconds: time
    ).map { EntryHeader(index: index, precedingBytes: preceding, offset: offset, entry: $0) }
  }
}

/// Cuts the plaintext of a bulk connection into records, fed in pieces of any size; content of DATA is passed on where it lies.
public struct TransferRecordDecoder: Sendable {
  public enum Item: Equatable, Sendable {
    case record(TransferRecord)
    /// Where a part of the content of a DATA record lies in the bytes that were given; never empty.
    case data(Range<Int>)
  }

  private enum State: Sendable {
    case header
    case payload(TransferRecord.Kind, length: Int)
    case data(remaining: Int)
  }

  private var state = State.header
  /// The part of a header or payload that came before; at most one record but DATA.
  private var stored: [UInt8] = []

  public init() {}

  /// The next item, nil when `position` has reached the end of `bytes` and more are needed.
  ///
  /// - Parameters:
  ///   - bytes: what arrived; valid during the call only.
  ///   - position: where to go on; moved past what was used.
  public mutating func next(
    in bytes: UnsafeRawBufferPointer, from position: inout Int
  ) throws(TransferProtocolError) -> Item? {
    while true {
      switch state {
      case .header:
        guard store(bytes, &position, until: TransferRecord.headerBytes) else { return nil }
        let length = Int(stored[1]) << 16 | Int(stored[2]) << 8 | Int(stored[3])
        guard let kind = TransferRecord.Kind(rawValue: stored[0]) else { throw .unknownType(stored[0]) }
        guard kind.payloadBytes.contains(length) else { throw .length(type: stored[0], bytes: length) }
        stored.removeAll(keepingCapacity: true)
        state = kind == .data ? .data(remaining: length) : .payload(kind, length: length)
      case .payload(let kind, let length):
        guard store(bytes, &position, until: length) else { return nil }
        state = .header
        let payload = stored
        stored.removeAll(keepingCapacity: true)
        return .record(try TransferRecord(kind, payload))
      case .data(let remaining):
        let count = min(remaining, bytes.count - position)
        guard count > 0 else { return nil }
        state = count == remaining ? .header : .data(remaining: remaining - count)
        defer { position += count }
        return .data(position..<position + count)
      }
    }
  }

  /// Whether `stored` has `count` bytes now.
  private mutating func store(_ bytes: UnsafeRawBufferPointer, _ position: inout Int, until count: Int)
    -> Bool
  {
    let taken = min(count - stored.count, bytes.count - position)
    if taken > 0 {
      stored.append(contentsOf: bytes[position..<position + taken])
      position += taken
    }
    return stored.count == count
  }
}
