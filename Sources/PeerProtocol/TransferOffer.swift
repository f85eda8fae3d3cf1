/// Names one transfer in a session; the highest bit says who offered it.
public struct TransferID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The `number`th transfer that one side offers, from 1 on.
  init(number: UInt32, byInviter: Bool) { rawValue = byInviter ? number : number | 0x8000_0000 }

  var isByInviter: Bool { rawValue & 0x8000_0000 == 0 }
  var number: UInt32 { rawValue & 0x7FFF_FFFF }

  /// Big-endian, as in the bulk connection's token.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(rawValue)
    return bytes
  }

  public var description: String { "\(isByInviter ? "inviter's" : "host's") transfer \(number)" }

  public static func < (left: TransferID, right: TransferID) -> Bool { left.rawValue < right.rawValue }
}

/// What a peer wants to send, or which stream it wants to open.
public struct TransferOffer: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case file(sizeBytes: UInt64)
    /// - Parameter entryCount: files and folders inside, the folder itself not counted.
    case folder(entryCount: UInt32, sizeBytes: UInt64)
    case stream(StreamWriters)
  }

  /// Who writes into a stream.
  public enum StreamWriters: UInt8, Sendable {
    case offerer = 1
    case acceptor = 2
    case both = 3
  }

  public static let maximumNameBytes = 255
  public static let maximumContentKeyBytes = 32

  public let kind: Kind
  /// What the sender calls it, 1 to 255 bytes; the receiver makes it safe before it becomes a file name.
  public let name: String
  /// Seconds since 1970-01-01 UTC; nil when the sender does not say.
  public let modifiedAtUnixSeconds: Int64?
  /// Equal for equal content of one sender, so that a kept partial result can be found again; empty when the sender does not say.
  public let contentKey: [UInt8]

  /// - Returns: nil when the name is empty or longer than its bound, or the content key longer.
  public init?(
    kind: Kind, name: String, modifiedAtUnixSeconds: Int64? = nil, contentKey: [UInt8] = []
  ) {
    guard (1...TransferOffer.maximumNameBytes).contains(name.utf8.count),
      contentKey.count <= TransferOffer.maximumContentKeyBytes
    else { return nil }
    self.kind = kind
    self.name = name
    self.modifiedAtUnixSeconds = modifiedAtUnixSeconds
    self.contentKey = contentKey
  }

  /// Bytes of content in all; 0 for a stream, which does not know.
  public var sizeBytes: UInt64 {
    switch kind {
    case .file(let sizeBytes), .folder(_, let sizeBytes): sizeBytes
    case .stream: 0
    }
  }

  /// Entries that the bulk connection carries.
  public var entryCount: UInt32 {
    switch kind {
    case .file: 1
    case .folder(let entryCount, _): entryCount
    case .stream: 0
    }
  }
}

/// Why a transfer was declined or ended early, as the peers tell each other.
public enum TransferReason: UInt8, Sendable, CaseIterable, CustomStringConvertible {
  case declined = 1
  case busy = 2
  case notSupported = 3
  case cancelled = 4
  case noSpace = 5
  case notReadable = 6
  case notWritable = 7
  case changed = 8
  case unsafeName = 9
  case wrongHash = 10
  case wrongByteCount = 11
  case stalled = 12
  case protocolError = 13
  case connectionLost = 14
  /// A reason that this version has no name for.
  case other = 255

  public var description: String {
    switch self {
    case .declined: "declined"
    case .busy: "busy"
    case .notSupported: "not supported"
    case .cancelled: "cancelled"
    case .noSpace: "no space"
    case .notReadable: "not readable"
    case .notWritable: "not writable"
    case .changed: "changed"
    case .unsafeName: "unsafe name"
    case .wrongHash: "wrong hash"
    case .wrongByteCount: "wrong byte count"
    case .stalled: "stalled"
    case .protocolError: "protocol error"
    case .connectionLost: "connection lost"
    case .other: "other"
    }
  }
}

/// A peer broke the rules of transfers.
public enum TransferProtocolError: Error, Equatable, Sendable, CustomStringConvertible {
  case unknownType(UInt8)
  case length(type: UInt8, bytes: Int)
  case malformed(String)
  case unexpected(String)
  /// More or fewer bytes or entries than announced.
  case wrongByteCount(String)

  public var description: String {
    switch self {
    case .unknownType(let type): "record of unknown type \(type)"
    case .length(let type, let bytes): "record of type \(type) with \(bytes) bytes, outside its bounds"
    case .malformed(let what): "malformed \(what)"
    case .unexpected(let what): "unexpected \(what)"
    case .wrongByteCount(let what): what
    }
  }

  /// What the peer is told.
  public var reason: TransferReason {
    switch self {
    case .wrongByteCount: .wrongByteCount
    case .unknownType, .length, .malformed, .unexpected: .protocolError
    }
  }
}
