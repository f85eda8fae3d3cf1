public import Configuration
public import PeerConnectivity

/// Something that happened and that the person is told.
public enum Notice: Equatable, Sendable {
  case event(String)
  case problem(String)
}

/// How peers meet, the same for all programs: who is near, who is invited, who asks to come in, who is connected.
public struct Lobby: Sendable {
  public enum Input: Equatable, Sendable {
    case found(Peer.ID, name: String, purpose: Purpose?, isPaired: Bool)
    case lost(Peer.ID)
    case invited(Peer.ID, name: String, isPaired: Bool, purpose: Purpose?)
    /// The inviter gave up, or its time is over.
    case withdrawn(Peer.ID)
    case connected(Peer.ID, name: String, isPaired: Bool)
    case disconnected(Peer.ID, reason: String)
    case invitationFailed(Peer.ID, reason: String)
    /// A connected peer wants to send something; the number tells offers apart.
    case offered(Peer.ID, number: Int, name: String, isFolder: Bool, byteCount: UInt64)
    /// What was accepted broke off; the same offer again goes on with it.
    case transferBroke(Peer.ID, name: String)
  }

  public enum Action: Equatable, Sendable {
    case tell(Notice)
    case invite(Peer.ID)
    /// With a reason for the other side when it is declined.
    case answer(Question, accepts: Bool, reason: String)
  }

  public private(set) var directory = PeerDirectory()
  public private(set) var desk = QuestionDesk()
  public let purpose: Purpose
  public let policy: AcceptPolicy
  /// How many peers may be connected; those who come when it is full are told so.
  public let capacity: Int

  /// Broken transfers that the person had said yes to.
  private var promises: [(id: Peer.ID, name: String)] = []
  static let maximumPromises = 32

  /// - Parameter capacity: 1 for what two do with each other.
  public init(_ purpose: Purpose, policy: AcceptPolicy, capacity: Int = PeerSession.maximumPeers) {
    self.purpose = purpose
    self.policy = policy
    self.capacity = capacity
  }

  public mutating func handle(_ input: Input) -> [Action] {
    switch input {
    case .found(let id, let name, let purpose, let isPaired):
      guard directory.found(id, name: name, purpose: purpose, isPaired: isPaired) == .appeared,
        purpose == self.purpose
      else { return [] }
      return [.tell(.event("\(directory.label(id)) is near"))]
    case .lost(let id):
      let label = directory.label(id)
      guard let entry = directory.lost(id), entry.purpose == purpose else { return [] }
      return [.tell(.event("\(label) is gone"))]
    case .invited(let id, let name, let isPaired, let purpose):
      return invited(Question(.invitation(purpose), from: id, name: name, isPaired: isPaired), for: purpose)
    case .withdrawn(let id):
      guard let question = desk.withdrawInvitation(of: id) else { return [] }
      directory.reset(id)
      return [.tell(.event("\(shownName(question.name)) invites no longer"))]
    case .connected(let id, let name, let isPaired):
      _ = desk.withdrawInvitation(of: id)
      directory.set(.connected, of: id, name: name, isPaired: isPaired)
      let words = "connected: \(directory.label(id)) (\(id.short), \(isPaired ? "paired" : "not paired"))"
      return [.tell(.event(words))]
    case .disconnected(let id, let reason):
      guard directory[id]?.state == .connected else { return [] }
      let label = directory.label(id)
      desk.withdrawAll(of: id)
      directory.reset(id)
      return [.tell(.event("disconnected: \(label): \(reason)"))]
    case .invitationFailed(let id, let reason):
      let label = directory.label(id)
      if directory[id]?.state == .inviting { directory.reset(id) }
      return [.tell(.problem("\(label): \(reason)"))]
    case .offered(let id, let number, let name, let isFolder, let byteCount):
      let subject = Question.Subject.offer(
        number: number, name: name, isFolder: isFolder, byteCount: byteCount)
      let entry = directory[id]
      let question = Question(
        subject, from: id, name: entry?.name ?? id.short, isPaired: entry?.isPaired ?? false)
      // With the other policies nobody is there to ask: who may connect may send.
      guard policy == .ask, !isPromised(id, name) else {
        return [.answer(question, accepts: true, reason: "")]
      }
      guard desk.ask(question) == .ask else { return [decline(question, "too many offers wait")] }
      return [.tell(.event(question.text))]
    case .transferBroke(let id, let name):
      promises.append((id, name))
      if promises.count > Self.maximumPromises { promises.removeFirst() }
      return []
    }
  }

