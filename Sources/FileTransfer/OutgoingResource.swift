public import PeerProtocol
import SecureTransport

/// A file or folder here, opened to be sent.
public struct OutgoingResource: Sendable {
  /// What the peer is told. Its content key changes with any size, time or name inside, so that an earlier try is gone on with only when nothing changed.
  public let offer: TransferOffer
  /// Closed by whoever sends it.
  public let source: any TransferSource
  /// What of a folder is not sent; the first thousand.
  public let omissions: [Omission]
  /// How many are not sent.
  public let omittedCount: Int

  /// Opens what the user named. Blocks for as long as a folder takes to list.
  ///
  /// - Parameter name: what the peer shall call it; its own name when nil or empty.
  public init(path: String, named name: String? = nil) throws(SendingError) {
    do throws(SendingError) {
      let file = try FileSource(path: path)
      offer = Self.offer(
        .file(sizeBytes: file.sizeBytes), name, else: file.name, modified: file.modifiedAtUnixSeconds,
        file.contentKey)
      source = file
      omissions = []
      omittedCount = 0
    } catch {
      guard case .isFolder = error else { throw error }
      let folder = try FolderSource(path: path)
      offer = Self.offer(
        .folder(entryCount: folder.entryCount, sizeBytes: folder.sizeBytes), name, else: folder.name,
        modified: nil,
        folder.contentKey)
      source = folder
      omissions = folder.omissions
      omittedCount = folder.omittedCount
    }
  }

  private static func offer(
    _ kind: TransferOffer.Kind, _ name: String?, else own: String, modified: Int64?, _ key: [UInt8]
  ) -> TransferOffer {
    let wanted = name.flatMap { $0.isEmpty ? nil : $0 } ?? own
    // A name that the offer has no room for is cut as the receiver would cut it.
    let fits = (1...TransferOffer.maximumNameBytes).contains(wanted.utf8.count)
    let name = fits ? wanted : SafeFileName(component: wanted.utf8, fallback: "folder").description
    guard let offer = TransferOffer(kind: kind, name: name, modifiedAtUnixSeconds: modified, contentKey: key)
    else {
      preconditionFailure("a safe name and a digest fit")
    }
    return offer
  }
}

extension ReceivingTerms {
  /// - Parameters:
  ///   - sender: whom the connection proved.
  ///   - senderName: a label for the name on disk; of any origin.
  /// - Returns: nil for a stream, which is no file.
  public init?(_ offer: TransferOffer, from sender: PeerID, named senderName: String) {
    let content: Content
    switch offer.kind {
    case .file(let sizeBytes):
      content = .file(sizeBytes: sizeBytes, modifiedAtUnixSeconds: offer.modifiedAtUnixSeconds)
    case .folder(let entryCount, let sizeBytes):
      content = .folder(entryCount: entryCount, sizeBytes: sizeBytes)
    case .stream: return nil
    }
    self.init(
      sender: sender.bytes, senderName: senderName, name: offer.name, content: content,
      contentKey: offer.contentKey)
  }
}
