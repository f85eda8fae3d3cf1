import COpenSSL

/// SHA-256 (FIPS 180-4) over bytes that arrive in portions, for what is too large to hold at once.
///
/// Not Sendable: one thread feeds it.
@safe public final class Hash {
  /// Bytes of a digest.
  public static let digestBytes = 32

  /// How many bytes were taken so far.
  public private(set) var byteCount: UInt64 = 0

  private let context: OpaquePointer

  public init() {
    unsafe context = unsafe Hash.newContext()
    let succeeded = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    precondition(succeeded == 1, "SHA-256: \(ErrorQueue.drainText())")
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  public func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  public func update(_ bytes: ArraySlice<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// Takes bytes where they lie, for a file's buffer.
  @unsafe public func update(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe !bytes.isEmpty else { return }
    let succeeded = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    // The digest is built in: it fails only when memory is gone.
    precondition(succeeded == 1, "SHA-256: \(ErrorQueue.drainText())")
    byteCount += UInt64(bytes.count)
  }

  /// The digest of all bytes so far; more may follow, for a digest of a prefix on the way.
  public func digest() -> [UInt8] {
    let copy = unsafe Hash.newContext()
    defer { unsafe EVP_MD_CTX_free(copy) }
    var digest = [UInt8](repeating: 0, count: Hash.digestBytes)
    let succeeded =
      unsafe EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &digest, nil) == 1
    precondition(succeeded, "SHA-256: \(ErrorQueue.drainText())")
    return digest
  }

  private static func newContext() -> OpaquePointer {
    guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("SHA-256: out of memory") }
    return unsafe context
  }
}

/// Whether two secrets are equal, in a time that depends on their lengths alone, so that an attacker cannot find a
/// secret byte by byte with a clock.
public func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  guard one.count == other.count else { return false }
  return unsafe CRYPTO_memcmp(one, other, one.count) == 0
}
