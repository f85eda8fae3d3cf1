/// Why a datagram could not be protected.
public enum DTLSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The handshake is not finished.
  case notEstablished
  /// This side or the peer ended the association.
  case closed
  /// One byte at least and this many at most fit into a datagram.
  case payloadSize(maximumBytes: Int)
  /// OpenSSL failed by itself.
  case library(String)

  public var description: String {
    switch self {
    case .notEstablished: "the DTLS handshake is not finished"
    case .closed: "the DTLS association is closed"
    case .payloadSize(let maximumBytes): "a datagram carries 1 to \(maximumBytes) bytes"
    case .library(let reason): "OpenSSL: \(reason)"
    }
  }
}
