import COpenSSL
import SecureTransport
import ServiceRuntime

/// A TLS peer that is not ours: made directly with OpenSSL, with whatever our engine must refuse.
final class ForeignPeer {
  enum Kind: Sendable {
    case suitable
    case ellipticCurveKey
    case rsaKey
    case twoCertificates
    case signedByAnother
    case oldVersion
    case noCertificate

    var expectedError: TLSError? {
      switch self {
      case .suitable: nil
      case .ellipticCurveKey, .rsaKey: .unsuitableCertificate("its key is not an Ed25519 key")
      case .twoCertificates: .unsuitableCertificate("2 certificates instead of one")
      case .signedByAnother: .unsuitableCertificate("it is not signed by its own key")
      case .oldVersion: .unsupportedVersion
      case .noCertificate: .noCertificate
      }
    }
  }

  static let unsuitable: [Kind] = [
    .ellipticCurveKey, .rsaKey, .twoCertificates, .signedByAnother, .oldVersion, .noCertificate,
  ]

  private let context: OpaquePointer
  private let connection: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer

  init(_ kind: Kind, isServer: Bool) throws {
    let failure = SystemError("make a foreign peer", code: 0)
    guard let context = SSL_CTX_new(TLS_method()) else { throw failure }
    self.context = context
    if kind == .oldVersion {
      SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    }
    if kind != .noCertificate {
      let algorithm =
        switch kind {
        case .ellipticCurveKey, .oldVersion: NID_X9_62_id_ecPublicKey
        case .rsaKey: NID_rsaEncryption
        case .suitable, .twoCertificates, .signedByAnother, .noCertificate: NID_ED25519
        }
      let key = try ForeignPeer.makeKey(algorithm)
      let signer = kind == .signedByAnother ? try ForeignPeer.makeKey(NID_ED25519) : key
      let certificate = try ForeignPeer.makeCertificate(key, signedBy: signer, algorithm)
      SSL_CTX_use_certificate(context, certificate)
      SSL_CTX_use_PrivateKey(context, key)
      if kind == .twoCertificates {
        // SSL_CTX_add1_chain_cert is a macro.
        SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate))
      }
      X509_free(certificate)
      if signer != key { EVP_PKEY_free(signer) }
      EVP_PKEY_free(key)
    }
    guard let connection = SSL_new(context), let input = BIO_new(BIO_s_mem()),
      let output = BIO_new(BIO_s_mem())
    else { throw failure }
    self.connection = connection
    self.input = input
    self.output = output
    SSL_set_bio(connection, input, output)
    if isServer { SSL_set_accept_state(connection) } else { SSL_set_connect_state(connection) }
  }

  deinit {
    SSL_free(connection)
    SSL_CTX_free(context)
  }

  /// Shakes hands with one of our engines.
  ///
  /// - Returns: our engine's error.
  func converse(with engine: TLSEngine) -> TLSError? {
    do throws(TLSError) {
      var forUs = try engine.start()
      for _ in 0..<6 {
        BIO_write(input, forUs, Int32(forUs.count))
        SSL_do_handshake(connection)
        ERR_clear_error()
        var answer = [UInt8](repeating: 0, count: 65_536)
        let count = BIO_read(output, &answer, Int32(answer.count))
        forUs = try engine.receive(Array(answer.prefix(max(0, Int(count))))).output
      }
      return nil
    } catch {
      return error
    }
  }

  private static func makeKey(_ algorithm: Int32) throws -> OpaquePointer {
    let generator = EVP_PKEY_CTX_new_id(algorithm, nil)
    defer { EVP_PKEY_CTX_free(generator) }
    var key: OpaquePointer?
    EVP_PKEY_keygen_init(generator)
    if algorithm == NID_X9_62_id_ecPublicKey {
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(generator, NID_X9_62_prime256v1)
    }
    EVP_PKEY_keygen(generator, &key)
    guard let key else { throw SystemError("make a key", code: 0) }
    return key
  }

  private static func makeCertificate(
    _ key: OpaquePointer, signedBy signer: OpaquePointer, _ algorithm: Int32
  ) throws -> OpaquePointer {
    guard let certificate = X509_new() else { throw SystemError("make a certificate", code: 0) }
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600)
    let name = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG, "foreign", -1, -1, 0)
    X509_set_issuer_name(certificate, name)
    X509_set_pubkey(certificate, key)
    X509_sign(certificate, signer, algorithm == NID_ED25519 ? nil : EVP_sha256())
    return certificate
  }
}
