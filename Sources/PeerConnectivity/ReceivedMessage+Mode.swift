import PeerLink
import PeerProtocol

extension ReceivedMessage {
  var mode: PeerMessage.Mode {
    switch arrival {
    case .reliable: .reliable
    case .unreliable: .unreliable
    case .urgent: .urgent
    }
  }
}