  private mutating func isPromised(_ id: Peer.ID, _ name: String) -> Bool {
    guard let index = promises.firstIndex(where: { $0.id == id && $0.name == name }) else { return false }
    promises.remove(at: index)
    return true
  }

  private func decline(_ question: Question, _ reason: String) -> Action {
    .answer(question, accepts: false, reason: reason)
  }

  private mutating func invited(_ question: Question, for purpose: Purpose?) -> [Action] {
    guard purpose == self.purpose else {
      return [decline(question, "this program does something else (\(self.purpose.rawValue))")]
    }
    let taken = directory.entries.count { $0.state == .connected && $0.id != question.id }
    guard taken < capacity else { return [decline(question, "busy with somebody else")] }
    switch Admission.decide(policy, isPaired: question.isPaired) {
    case .accept: return [.answer(question, accepts: true, reason: "")]
    case .decline:
      let words = "declined: \(question.text); only paired peers may (see --accept)"
      return [decline(question, "not paired"), .tell(.event(words))]
    case .ask: break
    }
    guard desk.ask(question) == .ask else { return [decline(question, "too many ask at present")] }
    directory.set(.invitesUs, of: question.id, name: question.name, isPaired: question.isPaired)
    return [.tell(.event(question.text))]
  }

  /// The person wants this peer. It was chosen from a list that says whether it is paired, so nothing is asked again.
  public mutating func invite(_ id: Peer.ID) -> [Action] {
    guard let entry = directory[id] else { return [.tell(.problem("\(id.short) is not near any more"))] }
    let label = directory.label(id)
    switch entry.state {
    case .connected: return [.tell(.problem("\(label) is connected already"))]
    case .inviting: return [.tell(.problem("\(label) is being invited already"))]
    case .invitesUs: return answer(desk.withdrawInvitation(of: id), accepts: true)
    case .nearby: break
    }
    if !entry.isPaired, policy == .paired {
      return [
        .tell(.problem("\(label) (\(id.short)) is not paired: pair with it first, or use --accept any"))
      ]
    }
    directory.set(.inviting, of: id, name: entry.name, isPaired: entry.isPaired)
    return [.invite(id), .tell(.event("inviting \(label) (\(id.short))"))]
  }

  /// Answers the oldest question, or the one of the peer that is meant.
  public mutating func answer(_ name: String? = nil, accepts: Bool) -> [Action] {
    answer(desk.take(name), accepts: accepts)
  }

  private mutating func answer(_ question: Question?, accepts: Bool) -> [Action] {
    guard let question else { return [.tell(.problem("nobody like that asks anything"))] }
    if case .invitation = question.subject { directory.reset(question.id) }
    let verb = accepts ? "accepted" : "declined"
    return [
      .answer(question, accepts: accepts, reason: ""), .tell(.event("\(verb): \(shownName(question.name))")),
    ]
  }

  /// Discovery starts anew, as after a change of the own name.
  public mutating func forgetNearby() {
    for entry in directory.entries where entry.state == .nearby { _ = directory.lost(entry.id) }
  }

  /// Who is meant by what a person typed, or what is wrong with it.
  public func choose(_ text: String) -> Result<Peer.ID, Refusal> {
    switch directory.match(text) {
    case .one(let entry): .success(entry.id)
    case .none: .failure(Refusal("nobody called '\(shownName(text))' is near"))
    case .several(let entries):
      .failure(
        Refusal(
          "several are called '\(shownName(text))': say which by \(enumeration(entries.map(\.id.short)))"))
    }
  }

  /// Why a wish cannot be met, for the person.
  public struct Refusal: Error, Equatable, Sendable {
    public let text: String
    init(_ text: String) { self.text = text }
  }
}
