public import Terminal

/// Files and folders of a person's folder, to choose some of them with keys.
public struct FilePicker: Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    public let name: String
    public let isFolder: Bool
    public let byteCount: UInt64

    public init(name: String, isFolder: Bool, byteCount: UInt64) {
      self.name = name
      self.isFolder = isFolder
      self.byteCount = byteCount
    }
  }

  /// Of a folder with more, the first by name are shown.
  public static let maximumEntries = 5000
  static let rows = 12

  public let entries: [Entry]
  private var position = 0
  private var marked: Set<Int> = []

  public init(_ entries: [Entry]) {
    self.entries = Array(entries.sorted { $0.name < $1.name }.prefix(Self.maximumEntries))
  }

  public enum OnKey: Equatable, Sendable {
    case changed
    /// These were chosen, at least one.
    case chose([String])
    case ignored
  }

  public mutating func handle(_ key: Key) -> OnKey {
    guard !entries.isEmpty else { return .ignored }
    switch key {
    case .up: position = max(0, position - 1)
    case .down: position = min(entries.count - 1, position + 1)
    case .pageUp: position = max(0, position - Self.rows)
    case .pageDown: position = min(entries.count - 1, position + Self.rows)
    case .home: position = 0
    case .end: position = entries.count - 1
    case .character(" "):
      if marked.remove(position) == nil { marked.insert(position) }
      position = min(entries.count - 1, position + 1)
    case .enter:
      return .chose(marked.isEmpty ? [entries[position].name] : marked.sorted().map { entries[$0].name })
    default: return .ignored
    }
    return .changed
  }

  public func lines(columns: Int) -> [Line] {
    guard !entries.isEmpty else { return [Line("   nothing here", .faint)] }
    let first = max(0, min(position - Self.rows / 2, entries.count - Self.rows))
    let nameColumns = max(12, min(60, columns - 20))
    var lines = entries.indices.dropFirst(first).prefix(Self.rows).map { index in
      let entry = entries[index]
      return Line(index == position ? " ▸ " : "   ", .accent)
        + Line(marked.contains(index) ? "✓ " : "  ", .good)
        + Line(shownName(entry.name) + (entry.isFolder ? "/" : ""), index == position ? .selected : .plain)
        .padded(columns: nameColumns)
        + Line(entry.isFolder ? "" : "  \(sizeText(entry.byteCount))", .faint)
    }
    if entries.count > Self.rows { lines.append(Line("   \(position + 1) of \(entries.count)", .faint)) }
    return lines
  }
}
