internal import CSystemd
import Glibc
public import ServiceRuntime

/// The journal's own way in (`sd_journal_send(3)`): each field of a record becomes a field there, to be searched for as in
/// `journalctl DRONE_PEER_ID=…`.
public enum Journal {
  /// Standard error, or the journal itself where systemd connected standard error with it.
  public static func logger(program: String, level: Logger.Level) -> Logger {
    guard takesStandardError(unsafe getenv("JOURNAL_STREAM").map { unsafe String(cString: $0) }) else {
      return .standardError(program: program, level: level)
    }
    return .standardError(program: program, level: level) { send($0, program: program) }
  }

  /// Whether standard error is what systemd connected: the variable has its device and inode (`systemd.exec(5)`), and is inherited
  /// also by who redirects standard error.
  static func takesStandardError(_ variable: String?) -> Bool {
    var status = stat()
    guard let parts = variable?.split(separator: ":"), parts.count == 2, unsafe fstat(2, &status) == 0 else {
      return false
    }
    return UInt64(parts[0]) == UInt64(status.st_dev) && UInt64(parts[1]) == UInt64(status.st_ino)
  }

  /// - Returns: false when the journal did not take it.
  private static func send(_ record: Logger.Record, program: String) -> Bool {
    let bytes = assignments(of: record, program: program).map { Array($0.utf8) }
    // One block that does not move, with the assignments one after the other.
    return unsafe Array(bytes.joined()).withUnsafeBytes { block in
      var vectors: [iovec] = unsafe []
      var offset = 0
      for assignment in bytes {
        let start = unsafe UnsafeMutableRawPointer(mutating: block.baseAddress.map { unsafe $0 + offset })
        unsafe vectors.append(iovec(iov_base: start, iov_len: assignment.count))
        offset += assignment.count
      }
      return unsafe sd_journal_sendv(vectors, Int32(vectors.count)) >= 0
    }
  }

  /// What the journal is sent, as `NAME=value`. The message has the fields too, since `journalctl` shows it alone.
  static func assignments(of record: Logger.Record, program: String) -> [String] {
    var message = record.message.escapingControlCharacters
    for field in record.fields { message += " \(field.key)=\(field.value.escapingControlCharacters)" }
    var result = [
      "MESSAGE=\(message)", "PRIORITY=\(record.level.rawValue)", "SYSLOG_IDENTIFIER=\(program)",
    ]
    // The journal takes 1024 fields, and names of 64 capitals, digits and underscores.
    for field in record.fields.prefix(64) {
      let name = field.key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
      result.append("DRONE_\(String(name.prefix(58)))=\(field.value.escapingControlCharacters)")
    }
    return result
  }
}
