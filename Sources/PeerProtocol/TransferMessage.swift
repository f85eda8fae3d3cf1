/// What two peers say about a transfer on the control plane, in messages of class 240.
public struct TransferMessage: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// Nil for a kind of transfer that this version does not know.
    case offer(TransferOffer?)
    case accept
    case decline(TransferReason, text: String)
    case cancel(TransferReason, text: String)
    case finished(byteCount: UInt64)
  }

  /// The message class of transfers.
  public static let messageClass: UInt8 = 240
  static let maximumTextBytes = 200
  /// Enough for every field of this version with its longest value, and as much again for later ones.
  static let maximumBytes = 2048

  public let id: TransferID
  public let content: Content

  public init(_ id: TransferID, _ content: Content) {
    self.id = id
    self.content = content
  }

  private enum Tag {
    static let verb: UInt8 = 1
    static let id: UInt8 = 2
    static let kind: UInt8 = 3
    static let name: UInt8 = 4
    static let size: UInt8 = 5
    static let entries: UInt8 = 6
    static let modified: UInt8 = 7
    static let contentKey: UInt8 = 8
    static let writers: UInt8 = 9
    static let reason: UInt8 = 10
    static let text: UInt8 = 11
    static let byteCount: UInt8 = 12
  }

  private enum Verb: UInt8 {
    case offer = 1
    case accept = 2
    case decline = 3
    case cancel = 4
    case finished = 5
  }

  private enum KindCode: UInt8 {
    case file = 1
    case folder = 2
    case stream = 3
  }

  public var encoded: [UInt8] {
    var writer = TaggedFieldWriter()
    func begin(_ verb: Verb) {
      writer.set(Tag.verb, verb.rawValue)
      writer.set(Tag.id, id.rawValue)
    }
    switch content {
    case .offer(let offer):
      begin(.offer)
      if let offer { TransferMessage.write(offer, &writer) } else { writer.set(Tag.kind, UInt8(0)) }
    case .accept: begin(.accept)
    case .decline(let reason, let text):
      begin(.decline)
      writer.set(Tag.reason, reason.rawValue)
      writer.set(Tag.text, text, maximumBytes: TransferMessage.maximumTextBytes)
    case .cancel(let reason, let text):
      begin(.cancel)
      writer.set(Tag.reason, reason.rawValue)
      writer.set(Tag.text, text, maximumBytes: TransferMessage.maximumTextBytes)
    case .finished(let byteCount):
      begin(.finished)
      writer.set(Tag.byteCount, byteCount)
    }
    return writer.bytes
  }

  private static func write(_ offer: TransferOffer, _ writer: inout TaggedFieldWriter) {
    switch offer.kind {
    case .file(let sizeBytes):
      writer.set(Tag.kind, KindCode.file.rawValue)
      writer.set(Tag.size, sizeBytes)
    case .folder(let entryCount, let sizeBytes):
      writer.set(Tag.kind, KindCode.folder.rawValue)
      writer.set(Tag.size, sizeBytes)
      writer.set(Tag.entries, entryCount)
    case .stream(let writers):
      writer.set(Tag.kind, KindCode.stream.rawValue)
      writer.set(Tag.writers, writers.rawValue)
    }
    writer.set(Tag.name, offer.name, maximumBytes: TransferOffer.maximumNameBytes)
    writer.set(Tag.modified, offer.modifiedAtUnixSeconds.map { UInt64(bitPattern: $0) })
    if !offer.contentKey.isEmpty { writer.set(Tag.contentKey, offer.contentKey[...]) }
  }

  /// - Returns: nil for a verb of a later version, which is ignored.
  public static func decode(_ payload: ArraySlice<UInt8>) throws(TransferProtocolError) -> TransferMessage? {
    guard payload.count <= maximumBytes, let fields = TaggedFieldReader(payload),
      let verbCode = fields.integer(Tag.verb, UInt8.self),
      let id = fields.integer(Tag.id, UInt32.self).map(TransferID.init(rawValue:))
    else { throw .malformed("transfer message") }
    guard let verb = Verb(rawValue: verbCode) else { return nil }
    switch verb {
    case .offer: return TransferMessage(id, .offer(try offer(fields)))
    case .accept: return TransferMessage(id, .accept)
    case .decline, .cancel:
      guard let code = fields.integer(Tag.reason, UInt8.self) else {
        throw .malformed("transfer message without a reason")
      }
      let reason = TransferReason(rawValue: code) ?? .other
      let text = fields.string(Tag.text)?.prefix(utf8Bytes: maximumTextBytes) ?? ""
      return TransferMessage(
        id, verb == .decline ? .decline(reason, text: text) : .cancel(reason, text: text))
    case .finished:
      guard let byteCount = fields.integer(Tag.byteCount, UInt64.self) else {
        throw .malformed("FINISHED without a byte count")
      }
      return TransferMessage(id, .finished(byteCount: byteCount))
    }
  }

  private static func offer(_ fields: TaggedFieldReader) throws(TransferProtocolError) -> TransferOffer? {
    guard let code = fields.integer(Tag.kind, UInt8.self) else { throw .malformed("OFFER without a kind") }
    guard let kindCode = KindCode(rawValue: code) else { return nil }
    let size = fields.integer(Tag.size, UInt64.self)
    let kind: TransferOffer.Kind? =
      switch kindCode {
      case .file: size.map { .file(sizeBytes: $0) }
      case .folder:
        if let size, let entries = fields.integer(Tag.entries, UInt32.self) {
          .folder(entryCount: entries, sizeBytes: size)
        } else {
          nil
        }
      case .stream:
        fields.integer(Tag.writers, UInt8.self).flatMap(TransferOffer.StreamWriters.init(rawValue:))
          .map { .stream($0) }
      }
    let modified = fields.integer(Tag.modified, UInt64.self).map { Int64(bitPattern: $0) }
    let key = fields.bytes(Tag.contentKey).map(Array.init) ?? []
    guard let kind, let nameBytes = fields.bytes(Tag.name),
      let name = String(validating: nameBytes, as: UTF8.self),
      let offer = TransferOffer(kind: kind, name: name, modifiedAtUnixSeconds: modified, contentKey: key)
    else { throw .malformed("OFFER") }
    return offer
  }
}
