public import PeerProtocol

/// SPAKE2 over P-256 with SHA-256, HKDF and HMAC (RFC 9382): two sides prove to each other that they know the same short
/// code, and whoever listens, or plays one of them, learns no more than whether one guess was right.
///
/// Good for one exchange. Not Sendable.
@safe public final class SPAKE2: PairingExchange {
  public enum Role: Sendable {
    /// A in the specification: multiplies M.
    case first
    /// B in the specification: multiplies N.
    case second
  }

  public let share: [UInt8]

  private let curve: Curve
  private let role: Role
  private let password: [UInt8]
  private let scalar: [UInt8]
  private let identities: (first: [UInt8], second: [UInt8])
  private let additionalData: [UInt8]

  /// An exchange about a pairing code, on the connection that `exporter` is of.
  ///
  /// The code has twenty bits and lives for minutes, so slow hashing would protect nothing: the exchange itself
  /// leaves nothing to search, and guesses are counted.
  public convenience init(
    role: Role, code: PairingCode, inviter: PeerID, host: PeerID, exporter: [UInt8]
  ) throws(TLSError) {
    let digits = Array("drone-control pairing code \(code)".utf8)
    // 16 bytes more than the order has, so that no scalar is likelier than another (RFC 9382, section 3.2).
    let password = HKDF.derive(secret: digits, information: inviter.bytes + host.bytes, count: 48)
    let curve = try Curve()
    try self.init(
      role: role, password: try curve.reduced(password), identities: (inviter.bytes, host.bytes),
      additionalData: exporter, scalar: try curve.randomScalar(), curve: curve)
  }

  /// - Parameters:
  ///   - password: the scalar w, 32 bytes, most significant first.
  ///   - scalar: the secret x or y, likewise.
  init(
    role: Role, password: [UInt8], identities: (first: [UInt8], second: [UInt8]), additionalData: [UInt8],
    scalar: [UInt8], curve: Curve
  ) throws(TLSError) {
    self.role = role
    self.password = password
    self.identities = identities
    self.additionalData = additionalData
    self.scalar = scalar
    self.curve = curve
    share = try curve.share(scalar: scalar, password: password, mask: SPAKE2.ownMask(role))
  }

  public func proofs(peerShare: [UInt8]) -> (own: [UInt8], expected: [UInt8])? {
    guard
      let secret = curve.secret(
        peerShare: peerShare, scalar: scalar, password: password, mask: SPAKE2.peerMask(role))
    else { return nil }
    let shares = role == .first ? (share, peerShare) : (peerShare, share)
    let transcript = [identities.first, identities.second, shares.0, shares.1, secret, password]
      .flatMap { SPAKE2.length(of: $0) + $0 }
    // The first half would be the key for what follows; TLS has keys already.
    let authenticationKey = Array(sha256(transcript)[16...])
    let keys = HKDF.derive(
      secret: authenticationKey, information: Array("ConfirmationKeys".utf8) + additionalData, count: 32)
    let first = MessageAuthentication.code(key: Array(keys[..<16]), message: transcript)
    let second = MessageAuthentication.code(key: Array(keys[16...]), message: transcript)
    return role == .first ? (first, second) : (second, first)
  }

  /// Eight bytes, least significant first.
  private static func length(of bytes: [UInt8]) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
  }

  private static func ownMask(_ role: Role) -> [UInt8] { role == .first ? pointM : pointN }
  private static func peerMask(_ role: Role) -> [UInt8] { role == .first ? pointN : pointM }

  /// The points M and N for P-256 (RFC 9382, section 4), compressed: nobody knows their logarithms.
  private static let pointM = compressed(
    0x02, 0x886e_2f97_ace4_6e55, 0xba9d_d724_2579_f299, 0x3b64_e16e_f3dc_ab95, 0xafd4_9733_3d8f_a12f)
  private static let pointN = compressed(
    0x03, 0xd8bb_d6c6_39c6_2937, 0xb04d_997f_38c3_7707, 0x19c6_29d7_014d_49a2, 0x4b4f_98ba_a129_2b49)

  private static func compressed(_ sign: UInt8, _ words: UInt64...) -> [UInt8] {
    [sign]
      + words.flatMap { word in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
      }
  }
}
