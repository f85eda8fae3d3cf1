public import Configuration
public import PeerProtocol

/// A chat with everybody who is connected: what is known, and what each thing that happens leads to.
public struct ChatModel: Sendable {
  public enum Input: Equatable, Sendable {
    case line([UInt8])
    case lineTooLong
    case found(PeerID, name: String, purpose: Purpose?, isPaired: Bool)
    case lost(PeerID)
    case invited(InvitationDesk.Request)
    /// The inviter gave up, or its time is over.
    case withdrawn(PeerID)
    case connected(PeerID, name: String, isPaired: Bool)
    case disconnected(PeerID, reason: String)
    case invitationFailed(PeerID, reason: String)
    case message(PeerID, [UInt8])
    case notDelivered(PeerID, reason: String)
    /// Whether others can see this chat, or why not.
    case advertising(String)
  }

  public enum Action: Equatable, Sendable {
    case show(ChatEntry)
    case invite(PeerID)
    case answer(PeerID, accepts: Bool)
    case disconnect(PeerID)
    case send([UInt8], to: [PeerID])
    case sendFile(path: String, to: [PeerID])
    case rename(String)
    case setVisible(Bool)
    case leave
  }

  /// A message has to fit one message of a session.
  public static let maximumMessageBytes = 60_000

  public private(set) var directory = PeerDirectory()
  public private(set) var desk = InvitationDesk()
  public private(set) var presence: Presence
  private let policy: AcceptPolicy
  /// Peers to invite as soon as they are found, by name or identity.
  private var wanted: [String]

  public init(presence: Presence, policy: AcceptPolicy, inviting wanted: [String] = []) {
    self.presence = presence
    self.policy = policy
    self.wanted = wanted
  }

  public mutating func handle(_ input: Input, at time: ClockTime) -> [Action] {
    func event(_ text: String) -> Action { .show(ChatEntry(.event(text), at: time)) }
    func problem(_ text: String) -> Action { .show(ChatEntry(.problem(text), at: time)) }
    switch input {
    case .line(let bytes): return typed(ChatInput(line: bytes), at: time)
    case .lineTooLong: return [problem("the line is too long; nothing was sent")]
    case .found(let id, let name, let purpose, let isPaired):
      guard directory.found(id, name: name, purpose: purpose, isPaired: isPaired) == .appeared else {
        return []
      }
      let seen = event(
        "\(directory.label(id)) is near" + (purpose == .chat ? "" : purpose.map { ", for \($0.words)" } ?? "")
      )
      guard let index = wanted.firstIndex(where: { $0 == name || $0.lowercased() == id.hex }) else {
        return [seen]
      }
      wanted.remove(at: index)
      return [seen] + invite(id, at: time)
    case .lost(let id):
      let label = directory.label(id)
      return directory.lost(id) == nil ? [] : [event("\(label) is gone")]
    case .invited(let request): return invited(request, at: time)
    case .withdrawn(let id):
      guard let request = desk.withdraw(id) else { return [] }
      directory.reset(id)
      return [event("\(shownName(request.name)) invites no longer")]
    case .connected(let id, let name, let isPaired):
      _ = desk.withdraw(id)
      directory.set(.connected, of: id, name: name, isPaired: isPaired)
      return [event("connected: \(directory.label(id)) (\(id.short), \(isPaired ? "paired" : "not paired"))")]
    case .disconnected(let id, let reason):
      guard directory[id]?.state == .connected else { return [] }
      let label = directory.label(id)
      directory.reset(id)
      return [event("disconnected: \(label): \(reason)")]
    case .invitationFailed(let id, let reason):
      let label = directory.label(id)
      if directory[id]?.state == .inviting { directory.reset(id) }
      return [problem("\(label): \(reason)")]
    case .message(let id, let bytes):
      return [.show(ChatEntry(.message(bytes, from: directory.label(id), isOwn: false), at: time))]
    case .notDelivered(let id, let reason):
      return [problem("not delivered to \(directory.label(id)): \(reason)")]
    case .advertising(let state): return [event(state)]
    }
  }

  private mutating func invited(_ request: InvitationDesk.Request, at time: ClockTime) -> [Action] {
    guard request.purpose == .chat else {
      return [.answer(request.id, accepts: false)]
    }
    switch Admission.decide(policy, isPaired: request.isPaired) {
    case .accept: return [.answer(request.id, accepts: true)]
    case .decline:
      let text = "declined: \(request.question); only paired peers are accepted (--accept)"
      return [.answer(request.id, accepts: false), .show(ChatEntry(.event(text), at: time))]
    case .ask: break
    }
    switch desk.ask(request) {
    case .declineAtOnce: return [.answer(request.id, accepts: false)]
    case .ask:
      directory.set(.invitesUs, of: request.id, name: request.name, isPaired: request.isPaired)
      return [.show(ChatEntry(.event("\(request.question): /accept or /decline"), at: time))]
    }
  }

