import COpenSSL

/// HMAC-SHA256 (RFC 2104, FIPS 198-1): proves that a message comes from a holder of the key, and derives sub-keys.
public enum MessageAuthentication {
  /// Bytes of a code.
  public static let codeBytes = 32

  /// - Parameter key: any length; as many random bytes as the code has are enough.
  public static func code(key: [UInt8], message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: codeBytes)
    var length: UInt32 = 0
    ErrorQueue.clear()
    let result = unsafe HMAC(
      EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, &length)
    // The digest is built in and the output buffer is ours: it fails only when memory is gone.
    precondition(unsafe result != nil && length == codeBytes, "HMAC-SHA256: \(ErrorQueue.drainText())")
    return code
  }

  /// Whether a code belongs to a message, compared in constant time.
  public static func isValid(_ code: [UInt8], key: [UInt8], message: [UInt8]) -> Bool {
    isEqualInConstantTime(code, self.code(key: key, message: message))
  }
}
