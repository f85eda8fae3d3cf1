import COpenSSL
import Glibc
public import PeerProtocol
import ServiceRuntime

/// Who this program is: an Ed25519 key and the self-signed certificate whose SHA-256 is its `PeerID`.
///
/// Confined to the thread of its loop, like everything that is made from it.
@safe public final class Identity {
  /// Bound of each file; real ones are under 1 KB.
  private static let maximumFileBytes = 16_384

  public let peerID: PeerID
  /// One context for both roles: pinned verification, TLS 1.3 only, both sides present certificates.
  let context: OpaquePointer

  /// Loads the identity of a state directory, or makes one at the first start.
  ///
  /// Two programs that start for the first time together end with the same identity. The certificate is written
  /// first, so a power loss in between leaves no key and the next start begins anew.
  ///
  /// - Parameters:
  ///   - directory: made with mode 0700 when it is missing.
  ///   - commonName: the subject of a new certificate, for people who look at it; cut to 63 bytes.
  public static func loadOrCreate(directory: String, commonName: String) throws(IdentityError) -> Identity {
    let keyPath = "\(directory)/identity.key"
    let certificatePath = "\(directory)/identity.crt"
    do throws(SystemError) { try Files.makeDirectory(directory, mode: 0o700) } catch {
      throw .notWritten(error)
    }
    if let mode = mode(of: directory), mode & 0o002 != 0 {
      throw .directoryWritableByOthers(path: directory)
    }
    let lock: DirectoryLock
    do throws(SystemError) { lock = try DirectoryLock(directory) } catch { throw .unreadable(error) }
    defer { lock.release() }

    if mode(of: keyPath) == nil, errno == ENOENT {
      let made = try NewIdentity(commonName: commonName)
      do throws(SystemError) {
        try Files.replace(certificatePath, with: made.certificatePEM, mode: 0o644)
        try Files.replace(keyPath, with: made.keyPEM, mode: 0o600)
      } catch { throw .notWritten(error) }
    }
    return try Identity(keyPath: keyPath, certificatePath: certificatePath)
  }

  /// Makes an identity that is nowhere stored and ends with the program.
  public static func ephemeral(commonName: String) throws(IdentityError) -> Identity {
    let made = try NewIdentity(commonName: commonName)
    return try Identity(
      keyPEM: made.keyPEM, certificatePEM: made.certificatePEM, keyPath: "new key",
      certificatePath: "new certificate")
  }

  private convenience init(keyPath: String, certificatePath: String) throws(IdentityError) {
    if let mode = Identity.mode(of: keyPath), mode & 0o077 != 0 {
      throw .keyReadableByOthers(path: keyPath, mode: mode)
    }
    let keyPEM: [UInt8]
    let certificatePEM: [UInt8]
    do throws(SystemError) {
      keyPEM = try Files.read(keyPath, maximumBytes: Identity.maximumFileBytes)
    } catch { throw .unreadable(error) }
    do throws(SystemError) {
      certificatePEM = try Files.read(certificatePath, maximumBytes: Identity.maximumFileBytes)
    } catch {
      if error.code == ENOENT { throw .certificateMissing(path: certificatePath, keyPath: keyPath) }
      throw .unreadable(error)
    }
    try self.init(
      keyPEM: keyPEM, certificatePEM: certificatePEM, keyPath: keyPath, certificatePath: certificatePath)
  }

  private init(
    keyPEM: [UInt8], certificatePEM: [UInt8], keyPath: String, certificatePath: String
  ) throws(IdentityError) {
    ErrorQueue.clear()
    let key = unsafe withMemoryBIO(keyPEM) { bio in
      // The callback stands in for a prompt: a program without a terminal must not ask for a pass phrase.
      unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in 0 }, nil)
    }
    guard let key = unsafe key else {
      throw .damaged(path: keyPath, reason: ErrorQueue.drainText())
    }
    defer { unsafe EVP_PKEY_free(key) }
    let certificate = unsafe withMemoryBIO(certificatePEM) { bio in
      unsafe PEM_read_bio_X509(bio, nil, nil, nil)
    }
    guard let certificate = unsafe certificate else {
      throw .damaged(path: certificatePath, reason: ErrorQueue.drainText())
    }
    defer { unsafe X509_free(certificate) }

    if unsafe EVP_PKEY_get_id(key) != NID_ED25519 {
      throw .damaged(path: keyPath, reason: "not an Ed25519 key")
    }
    let check = unsafe CertificateCheck(certificate)
    guard let peerID = check.peerID, check.fault == nil else {
      throw .damaged(path: certificatePath, reason: check.fault ?? "no identity")
    }
    guard unsafe X509_check_private_key(certificate, key) == 1 else {
      ErrorQueue.clear()
      throw .mismatch(keyPath: keyPath, certificatePath: certificatePath)
    }
    self.peerID = peerID
    unsafe context = try Identity.makeContext(key: key, certificate: certificate)
  }

  deinit { unsafe SSL_CTX_free(context) }

  /// The fastest one first, the client's order counts: AES-128 where the processor has it, else ChaCha20, which is several times
  /// faster in software.
  private static let cipherSuites =
    copenssl_has_fast_aes() != 0
    ? "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
    : "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384"

  private static func makeContext(
    key: OpaquePointer, certificate: OpaquePointer
  ) throws(IdentityError) -> OpaquePointer {
    guard let context = unsafe SSL_CTX_new(TLS_method()) else { throw .library(ErrorQueue.drainText()) }
    let version = Int(TLS1_3_VERSION)
    unsafe SSL_CTX_set_options(
      context, copenssl_no_ticket() | copenssl_no_compression() | copenssl_no_renegotiation())
    guard unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, version, nil) == 1,
      unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, version, nil) == 1,
      // No resumption in any form: each connection proves both identities anew.
      unsafe SSL_CTX_set_num_tickets(context, 0) == 1,
      unsafe SSL_CTX_set_ciphersuites(context, cipherSuites) == 1,
      unsafe SSL_CTX_use_certificate(context, certificate) == 1,
      unsafe SSL_CTX_use_PrivateKey(context, key) == 1
    else {
      let reason = ErrorQueue.drainText()
      unsafe SSL_CTX_free(context)
      throw .library(reason)
    }
    unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    // Idle connections give their record buffers back: 34 KB each.
    unsafe SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    // One Ed25519 certificate is under 400 bytes; the default would take 100 KB from a stranger.
    unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, 8_192, nil)
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    unsafe SSL_CTX_set_cert_verify_callback(context, verifyPeerCertificate, nil)
    return unsafe context
  }

  /// The permission bits, or nil with `errno` set.
  private static func mode(of path: String) -> UInt32? {
    var information = stat()
    return unsafe stat(path, &information) == 0 ? information.st_mode & 0o7777 : nil
  }
}

/// Lets OpenSSL read bytes of ours.
private func withMemoryBIO(
  _ bytes: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?
) -> OpaquePointer? {
  unsafe bytes.withUnsafeBytes { buffer in
    guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
    defer { unsafe BIO_free(bio) }
    return unsafe body(bio)
  }
}
