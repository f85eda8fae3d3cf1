/// The line that a person is typing.
public struct LineEditor: Sendable {
  /// What is typed or pasted beyond this is dropped; a message of a session may have 64 KiB.
  public static let maximumBytes = 8192
  static let maximumHistory = 100

  private var characters: [Character] = []
  private var position = 0
  private var history: [String] = []
  /// While going through the history: the place in it, and what was typed before.
  private var recall: (index: Int, draft: String)?

  public init() {}

  public var text: String { String(characters) }
  public var isEmpty: Bool { characters.isEmpty }

  public enum OnKey: Equatable, Sendable {
    /// The line was finished; the editor is empty now.
    case entered(String)
    case changed
    /// The editor does nothing with this key here.
    case ignored
  }

  public mutating func handle(_ key: Key) -> OnKey {
    switch key {
    case .character(let character): insert(String(character))
    // A pasted line end does not send anything: the person has not seen the line yet.
    case .pasted(let text): insert(text)
    case .enter:
      defer { clear() }
      if !characters.isEmpty, history.last != text {
        history.append(text)
        if history.count > Self.maximumHistory { history.removeFirst() }
      }
      return .entered(text)
    case .backspace:
      guard position > 0 else { return .ignored }
      position -= 1
      characters.remove(at: position)
    case .delete, .control("d"):
      guard position < characters.count else { return .ignored }
      characters.remove(at: position)
    case .left, .control("b"): position = max(0, position - 1)
    case .right, .control("f"): position = min(characters.count, position + 1)
    case .home, .control("a"): position = 0
    case .end, .control("e"): position = characters.count
    case .control("k"): characters.removeSubrange(position...)
    case .control("u"):
      characters.removeSubrange(..<position)
      position = 0
    case .control("w"):
      var start = position
      while start > 0, characters[start - 1] == " " { start -= 1 }
      while start > 0, characters[start - 1] != " " { start -= 1 }
      characters.removeSubrange(start..<position)
      position = start
    case .up, .control("p"): return goBack()
    case .down, .control("n"): return goForward()
    case .tab, .backTab, .insert, .escape, .pageUp, .pageDown, .control, .alt, .unknown: return .ignored
    }
    return .changed
  }

  public mutating func clear() {
    characters = []
    position = 0
    recall = nil
  }

  /// The part of the line around the cursor that fits, and the cursor's column in it.
  public func view(columns: Int) -> (line: Line, cursorColumn: Int) {
    // The text is shown as it will arrive: control characters that were pasted take more columns.
    let before = Line(String(characters[..<position]))
    let width = before.columnCount
    let whole = Line(text)
    guard whole.columnCount >= columns else { return (whole, width) }
    let keep = max(1, columns - 1)
    guard width > keep else { return (whole.fitted(columns: columns), width) }
    // Letters from the left go until the cursor is in view.
    var start = 0
    while Line(String(characters[start..<position])).columnCount > keep - 1 { start += 1 }
    let tail = Line("…", .faint) + Line(String(characters[start...]))
    return (tail.fitted(columns: columns), 1 + Line(String(characters[start..<position])).columnCount)
  }

  private mutating func insert(_ text: String) {
    let size = characters.reduce(0) { $0 + $1.utf8.count }
    guard size + text.utf8.count <= Self.maximumBytes else { return }
    let tail = String(characters[position...])
    // As one text, so that a mark joins the letter before it.
    let head = Array(String(characters[..<position]) + text)
    characters = head + Array(tail)
    position = head.count
  }

  private mutating func set(_ text: String) {
    characters = Array(text)
    position = characters.count
  }

  private mutating func goBack() -> OnKey {
    let index = (recall?.index ?? history.count) - 1
    guard index >= 0 else { return .ignored }
    recall = (index, recall?.draft ?? text)
    set(history[index])
    return .changed
  }

  private mutating func goForward() -> OnKey {
    guard let recall else { return .ignored }
    if recall.index + 1 < history.count {
      self.recall = (recall.index + 1, recall.draft)
      set(history[recall.index + 1])
    } else {
      self.recall = nil
      set(recall.draft)
    }
    return .changed
  }
}
