import SecureTransport
import Testing

@testable import PeerProtocol

/// Values that Python's hashlib and hmac gave for the formulas of PROTOCOL.md.
struct PairingVectorTests {
  private let inviterNonce = [UInt8](repeating: 1, count: 32)
  private let hostNonce = [UInt8](repeating: 2, count: 32)

  private func material() throws -> PairingMaterial {
    PairingMaterial(
      inviter: try #require(PeerID(bytes: Array(0..<32))), host: try #require(PeerID(bytes: Array(32..<64))),
      exporter: Array(64..<96), functions: .openSSL, secret: .compare(nonce: inviterNonce))
  }

  @Test func `the commitment is as described`() throws {
    let commitment = try material().commitment(to: inviterNonce)
    #expect(
      PeerID(bytes: commitment)?.hex == "d071a63078d79b00989fd8103232ecaddc707598e67b2a00c2d5486d910db782")
  }

  @Test func `the digits are as described`() throws {
    let digits = try material().digits(inviterNonce: inviterNonce, hostNonce: hostNonce)
    #expect(digits.description == "082642")
  }
}
