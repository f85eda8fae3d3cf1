/// What a receiver allows and how it names what arrives.
public struct ReceivingPolicy: Equatable, Sendable {
  public enum Naming: Equatable, Sendable {
    /// `report.pdf`
    case asSent
    /// `report from Anna.pdf`: shows later where it is from. A name that a peer chose cannot pass for one of the user's own.
    case withSender
  }

  public var naming = Naming.withSender
  /// Free bytes that stay free on the disk.
  public var reserveBytes: UInt64 = 64 << 20
  /// Of one transfer.
  public var maximumBytes = UInt64.max
  /// Files and folders of one transfer.
  public var maximumEntries: UInt32 = 200_000
  /// False removes what is incomplete at once, and does not go on with what an earlier try left.
  public var keepsPartials = true
  /// Bounds for what is kept of broken transfers: the oldest goes first.
  public var maximumPartials = 16
  public var maximumPartialBytes: UInt64 = 16 << 30
  public var maximumPartialAge = Duration.seconds(7 * 24 * 3600)
  /// Whether a received program may be started right away. Off: nothing that a peer sends can run before somebody allows it.
  public var keepsExecutableBit = false
  /// Whether a transfer counts as finished only when the disk has it. Then the sender may remove its own copy.
  public var isDurable = true

  public init() {}
}

/// What a peer offers, as the receiving side needs it.
public struct ReceivingTerms: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    case file(sizeBytes: UInt64, modifiedAtUnixSeconds: Int64?)
    /// Files and folders inside, and the bytes of all files together.
    case folder(entryCount: UInt32, sizeBytes: UInt64)
  }

  /// Proven by the connection.
  public let sender: [UInt8]
  /// A label for the name on disk; of any origin.
  public let senderName: String
  /// Of any origin.
  public let name: String
  public let content: Content
  /// Equal for equal content of one sender (`TransferOffer.contentKey`); empty when the sender does not say. A folder without it is always received from its beginning, since
  /// nothing tells whether what is there of it is still the same.
  public let contentKey: [UInt8]

  /// - Parameter sender: the identity of the sender (32 bytes), or whatever tells senders apart.
  public init(sender: [UInt8], senderName: String, name: String, content: Content, contentKey: [UInt8] = []) {
    self.contentKey = contentKey
    self.sender = sender
    self.senderName = senderName
    self.name = name
    self.content = content
  }

  var sizeBytes: UInt64 {
    switch content {
    case .file(let sizeBytes, _), .folder(_, let sizeBytes): sizeBytes
    }
  }

  var entryCount: UInt32 {
    switch content {
    case .file: 1
    case .folder(let entryCount, _): entryCount
    }
  }

  var isFolder: Bool {
    switch content {
    case .file: false
    case .folder: true
    }
  }
}
