import PeerConnectivity
public import Terminal

/// The tap game on a terminal.
public struct TapScreen: Sendable {
  public var model: TapModel
  private var menu = PeerMenu()

  public init(_ model: TapModel) { self.model = model }

  public enum OnKey: Equatable, Sendable {
    case input(TapModel.Input)
    case leave
    case nothing
  }

  public mutating func handle(_ key: Key) -> OnKey {
    switch key {
    case .control("c"), .control("d"): return .leave
    default: break
    }
    switch model.game.phase {
    case .playing:
      switch key {
      // One key pressed is one key; a pasted text is none.
      case .character, .enter, .tab, .backspace: return .input(.press)
      default: return .nothing
      }
    // Keys still fly when the round is over: none of them may begin another, or leave.
    case .ending: return .nothing
    case .over:
      switch key {
      case .character("r"), .character("R"): return .input(.again)
      case .character("q"), .character("Q"), .escape: return .leave
      default: return .nothing
      }
    case .waiting, .abandoned: return choose(key)
    }
  }

  private mutating func choose(_ key: Key) -> OnKey {
    if model.lobby.desk.first != nil, let accepts = QuestionKey.answer(key, lettersAreText: false) {
      return .input(.answer(accepts: accepts))
    }
    let entries = opponents
    switch key {
    case .character("q"), .character("Q"), .escape: return .leave
    case .up: menu.move(by: -1, in: entries)
    case .down: menu.move(by: 1, in: entries)
    case .enter:
      if model.opponent == nil, let id = menu.selection(in: entries) { return .input(.chose(id)) }
    default: break
    }
    return .nothing
  }

  private var opponents: [PeerDirectory.Entry] {
    model.lobby.directory.entries.filter { $0.purpose == .tap || $0.state != .nearby }
  }

  public func area(name: String, size: LiveArea.Size, at now: ContinuousClock.Instant) -> [Line] {
    guard let opponent = model.opponent else { return choice(name: name, size: size) }
    let label = model.lobby.directory.label(opponent)
    let most = max(model.game.ownCount, model.game.theirCount, 1)
    let columns = max(8, min(50, size.columns - 40))
    func row(_ who: String, _ count: Int) -> Line {
      Line("  \(who)").padded(columns: 26) + Line("\(count)", .strong).padded(columns: 7)
        + progressBar(Double(count) / Double(most), columns: columns)
    }
    return [
      headline(label, at: now), row("you", model.game.ownCount), row(label, model.game.theirCount),
      Line(hint, .faint),
    ]
  }

  private func headline(_ label: String, at now: ContinuousClock.Instant) -> Line {
    switch model.game.phase {
    case .waiting: Line("waiting for \(label)", .warning)
    case .playing: Line("press keys! \(clockText(model.game.timeLeft(at: now))) left", .accent)
    case .ending: Line("time is over; waiting for \(label)'s count", .warning)
    case .over(let result): Line(model.words(result), result == .won ? .good : .strong)
    case .abandoned: Line("\(label) is gone", .bad)
    }
  }

  private var hint: String {
    switch model.game.phase {
    case .waiting: return "q leaves"
    case .playing: return "any letter counts · Ctrl-C leaves"
    case .ending: return "Ctrl-C leaves"
    case .over:
      let score = model.game.score
      let wish =
        model.game.isReady
        ? "waiting for the other side"
        : model.game.isOpponentReady ? "the other side wants another round" : ""
      return "r: another round · q leaves · rounds won \(score.won), lost \(score.lost)"
        + (wish.isEmpty ? "" : " · \(wish)")
    case .abandoned: return "q leaves"
    }
  }

  private func choice(name: String, size: LiveArea.Size) -> [Line] {
    var lines = [Line("── \(shownName(name)): who plays? ──", .faint)]
    let entries = opponents
    let peers = menu.lines(entries, isActive: true, columns: size.columns)
    lines += peers.isEmpty ? [Line("   nobody is near yet; start 'nearby tap' there as well", .faint)] : peers
    if let question = model.lobby.desk.first {
      lines.append(QuestionKey.line(question, lettersAreText: false))
    }
    return lines + [Line("↑ ↓ choose · Enter invites · q leaves", .faint)]
  }
}
