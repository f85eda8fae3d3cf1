public import PeerProtocol

extension PairingFunctions {
  /// The real ones.
  public static let openSSL = PairingFunctions(
    hash: { sha256($0) }, authenticationCode: { MessageAuthentication.code(key: $0, message: $1) })
}
