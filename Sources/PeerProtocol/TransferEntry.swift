/// A file or a folder inside a transfer.
public struct TransferEntry: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case folder
    /// `sizeBytes` follow, no more and no fewer.
    case file(sizeBytes: UInt64, isExecutable: Bool)
  }

  /// Names below the transfer's own name, outermost first; empty for the one entry of a file transfer.
  ///
  /// Checked against the bounds below and nothing else: whoever makes a file of it makes it safe first.
  public let path: [String]
  public let kind: Kind
  /// When the content was last changed, in whole seconds since 1970-01-01 UTC; nil when the sender does not say.
  public let modifiedAtUnixSeconds: Int64?

  public static let maximumDepth = 64
  public static let maximumNameBytes = 255
  /// Of all names together.
  public static let maximumPathBytes = 4096

  /// - Returns: nil when the path is deeper or longer than a transfer carries.
  public init?(path: [String], kind: Kind, modifiedAtUnixSeconds: Int64? = nil) {
    guard path.count <= Self.maximumDepth,
      path.allSatisfy({ (1...Self.maximumNameBytes).contains($0.utf8.count) }),
      path.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumPathBytes
    else { return nil }
    self.path = path
    self.kind = kind
    self.modifiedAtUnixSeconds = modifiedAtUnixSeconds
  }

  /// Bytes of content; 0 for a folder.
  public var sizeBytes: UInt64 {
    switch kind {
    case .folder: 0
    case .file(let sizeBytes, _): sizeBytes
    }
  }
}

/// How far a transfer has got: so many entries are complete, and so many bytes of the next one are there.
public struct TransferPosition: Hashable, Sendable {
  public var entryIndex: UInt32
  public var offsetBytes: UInt64

  public static let start = TransferPosition(entryIndex: 0, offsetBytes: 0)

  public init(entryIndex: UInt32, offsetBytes: UInt64) {
    self.entryIndex = entryIndex
    self.offsetBytes = offsetBytes
  }
}
