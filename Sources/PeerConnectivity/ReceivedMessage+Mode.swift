import PeerLink
import PeerProtocol

extension PeerLink.Peer { var isResumed: Bool { false } }
extension ReceivedMessage { var mode: PeerMessage.Mode { .reliable } }
extension PeerMessage.Mode { init(_ mode: PeerMessage.Mode) { self = mode } }