  /// Invites unless that is under way already.
  public mutating func invite(_ id: PeerID, at time: ClockTime) -> [Action] {
    guard let entry = directory[id] else { return [] }
    func problem(_ text: String) -> [Action] { [.show(ChatEntry(.problem(text), at: time))] }
    let label = directory.label(id)
    switch entry.state {
    case .connected: return problem("\(label) is connected already")
    case .inviting: return problem("\(label) is being invited already")
    case .invitesUs: return answer(desk.withdraw(id), accepts: true, at: time)
    case .nearby: break
    }
    // In a chat the person chose this identity in a list that says whether it is paired: that was the question.
    if !entry.isPaired, policy == .paired {
      return problem(
        "\(label) (\(id.short)) is not paired; 'nearby pair' pairs, --accept any invites anybody")
    }
    directory.set(.inviting, of: id, name: entry.name, isPaired: entry.isPaired)
    return [.invite(id), .show(ChatEntry(.event("inviting \(label) (\(id.short))"), at: time))]
  }

  /// Answers the oldest invitation, or the one that is meant.
  public mutating func answer(_ name: String? = nil, accepts: Bool, at time: ClockTime) -> [Action] {
    answer(desk.take(name), accepts: accepts, at: time)
  }

  private mutating func answer(_ request: InvitationDesk.Request?, accepts: Bool, at time: ClockTime)
    -> [Action]
  {
    guard let request else { return [.show(ChatEntry(.problem("nobody like that invites you"), at: time))] }
    directory.reset(request.id)
    let text = "\(accepts ? "accepted" : "declined"): \(shownName(request.name))"
    return [.answer(request.id, accepts: accepts), .show(ChatEntry(.event(text), at: time))]
  }

  public mutating func disconnect(_ id: PeerID) -> [Action] {
    directory[id]?.state == .connected ? [.disconnect(id)] : []
  }

  private mutating func typed(_ input: ChatInput, at time: ClockTime) -> [Action] {
    func event(_ text: String) -> Action { .show(ChatEntry(.event(text), at: time)) }
    func problem(_ text: String) -> Action { .show(ChatEntry(.problem(text), at: time)) }
    let connected = directory.connected.map(\.id)
    switch input {
    case .nothing: return []
    case .say(let bytes):
      guard !connected.isEmpty else {
        return [problem("nobody is connected, so nobody heard that; /invite NAME invites")]
      }
      guard bytes.count <= Self.maximumMessageBytes else {
        return [problem("that is too long for one message")]
      }
      return [
        .send(bytes, to: connected),
        .show(ChatEntry(.message(bytes, from: presence.name, isOwn: true), at: time)),
      ]
    case .peers:
      let lines = directory.entries.map { event(Self.row($0)) }
      return lines.isEmpty ? [event("nobody is near")] : lines
    case .invite(let name): return chosen(name, at: time) { $0.invite($1, at: time) }
    case .accept(let name): return answer(name, accepts: true, at: time)
    case .decline(let name): return answer(name, accepts: false, at: time)
    case .disconnect(let name):
      return chosen(name, at: time) { model, id in
        let actions = model.disconnect(id)
        return actions.isEmpty ? [problem("\(model.directory.label(id)) is not connected")] : actions
      }
    case .name(let name):
      let isBusy = directory.entries.contains { $0.state == .connected || $0.state == .inviting }
      switch presence.rename(to: name, isAnyConnected: isBusy) {
      case .renamed: return [.rename(presence.name), event("your name is \(shownName(presence.name)) now")]
      case .unchanged: return [event("that is your name")]
      case .refusedWhileConnected:
        return [problem("the name changes only while nobody is connected: /disconnect first")]
      case .invalid(let reason): return [problem(reason)]
      }
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

  private mutating func chosen(
    _ name: String, at time: ClockTime, _ then: (inout ChatModel, PeerID) -> [Action]
  ) -> [Action] {
    func problem(_ text: String) -> [Action] { [.show(ChatEntry(.problem(text), at: time))] }
    switch directory.match(name) {
    case .one(let entry): return then(&self, entry.id)
    case .none: return problem("nobody called '\(shownName(name))' is near; /peers lists who is")
    case .several(let entries):
      return problem(
        "several are called '\(shownName(name))': say which by \(enumeration(entries.map(\.id.short)))")
    }
  }

  /// A peer in one line: name, beginning of the identity, paired or not, state.
  static func row(_ entry: PeerDirectory.Entry) -> String {
    "\(shownName(entry.name))  \(entry.id.short)  \(entry.isPaired ? "paired" : "not paired")  \(entry.state.rawValue)"
      + (entry.purpose.map { "  \($0.rawValue)" } ?? "")
  }
}
