import PeerLink
import PeerProtocol

extension InvitationError {
  /// - Parameter timeIsUp: the other side that ended it may have been the first to notice.
  init(_ error: PeerLink.InvitationError, timeIsUp: Bool) {
    switch error {
    case .ended where timeIsUp: self = .timedOut
    case .declined(let text): self = .declined(text)
    case .timedOut: self = .timedOut
    case .unreachable(let text): self = .unreachable(text)
    case .untrusted(.thisSide): self = .untrusted(by: .thisSide)
    case .untrusted(.otherSide): self = .untrusted(by: .otherSide)
    case .busy(let text): self = .busy(text)
    case .incompatible(let text): self = .incompatible(text)
    case .alreadyConnected: self = .inAnotherSession
    case .ended(let text): self = .ended(text)
    case .cancelled: self = .cancelled
    }
  }
}

extension PeerSession.DisconnectReason {
  init(_ end: SessionEnd) {
    switch end {
    case .left(.untrusted, _), .disconnected(.untrusted), .declined(.untrusted, _): self = .untrusted
    case .left(.protocolError, let text): self = .protocolError(text)
    case .left(_, let text), .declined(_, let text): self = .left(text)
    // A newer connection of the same peer took its place: its program was started anew.
    case .restarted, .disconnected(.replaced): self = .restarted
    case .disconnected: self = .disconnected
    case .timedOut(.silence): self = .silent
    case .timedOut: self = .connectionLost(end.description)
    case .connectionLost(let text): self = .connectionLost(text)
    case .brokeProtocol(let text): self = .protocolError(text)
    case .versionMismatch: self = .protocolError(end.description)
    }
  }
}

extension PeerMessage.Mode {
  init(_ arrival: SessionPlanes.Arrival) {
    switch arrival {
    case .reliable: self = .reliable
    case .unreliable: self = .unreliable
    case .urgent: self = .urgent
    }
  }
}

extension PeerSession.LinkStatus.Datagrams {
  init(_ state: DatagramState) {
    switch state {
    case .connecting: self = .connecting
    case .up: self = .up
    case .blocked: self = .blocked
    }
  }
}

extension PeerLink.DeliveryMode {
  init(_ mode: DeliveryMode) {
    switch mode {
    case .reliable: self = .reliable
    case .unreliable: self = .unreliable
    case .urgent(let replacing): self = .urgent(replacing: replacing)
    }
  }
}
