public import PeerProtocol

/// Why a secure connection could not be made or kept.
public enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The peer proved another identity than the one that was asked for.
  case wrongPeer(expected: PeerID, got: PeerID)
  /// The peer's certificate cannot be an identity: a chain, another kind of key, not signed by itself.
  case unsuitableCertificate(String)
  /// The peer presented no certificate.
  case noCertificate
  /// The peer gave up and said why.
  case alert(String)
  /// What arrived is not TLS.
  case notTLS
  /// The peer offers no TLS 1.3.
  case unsupportedVersion
  /// The peer broke the protocol, or the bytes were changed on their way.
  case protocolViolation(String)
  /// Application data or an exporter was asked for before the handshake was finished.
  case notEstablished
  /// The connection was closed by this side or failed before.
  case closed
  /// The network connection broke or ended without a farewell.
  case connectionLost(String)
  /// OpenSSL failed by itself.
  case library(String)

  public var description: String {
    switch self {
    case .wrongPeer(let expected, let got):
      "the peer's certificate is not the expected one: got \(got.short).., expected \(expected.short).."
    case .unsuitableCertificate(let reason): "the peer's certificate was refused: \(reason)"
    case .noCertificate: "the peer presented no certificate"
    case .alert(let text): "the peer sent an alert: \(text)"
    case .notTLS: "not a TLS peer"
    case .unsupportedVersion: "the peer does not speak TLS 1.3"
    case .protocolViolation(let reason): "the peer broke the TLS protocol: \(reason)"
    case .notEstablished: "the TLS handshake is not finished"
    case .closed: "the secure connection is closed"
    case .connectionLost(let reason): "the connection broke: \(reason)"
    case .library(let reason): "OpenSSL: \(reason)"
    }
  }
}
