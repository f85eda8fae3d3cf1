/// The two functions of cryptography that pairing needs; `SecureTransport` has them.
public struct PairingFunctions: Sendable {
  /// SHA-256.
  public let hash: @Sendable ([UInt8]) -> [UInt8]
  /// HMAC-SHA256.
  public let authenticationCode: @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]

  public init(
    hash: @escaping @Sendable ([UInt8]) -> [UInt8],
    authenticationCode: @escaping @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]
  ) {
    self.hash = hash
    self.authenticationCode = authenticationCode
  }
}

/// A password-authenticated exchange with a six-digit code, bound to one connection: SPAKE2.
public protocol PairingExchange {
  /// What goes to the peer; says nothing about the code.
  var share: [UInt8] { get }
  /// What proves the knowledge of the code, ours and the one to expect; nil when the peer's share is no fit point.
  func proofs(peerShare: [UInt8]) -> (own: [UInt8], expected: [UInt8])?
}

/// What one pairing attempt is made of; new for each connection.
public struct PairingMaterial {
  public enum Secret {
    /// 32 random bytes of this side.
    case compare(nonce: [UInt8])
    case code(any PairingExchange)
  }

  /// Label of the exporter from which each connection's pairing secret comes; its context is empty.
  public static let exporterLabel = "EXPORTER-drone-control pairing"
  public static let exporterBytes = 32

  let inviter: PeerID
  let host: PeerID
  let exporter: [UInt8]
  let functions: PairingFunctions
  let secret: Secret

  /// - Parameter exporter: the connection's exporter value; an attacker who holds both ends of two connections has two.
  public init(
    inviter: PeerID, host: PeerID, exporter: [UInt8], functions: PairingFunctions, secret: Secret
  ) {
    self.inviter = inviter
    self.host = host
    self.exporter = exporter
    self.functions = functions
    self.secret = secret
  }

  var method: PairingMethod {
    switch secret {
    case .compare: .compare
    case .code: .code
    }
  }

  func commitment(to nonce: [UInt8]) -> [UInt8] {
    functions.hash(
      Array("drone-control pairing commitment".utf8) + inviter.bytes + host.bytes + exporter + nonce)
  }

  func digits(inviterNonce: [UInt8], hostNonce: [UInt8]) -> PairingCode {
    PairingCode(
      truncating: functions.authenticationCode(
        exporter,
        Array("drone-control pairing digits".utf8) + inviter.bytes + host.bytes + inviterNonce + hostNonce))
  }
}

/// Whether two secrets are equal, without telling by the time taken where they differ.
func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  one.count == other.count && zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
