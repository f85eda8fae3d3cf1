import Glibc
import MAVLink
import SecureTransport
import ServiceRuntime
import Synchronization
import VehicleLink

/// Why the line cannot be signed, in one line with a remedy.
struct SigningKeyError: Error, CustomStringConvertible {
  let description: String
}

/// Reads the signing key and keeps the time of signatures in the state directory.
enum SerialSigning {
  private static let fileName = "mavlink-signing-time"

  /// - Throws: `SigningKeyError` for a key file that is missing, readable by others, or holds no key.
  static func make(keyPath: String, stateDirectory: String, logger: Logger) throws -> LineSigning {
    let key = try readKey(keyPath)
    let path = "\(stateDirectory)/\(fileName)"
    let stored = (try? Files.read(path, maximumBytes: 64)).flatMap {
      UInt64(String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace })
    }
    let keeper = try TimeKeeper(path: path, logger: logger)
    return LineSigning(
      key: key, stored: stored.map { SigningTimestamp($0) }, wallClock: wallClock,
      sha256: { bytes in
        let hash = Hash()
        hash.update(bytes)
        return hash.digest()
      },
      store: { keeper.keep($0.value) })
  }

  private static func readKey(_ path: String) throws(SigningKeyError) -> SigningKey {
    let content: [UInt8]
    do throws(SystemError) {
      var status = stat()
      if stat(path, &status) != 0 { throw SystemError.current("open signing-key \(path)") }
      guard status.st_mode & 0o077 == 0 else {
        throw SystemError("\(path) may be read by others; chmod 600 \(path); read signing-key", code: EACCES)
      }
      content = try Files.read(path, maximumBytes: 1024)
    } catch { throw SigningKeyError(description: "\(error)") }
    let digits = content.filter { !(0x09...0x20).contains($0) }
    let key =
      content.count == SigningKey.byteCount
      ? SigningKey(content) : hexadecimal(digits).flatMap { SigningKey($0) }
    guard let key else {
      throw SigningKeyError(
        description:
          "\(path): no signing key, which is 32 bytes or 64 hexadecimal digits; to make one: openssl rand -hex 32"
      )
    }
    return key
  }

  private static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
    let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard values.count == digits.count, values.count % 2 == 0 else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  private static func wallClock() -> SigningTimestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return SigningTimestamp(
      unixMicroseconds: UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1000)
  }
}

/// Writes the time of signatures on a thread of its own, since a disk may stall; only the newest counts.
private final class TimeKeeper: Sendable {
  private let newest = Mutex<UInt64?>(nil)
  private let path: String
  private let logger: Logger
  private let isWriting = Mutex(false)

  init(path: String, logger: Logger) throws {
    self.path = path
    self.logger = logger
  }

  func keep(_ value: UInt64) {
    newest.withLock { $0 = value }
    let begins = isWriting.withLock { isWriting in
      defer { isWriting = true }
      return !isWriting
    }
    guard begins else { return }
    do throws(SystemError) {
      _ = try WorkerThread(name: "signing-time") { self.write() }
    } catch {
      isWriting.withLock { $0 = false }
      logger.warning("cannot keep the time of signatures: \(error)")
    }
  }

  private func write() {
    let value = newest.withLock { newest in
      defer { newest = nil }
      return newest
    }
    if let value {
      do throws(SystemError) {
        try Files.replace(path, with: Array("\(value)\n".utf8), mode: 0o600)
      } catch { logger.warning("cannot keep the time of signatures: \(error)") }
    }
    isWriting.withLock { $0 = false }
  }
}
