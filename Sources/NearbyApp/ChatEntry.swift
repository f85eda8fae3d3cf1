public import Terminal

/// One thing that the log of a chat shows.
public struct ChatEntry: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// What somebody said, as it came: it need not be text.
    case message([UInt8], from: String, isOwn: Bool)
    /// What happened.
    case event(String)
    /// What went wrong.
    case problem(String)
  }

  public let time: ClockTime
  public let content: Content

  public init(_ content: Content, at time: ClockTime) {
    self.content = content
    self.time = time
  }

  /// Lines of one message beyond this are counted, not shown: one message must not push away all others.
  static let maximumLines = 50

  /// As shown: time, direction (`>` sent, `<` received, `-` an event, `!` a problem), sender, text. A message of several lines
  /// repeats its beginning on each, so that none of them can look like somebody else's.
  public var lines: [Line] {
    let stamp = Line("\(time) ", .faint)
    switch content {
    case .event(let text): return [stamp + Line("- \(text)", .accent)]
    case .problem(let text): return [stamp + Line("! \(text)", .bad)]
    case .message(let bytes, let sender, let isOwn):
      let head = stamp + Line("\(isOwn ? ">" : "<") \(shownName(sender)): ", isOwn ? .plain : .strong)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return [head + Line(hexadecimal(bytes), .warning)]
      }
      // Scalars, since a carriage return and the line feed after it are one Character.
      let parts = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        .map { String(String.UnicodeScalarView($0)) }
      guard parts.count > Self.maximumLines else { return parts.map { head + Line($0) } }
      return parts.prefix(Self.maximumLines).map { head + Line($0) }
        + [head + Line("(\(parts.count - Self.maximumLines) more lines)", .warning)]
    }
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = bytes.prefix(16).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }
    return "(\(bytes.count) bytes that are no text: \(digits.joined(separator: " "))"
      + (bytes.count > 16 ? " …)" : ")")
  }
}
