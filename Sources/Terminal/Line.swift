import ServiceRuntime

/// One line for a terminal: pieces of text, each with a look.
///
/// Texts pass through `shown` on their way in, so nothing that a peer wrote can drive the terminal, whoever forgets about it.
public struct Line: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// What a piece of text is, rather than what colour it has.
  public enum Style: Sendable {
    case plain, strong, faint, selected, good, warning, bad, accent
  }

  public struct Span: Equatable, Sendable {
    public let text: String
    public let style: Style
  }

  public private(set) var spans: [Span]

  /// A chat message of the greatest length is shown in full; callers bound what is shorter.
  private static let maximumScalars = 16_384

  public init(_ text: String = "", _ style: Style = .plain) {
    spans = text.isEmpty ? [] : [Span(text: text.shown(maximumScalars: Self.maximumScalars), style: style)]
  }

  public init(stringLiteral value: String) { self.init(value) }

  private init(spans: [Span]) { self.spans = spans }

  public static func + (left: Line, right: Line) -> Line { Line(spans: left.spans + right.spans) }
  public static func += (left: inout Line, right: Line) { left.spans += right.spans }

  /// The text without its looks.
  public var text: String { spans.map(\.text).joined() }
  public var columnCount: Int { spans.reduce(0) { $0 + $1.text.columnCount } }

  /// Cut to so many columns, with an ellipsis where something is missing.
  public func fitted(columns: Int) -> Line {
    guard columnCount > columns else { return self }
    guard columns > 0 else { return Line() }
    var result = Line()
    var left = columns - 1
    for span in spans {
      let text = String(span.text.prefix(columns: left))
      left -= text.columnCount
      result.spans.append(Span(text: text, style: span.style))
      guard text == span.text else { break }
    }
    result.spans.append(Span(text: "…", style: .faint))
    return result
  }

  /// Filled with spaces up to so many columns, or cut.
  public func padded(columns: Int) -> Line {
    let line = fitted(columns: columns)
    let missing = columns - line.columnCount
    guard missing > 0 else { return line }
    return Line(spans: line.spans + [Span(text: String(repeating: " ", count: missing), style: .plain)])
  }

  /// The line on as many lines as it needs, broken at spaces where that is possible.
  public func wrapped(columns: Int, indent: Int = 0) -> [Line] {
    let columns = max(columns, indent + 8)
    guard columnCount > columns else { return [self] }
    var lines: [Line] = []
    var line = Line()
    var used = 0
    func margin() -> Line { Line(spans: [Span(text: String(repeating: " ", count: indent), style: .plain)]) }
    for span in spans {
      // Pieces of letters up to and with a space.
      var rest = span.text[...]
      while !rest.isEmpty {
        let end = rest.firstIndex(of: " ").map { rest.index(after: $0) } ?? rest.endIndex
        var word = rest[..<end]
        rest = rest[end...]
        let width = word.last == " " ? word.dropLast().columnCount : word.columnCount
        if used + width > columns, used > indent {
          lines.append(line)
          line = margin()
          used = indent
        }
        while used + word.columnCount > columns + (word.last == " " ? 1 : 0) {
          let piece = word.prefix(columns: columns - used)
          // A wide letter in a narrow terminal would never fit.
          guard !piece.isEmpty else { break }
          line.spans.append(Span(text: String(piece), style: span.style))
          word = word[piece.endIndex...]
          lines.append(line)
          line = margin()
          used = indent
        }
        line.spans.append(Span(text: String(word), style: span.style))
        used += word.columnCount
      }
    }
    if used > indent || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// As a terminal wants it, back to the plain look at the end. `hasColors` is false where people asked for none (no-color.org).
  func encoded(hasColors: Bool) -> String {
    var result = ""
    for span in spans {
      let code = span.style.code(hasColors: hasColors)
      result += code.isEmpty ? span.text : "\u{1B}[\(code)m\(span.text)\u{1B}[0m"
    }
    return result
  }
}

extension Line.Style {
  /// Parameters of SGR (ECMA-48, 8.3.117): attributes, and the eight colours that people set to their taste.
  fileprivate func code(hasColors: Bool) -> String {
    switch self {
    case .plain: ""
    case .strong: "1"
    case .faint: "2"
    case .selected: "7"
    case .good: hasColors ? "32" : ""
    case .warning: hasColors ? "33" : "1"
    case .bad: hasColors ? "31" : "1"
    case .accent: hasColors ? "36" : ""
    }
  }
}
