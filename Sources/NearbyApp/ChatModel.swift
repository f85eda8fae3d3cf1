public import Configuration
public import PeerConnectivity

/// A chat with everybody who is connected: what is known, and what each thing that happens leads to.
public struct ChatModel: Sendable {
  public enum Input: Equatable, Sendable {
    case lobby(Lobby.Input)
    case line([UInt8])
    case lineTooLong
    case message(Peer.ID, [UInt8])
    case notDelivered(Peer.ID, reason: String)
    /// Something else to tell, such as the end of a transfer.
    case notice(Notice)
  }

  public enum Action: Equatable, Sendable {
    case show(ChatEntry)
    case invite(Peer.ID)
    case answer(Question, accepts: Bool, reason: String)
    case disconnect(Peer.ID)
    case send([UInt8], to: [Peer.ID])
    case sendFile(path: String, to: [Peer.ID])
    case rename(String)
    case setVisible(Bool)
    case leave
  }

  /// A message has to fit one message of a session.
  public static let maximumMessageBytes = 60_000

  public private(set) var lobby: Lobby
  public private(set) var presence: Presence
  /// Peers to invite as soon as they are found, by name or identity.
  private var wanted: [String]

  public init(presence: Presence, policy: AcceptPolicy, inviting wanted: [String] = []) {
    lobby = Lobby(.chat, policy: policy)
    self.presence = presence
    self.wanted = wanted
  }

  public mutating func handle(_ input: Input, at time: ClockTime) -> [Action] {
    switch input {
    case .lobby(let input):
      var actions = lobby.handle(input)
      if case .found(let id, let name, .chat, _) = input,
        let index = wanted.firstIndex(where: { $0 == name || $0 == id.hex })
      {
        wanted.remove(at: index)
        actions += lobby.invite(id)
      }
      return translated(actions, at: time)
    case .line(let bytes): return typed(ChatInput(line: bytes), at: time)
    case .lineTooLong: return [Self.show(.problem("the line is too long; nothing was sent"), time)]
    case .message(let id, let bytes):
      let content = ChatEntry.Content.message(bytes, from: lobby.directory.label(id), isOwn: false)
      return [.show(ChatEntry(content, at: time))]
    case .notDelivered(let id, let reason):
      return [Self.show(.problem("not delivered to \(lobby.directory.label(id)): \(reason)"), time)]
    case .notice(let notice): return [Self.show(notice, time)]
    }
  }

  private static func show(_ notice: Notice, _ time: ClockTime) -> Action {
    switch notice {
    case .event(let text): .show(ChatEntry(.event(text), at: time))
    case .problem(let text): .show(ChatEntry(.problem(text), at: time))
    }
  }

  private func translated(_ actions: [Lobby.Action], at time: ClockTime) -> [Action] {
    actions.map { action in
      switch action {
      case .tell(let notice): Self.show(notice, time)
      case .invite(let id): .invite(id)
      case .answer(let question, let accepts, let reason):
        .answer(question, accepts: accepts, reason: reason)
      }
    }
  }

  /// The person chose a peer in the list: to invite it, or to end the connection.
  public mutating func chose(_ id: Peer.ID, at time: ClockTime) -> [Action] {
    lobby.directory[id]?.state == .connected ? [.disconnect(id)] : translated(lobby.invite(id), at: time)
  }

  /// The person answered the question that is shown.
  public mutating func answer(_ name: String? = nil, accepts: Bool, at time: ClockTime) -> [Action] {
    translated(lobby.answer(name, accepts: accepts), at: time)
  }

  private mutating func typed(_ input: ChatInput, at time: ClockTime) -> [Action] {
    func event(_ text: String) -> Action { Self.show(.event(text), time) }
    func problem(_ text: String) -> Action { Self.show(.problem(text), time) }
    let connected = lobby.directory.connected.map(\.id)
    switch input {
    case .nothing: return []
    case .say(let bytes):
      guard !connected.isEmpty else {
        return [problem("nobody is connected, so nobody heard that; /invite NAME invites")]
      }
      guard bytes.count <= Self.maximumMessageBytes else {
        return [problem("that is too long for one message")]
      }
      let own = ChatEntry(.message(bytes, from: presence.name, isOwn: true), at: time)
      return [.send(bytes, to: connected), .show(own)]
    case .peers:
      let lines = lobby.directory.entries.map { event(Self.row($0)) }
      return lines.isEmpty ? [event("nobody is near")] : lines
    case .accept(let name): return answer(name, accepts: true, at: time)
    case .decline(let name): return answer(name, accepts: false, at: time)
    case .invite(let name):
      switch lobby.choose(name) {
      case .success(let id): return translated(lobby.invite(id), at: time)
      case .failure(let refusal): return [problem(refusal.text)]
      }
    case .disconnect(let name):
      switch lobby.choose(name) {
      case .success(let id) where lobby.directory[id]?.state == .connected: return [.disconnect(id)]
      case .success(let id): return [problem("\(lobby.directory.label(id)) is not connected")]
      case .failure(let refusal): return [problem(refusal.text)]
      }
    case .name(let name): return rename(name, at: time)
    case .visible(let isVisible):
      guard presence.setVisible(isVisible) else { return [event("that is so already")] }
      return [.setVisible(isVisible), event(isVisible ? "others see you" : "others do not see you")]
    case .send(let path):
      guard !connected.isEmpty else { return [problem("nobody is connected; /invite NAME invites")] }
      return [.sendFile(path: path, to: connected)]
    case .help: return ChatInput.commands.map { event("\($0.usage): \($0.meaning)") }
    case .quit: return [.leave]
    case .wrong(let text): return [problem(text)]
    }
  }

  private mutating func rename(_ name: String, at time: ClockTime) -> [Action] {
    let isBusy = lobby.directory.entries.contains { $0.state == .connected || $0.state == .inviting }
    switch presence.rename(to: name, isAnyConnected: isBusy) {
    case .renamed:
      lobby.forgetNearby()
      return [
        .rename(presence.name), Self.show(.event("your name is \(shownName(presence.name)) now"), time),
      ]
    case .unchanged: return [Self.show(.event("that is your name"), time)]
    case .refusedWhileConnected:
      return [Self.show(.problem("the name changes only while nobody is connected: /disconnect first"), time)]
    case .invalid(let reason): return [Self.show(.problem(reason), time)]
    }
  }

  /// A peer in one line: name, beginning of the identity, paired or not, state.
  static func row(_ entry: PeerDirectory.Entry) -> String {
    "\(shownName(entry.name))  \(entry.id.short)  \(entry.isPaired ? "paired" : "not paired")  \(entry.state.rawValue)"
      + (entry.purpose.map { "  \($0.rawValue)" } ?? "")
  }
}
