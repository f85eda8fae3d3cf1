public import PeerLink
import PeerProtocol
public import SecureTransport
public import ServiceRuntime

/// Puts the events of a pairing into words, the same for every program; each line once.
public struct PairingNarrator {
  public struct Words: Sendable {
    /// What the other side is, such as `vehicle`.
    public var peer: String
    /// What its operator runs, such as `drone-navigator pair`.
    public var otherCommand: String
    /// What takes trust back here, such as `drone-client untrust`.
    public var untrustCommand: String

    public init(peer: String, otherCommand: String, untrustCommand: String) {
      self.peer = peer
      self.otherCommand = otherCommand
      self.untrustCommand = untrustCommand
    }
  }

  private let words: Words
  private var told: Set<String> = []
  private var isAsking = false
  private var failure: PairingFailure?
  /// How the program ends; known after the last event.
  public private(set) var exitCode: ExitCode?

  public init(_ words: Words) { self.words = words }

  /// - Parameter trusted: who is trusted before the event.
  public mutating func take(_ event: PairingEvent, trusted: TrustList) -> [PairingNotice] {
    var notices: [PairingNotice] = []
    switch event {
    case .multicast(nil): break
    case .multicast(let problem?):
      notices.append(.line("cannot look for a \(words.peer): \(problem); or use --connect HOST:PORT"))
    case .several(let candidates):
      notices.append(.line("several accept pairing; choose one with --peer NAME:"))
      notices += candidates.map { .line("  \($0.name) (\($0.id.short))") }
    case .compare(let code, let peer):
      isAsking = true
      if let namesake = trusted.namesake(of: peer.name, otherThan: peer.id) {
        notices.append(.alarm(PairingNarrator.changedIdentity(peer, namesake, words.untrustCommand)))
      }
      notices.append(.question(code, name: peer.name, id: peer.id))
    case .attemptEnded(let end, let peer, let attemptsLeft):
      if isAsking { notices.append(.withdrawn) }
      isAsking = false
      notices += ended(end, peer, attemptsLeft, trusted)
    case .closed(let closure): notices += closed(closure)
    }
    return notices.filter { notice in
      switch notice {
      case .line(let text), .alarm(let text): told.insert(text).inserted
      case .question, .withdrawn: true
      }
    }
  }

  /// One line about a known name that comes with another certificate.
  public static func changedIdentity(
    _ peer: PairingPeer, _ namesake: TrustList.Peer, _ untrustCommand: String
  ) -> String {
    "'\(peer.name)' is trusted here with another identity (\(namesake.id.short)) than this one (\(peer.id.short)): it is another "
      + "device, or the old one with a new key; if the old one is gone: \(untrustCommand) \(namesake.id.hex)"
  }

  private mutating func ended(
    _ end: PairingEnd, _ peer: PairingPeer?, _ attemptsLeft: Int, _ trusted: TrustList
  ) -> [PairingNotice] {
    let name = peer.map { "'\($0.name)' (\($0.id.short))" } ?? "the \(words.peer)"
    switch end {
    case .paired:
      var notices: [PairingNotice] = []
      if let peer, let namesake = trusted.namesake(of: peer.name, otherThan: peer.id) {
        notices.append(.alarm(PairingNarrator.changedIdentity(peer, namesake, words.untrustCommand)))
      }
      let id = peer.map { " \($0.id.hex)" } ?? ""
      return notices + [.line("paired with \(name): both sides trust each other now;\(id)")]
    case .halfPaired(let text):
      return [
        .alarm(
          "\(name) is trusted here now, but did not say that it trusts this side (\(text)): pair again, or take it back: "
            + "\(words.untrustCommand) \(peer?.id.hex ?? "ID")")
      ]
    case .failed(let failure, let peerMayTrust):
      self.failure = failure
      let remainder = peerMayTrust ? "; it may trust this side already: pair again, or untrust there" : ""
      if failure.isAlarming {
        let left = attemptsLeft == 1 ? "1 attempt is left" : "\(attemptsLeft) attempts are left"
        return [
          .alarm(
            "NOT paired with \(name): \(failure). A code may be mistyped, or somebody may be in between. Nothing is trusted; \(left)"
          )
        ]
      }
      if case .refused(.closed, _) = failure {
        return [.line("\(name) accepts no pairing yet; there: \(words.otherCommand)")]
      }
      return [.line("not paired with \(name): \(failure)\(remainder)")]
    }
  }

  private mutating func closed(_ closure: PairingWindow.Closure) -> [PairingNotice] {
    switch closure {
    case .paired:
      exitCode = .accepted
      return []
    case .halfPaired:
      exitCode = .noAnswer
      return []
    case .exhausted:
      exitCode = .refused
      return [.line("no attempt is left: begin anew on both sides")]
    case .timedOut:
      exitCode = .noAnswer
      return [.line("no \(words.peer) was paired in time; there: \(words.otherCommand)")]
    case .cancelled:
      exitCode = .refused
      return failure == nil ? [.line("pairing ended")] : []
    }
  }
}
