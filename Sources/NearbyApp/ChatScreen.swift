import PeerConnectivity
public import Terminal

/// The chat on a terminal: the model, the line being typed, and the list of peers.
public struct ChatScreen: Sendable {
  public var model: ChatModel
  private var editor = LineEditor()
  private var menu = PeerMenu()
  private var isChoosing = false

  public init(_ model: ChatModel) { self.model = model }

  public mutating func handle(_ key: Key, at time: ClockTime) -> [ChatModel.Action] {
    // A question may come while somebody types, so no letter answers it.
    if model.lobby.desk.first != nil, let accepts = QuestionKey.answer(key, lettersAreText: true) {
      return model.answer(accepts: accepts, at: time)
    }
    switch key {
    case .control("c"): return [.leave]
    case .control("d") where editor.isEmpty: return [.leave]
    case .tab, .backTab:
      isChoosing.toggle()
      return []
    default: break
    }
    return isChoosing ? choose(key, at: time) : type(key, at: time)
  }

  private mutating func type(_ key: Key, at time: ClockTime) -> [ChatModel.Action] {
    guard case .entered(let text) = editor.handle(key) else { return [] }
    return model.handle(.line(Array(text.utf8)), at: time)
  }

  private mutating func choose(_ key: Key, at time: ClockTime) -> [ChatModel.Action] {
    let entries = entries
    switch key {
    case .up: menu.move(by: -1, in: entries)
    case .down: menu.move(by: 1, in: entries)
    case .pageUp, .home: menu.move(by: -entries.count, in: entries)
    case .pageDown, .end: menu.move(by: entries.count, in: entries)
    case .escape: isChoosing = false
    case .enter:
      if let id = menu.selection(in: entries) { return model.chose(id, at: time) }
    default: break
    }
    return []
  }

  /// Who can be chatted with.
  private var entries: [PeerDirectory.Entry] {
    model.lobby.directory.entries.filter { $0.purpose == .chat || $0.purpose == nil || $0.state != .nearby }
  }

  public func area(transfers: [TransferRow], size: LiveArea.Size) -> (lines: [Line], cursor: LiveArea.Cursor?)
  {
    var lines = transfers.filter { !$0.isEnded }.suffix(4).map { $0.line(columns: size.columns - 1) }
    let who = "── \(shownName(model.presence.name))\(model.presence.isVisible ? "" : " (not visible)") "
    let rule = max(0, size.columns - 1 - Line(who).columnCount)
    lines.append(Line(who + String(repeating: "─", count: rule), .faint))
    let peers = menu.lines(entries, isActive: isChoosing, columns: size.columns)
    lines += peers.isEmpty ? [Line("   nobody is near yet", .faint)] : peers
    if let question = model.lobby.desk.first {
      lines.append(QuestionKey.line(question, lettersAreText: true))
    }
    let view = editor.view(columns: size.columns - 4)
    lines.append(Line("> ", .accent) + view.line)
    let cursor = LiveArea.Cursor(row: lines.count - 1, column: 2 + view.cursorColumn)
    lines.append(
      Line(
        isChoosing
          ? "↑ ↓ choose · Enter invites, or disconnects · Tab: back to typing"
          : "Enter says it · Tab: peers · /help · Ctrl-D leaves", .faint))
    return (lines, isChoosing ? nil : cursor)
  }
}
