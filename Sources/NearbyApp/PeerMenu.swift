public import PeerConnectivity
public import Terminal

/// A list of peers to choose from with the arrow keys.
public struct PeerMenu: Equatable, Sendable {
  /// More are scrolled.
  static let maximumRows = 8

  private var selected: Peer.ID?

  public init() {}

  /// The one that is marked: the chosen one while it is there, else the first.
  public func selection(in entries: [PeerDirectory.Entry]) -> Peer.ID? {
    entries.contains { $0.id == selected } ? selected : entries.first?.id
  }

  /// Moves the mark by so many places.
  public mutating func move(by count: Int, in entries: [PeerDirectory.Entry]) {
    guard let current = entries.firstIndex(where: { $0.id == selection(in: entries) }) else { return }
    selected = entries[min(max(0, current + count), entries.count - 1)].id
  }

  public func lines(_ entries: [PeerDirectory.Entry], isActive: Bool, columns: Int) -> [Line] {
    let marked = selection(in: entries)
    let index = entries.firstIndex { $0.id == marked } ?? 0
    let first = max(0, min(index - Self.maximumRows / 2, entries.count - Self.maximumRows))
    let nameColumns = max(12, min(30, columns - 44))
    var lines = entries.dropFirst(first).prefix(Self.maximumRows).map { entry in
      let isMarked = isActive && entry.id == marked
      let style: Line.Style =
        switch entry.state {
        case .connected: .good
        case .inviting, .invitesUs: .warning
        case .nearby: .plain
        }
      return Line(isMarked ? " ▸ " : "   ", .accent)
        + Line(shownName(entry.name), isMarked ? .selected : style).padded(columns: nameColumns)
        + Line("  \(entry.id.short)  ", .faint)
        + Line(entry.isPaired ? "paired    " : "not paired", entry.isPaired ? .plain : .faint)
        + Line("  \(entry.state.rawValue)", style)
    }
    if entries.count > Self.maximumRows { lines.append(Line("   \(entries.count) peers", .faint)) }
    return lines
  }
}

/// What keys do at a question: `y` and `n`, or with control where letters are typed as text.
enum QuestionKey {
  static func answer(_ key: Key, lettersAreText: Bool) -> Bool? {
    switch key {
    case .control("y"): true
    case .control("n"): false
    case .character("y"), .character("Y"): lettersAreText ? nil : true
    case .character("n"), .character("N"): lettersAreText ? nil : false
    default: nil
    }
  }

  static func line(_ question: Question, lettersAreText: Bool) -> Line {
    Line("? ", .warning) + Line(question.text, .strong)
      + Line(lettersAreText ? "  Ctrl-Y accepts, Ctrl-N declines" : "  y accepts, n declines", .warning)
  }
}
