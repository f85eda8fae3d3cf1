import COpenSSL
public import PeerProtocol

/// What makes a certificate usable as an identity, the same for ours and for a peer's.
///
/// Validity dates are not looked at: a vehicle's computer has no clock that could be trusted, and a peer is trusted
/// by its fingerprint until it is untrusted.
@safe struct CertificateCheck {
  let peerID: PeerID?
  /// Why it cannot be an identity, or nil.
  let fault: String?

  init(_ certificate: OpaquePointer) {
    peerID = unsafe CertificateCheck.der(of: certificate).flatMap { PeerID(bytes: sha256($0)) }
    let key = unsafe X509_get0_pubkey(certificate)
    if peerID == nil {
      fault = "it cannot be encoded"
    } else if unsafe key == nil || EVP_PKEY_get_id(key) != NID_ED25519 {
      fault = "its key is not an Ed25519 key"
    } else if unsafe X509_self_signed(certificate, 1) != 1 {
      fault = "it is not signed by its own key"
    } else {
      fault = nil
    }
    ErrorQueue.clear()
  }

  static func der(of certificate: OpaquePointer) -> [UInt8]? {
    let length = unsafe i2d_X509(certificate, nil)
    guard length > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      // i2d advances the pointer it is given, so it gets a copy.
      var cursor = buffer.baseAddress
      return unsafe i2d_X509(certificate, &cursor)
    }
    return written == length ? bytes : nil
  }
}

/// Whom a connection accepts, besides the proof that the peer holds the key of its certificate.
public enum PeerPolicy: Equatable, Sendable {
  /// Only this peer; the handshake fails for any other.
  case exactly(PeerID)
  /// Anybody with a well-formed identity: the application decides by `TLSEngine.peerID` once the handshake is finished.
  case any
}

/// What the verify callback is told and what it found; one for each connection.
final class Verification {
  let policy: PeerPolicy
  var peerID: PeerID?
  var refusal: TLSError?

  init(policy: PeerPolicy) { self.policy = policy }

  /// Decides about the certificates that the peer sent.
  func accepts(leaf: OpaquePointer, certificateCount: Int32) -> Bool {
    let check = unsafe CertificateCheck(leaf)
    if certificateCount != 1 {
      refusal = .unsuitableCertificate("\(certificateCount) certificates instead of one")
    } else if let fault = check.fault {
      refusal = .unsuitableCertificate(fault)
    } else if let got = check.peerID {
      peerID = got
      switch policy {
      case .any: return true
      case .exactly(let expected):
        if got == expected { return true }
        refusal = .wrongPeer(expected: expected, got: got)
      }
    }
    return false
  }
}

/// The only judge of certificates: OpenSSL's own chain building does not run.
func verifyPeerCertificate(_ store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
  guard let store = unsafe store,
    let connection = unsafe X509_STORE_CTX_get_ex_data(
      store, SSL_get_ex_data_X509_STORE_CTX_idx()),
    let context = unsafe SSL_get_ex_data(OpaquePointer(connection), 0),
    let leaf = unsafe X509_STORE_CTX_get0_cert(store)
  else { return 0 }
  // Kept alive by the engine, which outlives its SSL object.
  let verification = unsafe Unmanaged<Verification>.fromOpaque(context).takeUnretainedValue()
  let count = unsafe OPENSSL_sk_num(X509_STORE_CTX_get0_untrusted(store))
  if unsafe verification.accepts(leaf: leaf, certificateCount: count) {
    unsafe X509_STORE_CTX_set_error(store, X509_V_OK)
    return 1
  }
  // Becomes the alert "bad certificate".
  unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
  return 0
}
