public import FileTransfer
public import PeerProtocol
import ServiceRuntime

extension PeerTransceiver {
  /// A peer offers a file, folder or stream; answer now or later with `accept`, `acceptStream` or `decline`. Without a handler
  /// every offer is declined.
  public var onOffer: ((Transfer) -> Void)? {
    get { transfers.onOffer }
    set { transfers.onOffer = newValue }
  }

  /// Offers a file or folder to a connected peer. At most 8 offers to one peer are open at a time, 256 more wait for a place.
  ///
  /// It goes on by itself after a break, as long as the session lives.
  ///
  /// - Parameters:
  ///   - offer: what `source` has: the kinds and sizes must agree.
  ///   - source: read on another thread; closed in every case.
  public func offer(
    _ offer: TransferOffer, to id: PeerID, source: any TransferSource
  ) -> Result<Transfer, TransferFailure> {
    if case .stream = offer.kind { preconditionFailure("a stream has no source: use openStream") }
    return transfers.offer(offer, to: id, source: source)
  }

  /// Offers a byte stream to a connected peer; what is written before it is accepted waits.
  ///
  /// - Parameter name: tells the other side what it is for, 1 to 255 bytes.
  public func openStream(
    _ name: String, writers: TransferOffer.StreamWriters = .both, to id: PeerID
  ) -> Result<Transfer, TransferFailure> {
    guard let offer = TransferOffer(kind: .stream(writers), name: name) else {
      preconditionFailure("a stream's name has 1 to \(TransferOffer.maximumNameBytes) bytes")
    }
    return transfers.offer(offer, to: id, source: nil)
  }
}
