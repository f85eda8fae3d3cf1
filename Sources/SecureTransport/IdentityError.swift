public import ServiceRuntime

/// Why there is no usable identity: cause, place, remedy.
public enum IdentityError: Error, Equatable, Sendable, CustomStringConvertible {
  case unreadable(SystemError)
  case notWritten(SystemError)
  case keyReadableByOthers(path: String, mode: UInt32)
  case directoryWritableByOthers(path: String)
  case damaged(path: String, reason: String)
  case certificateMissing(path: String, keyPath: String)
  case mismatch(keyPath: String, certificatePath: String)
  case library(String)

  public var description: String {
    switch self {
    case .unreadable(let error), .notWritten(let error): error.description
    case .keyReadableByOthers(let path, let mode):
      "the private key \(path) has mode 0\(String(mode, radix: 8)), readable by others: chmod 600 \(path)"
    case .directoryWritableByOthers(let path):
      "anybody may write to the state directory \(path): chmod 700 \(path)"
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)): restore it, or remove identity.key and identity.crt to get a new identity"
    case .certificateMissing(let path, let keyPath):
      "\(path) is missing: restore it, or remove \(keyPath) to get a new identity"
    case .mismatch(let keyPath, let certificatePath):
      "\(certificatePath) does not belong to \(keyPath): restore both, or remove both to get a new identity"
    case .library(let reason): "cannot make an identity: \(reason)"
    }
  }
}
