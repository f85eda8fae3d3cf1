import COpenSSL

/// The SHA-256 digest (FIPS 180-4), 32 bytes.
public func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  let succeeded = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
  // The digest is built in and the output buffer is ours: it fails only when memory is gone.
  precondition(succeeded == 1, "SHA-256: \(ErrorQueue.drainText())")
  return digest
}

/// Bytes that nobody can guess, from OpenSSL's generator seeded by the kernel.
public func randomBytes(_ count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  guard count > 0 else { return bytes }
  let succeeded = unsafe RAND_bytes(&bytes, Int32(count))
  // Going on with guessable bytes would be worse than ending the program.
  precondition(succeeded == 1, "random bytes: \(ErrorQueue.drainText())")
  return bytes
}
