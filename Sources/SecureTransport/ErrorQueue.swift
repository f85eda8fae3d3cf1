import COpenSSL

/// OpenSSL's list of errors of the calling thread: cleared before each call, read right after it, so that the
/// failure of one connection is never blamed on the next.
enum ErrorQueue {
  struct Entry {
    let reasonCode: Int32
    let isFromTLS: Bool
    let text: String
  }

  static func clear() { ERR_clear_error() }

  /// Empties the list, oldest error (the cause) first.
  static func drain() -> [Entry] {
    var entries: [Entry] = []
    while true {
      let code = ERR_get_error()
      if code == 0 { return entries }
      let text = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
      entries.append(
        Entry(
          reasonCode: ERR_GET_REASON(code), isFromTLS: ERR_GET_LIB(code) == ERR_LIB_SSL,
          text: text ?? "error \(code)"))
    }
  }

  /// Empties the list into one line.
  static func drainText() -> String {
    let entries = drain()
    return entries.isEmpty ? "no reason given" : entries.map(\.text).joined(separator: ", ")
  }
}
