import COpenSSL

/// A fresh key and its certificate, as the texts that go to disk.
struct NewIdentity {
  let keyPEM: [UInt8]
  let certificatePEM: [UInt8]

  init(commonName: String) throws(IdentityError) {
    ErrorQueue.clear()
    guard let key = unsafe NewIdentity.makeKey() else { throw .library(ErrorQueue.drainText()) }
    defer { unsafe EVP_PKEY_free(key) }
    guard let certificate = unsafe X509_new() else { throw .library(ErrorQueue.drainText()) }
    defer { unsafe X509_free(certificate) }
    guard unsafe NewIdentity.fill(certificate, key: key, commonName: sanitizedPeerName(commonName)) else {
      throw .library(ErrorQueue.drainText())
    }
    let keyPEM = unsafe NewIdentity.text { bio in
      unsafe PEM_write_bio_PrivateKey(bio, key, nil, nil, 0, nil, nil)
    }
    let certificatePEM = unsafe NewIdentity.text { bio in
      unsafe PEM_write_bio_X509(bio, certificate)
    }
    guard let keyPEM, let certificatePEM else { throw .library(ErrorQueue.drainText()) }
    self.keyPEM = keyPEM
    self.certificatePEM = certificatePEM
  }

  private static func makeKey() -> OpaquePointer? {
    guard let generator = unsafe EVP_PKEY_CTX_new_id(NID_ED25519, nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(generator) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(generator) == 1, unsafe EVP_PKEY_keygen(generator, &key) == 1 else {
      return nil
    }
    return unsafe key
  }

  /// Version 3, random serial number, and dates that say nothing: from long ago until the "no well-defined end" of
  /// RFC 5280, section 4.1.2.5, because the clock may be wrong at the first start and nobody checks them.
  private static func fill(
    _ certificate: OpaquePointer, key: OpaquePointer, commonName: String
  ) -> Bool {
    // 127 bits, positive, never zero (RFC 5280, section 4.1.2.2).
    var serial = randomBytes(16)
    serial[0] = serial[0] & 0x7F | 0x40
    let name = unsafe X509_get_subject_name(certificate)
    let subject = Array(commonName.utf8)
    guard let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil) else { return false }
    defer { unsafe BN_free(number) }
    return unsafe X509_set_version(certificate, 2) == 1
      && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
      && ASN1_TIME_set_string(X509_getm_notBefore(certificate), "20200101000000Z") == 1
      && ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z") == 1
      && X509_NAME_add_entry_by_txt(
        name, "CN", MBSTRING_FLAG, subject, Int32(subject.count), -1, 0) == 1
      && X509_set_issuer_name(certificate, name) == 1
      && X509_set_pubkey(certificate, key) == 1
      && add(NID_basic_constraints, "critical,CA:FALSE", to: certificate)
      && add(NID_key_usage, "critical,digitalSignature", to: certificate)
      // Ed25519 signs the message itself, so no digest is named.
      && X509_sign(certificate, key, nil) > 0
  }

  private static func add(_ kind: Int32, _ value: String, to certificate: OpaquePointer) -> Bool {
    guard let element = unsafe X509V3_EXT_nconf_nid(nil, nil, kind, value) else { return false }
    defer { unsafe X509_EXTENSION_free(element) }
    return unsafe X509_add_ext(certificate, element, -1) == 1
  }

  private static func text(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
    defer { unsafe BIO_free(bio) }
    guard unsafe write(bio) == 1 else { return nil }
    return unsafe bytes(in: bio)
  }
}

/// Takes everything that waits in a memory BIO.
func bytes(in bio: OpaquePointer) -> [UInt8] {
  let pending = unsafe BIO_ctrl_pending(bio)
  guard pending > 0 else { return [] }
  return unsafe [UInt8](unsafeUninitializedCapacity: pending) { buffer, count in
    count = unsafe max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(pending))))
  }
}
