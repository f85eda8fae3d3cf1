import PeerProtocol
import Testing

@testable import SecureTransport

/// RFC 9382, appendix B: SPAKE2-P256-SHA256-HKDF-HMAC.
struct SPAKE2Vector: Sendable, CustomTestStringConvertible {
  let first: String
  let second: String
  let w: String
  let x: String
  let y: String
  let firstShare: String
  let secondShare: String
  let firstProof: String
  let secondProof: String

  var testDescription: String { "A='\(first)' B='\(second)'" }

  static let all = [
    SPAKE2Vector(
      first: "server", second: "client",
      w: "2ee57912099d31560b3a44b1184b9b4866e904c49d12ac5042c97dca461b1a5f",
      x: "43dd0fd7215bdcb482879fca3220c6a968e66d70b1356cac18bb26c84a78d729",
      y: "dcb60106f276b02606d8ef0a328c02e4b629f84f89786af5befb0bc75b6e66be",
      firstShare: "04a56fa807caaa53a4d28dbb9853b9815c61a411118a6fe516a8798434751470f9"
        + "010153ac33d0d5f2047ffdb1a3e42c9b4e6be662766e1eeb4116988ede5f912c",
      secondShare: "0406557e482bd03097ad0cbaa5df82115460d951e3451962f1eaf4367a420676d0"
        + "9857ccbc522686c83d1852abfa8ed6e4a1155cf8f1543ceca528afb591a1e0b7",
      firstProof: "58ad4aa88e0b60d5061eb6b5dd93e80d9c4f00d127c65b3b35b1b5281fee38f0",
      secondProof: "d3e2e547f1ae04f2dbdbf0fc4b79f8ecff2dff314b5d32fe9fcef2fb26dc459b"),
    SPAKE2Vector(
      first: "", second: "client",
      w: "0548d8729f730589e579b0475a582c1608138ddf7054b73b5381c7e883e2efae",
      x: "403abbe3b1b4b9ba17e3032849759d723939a27a27b9d921c500edde18ed654b",
      y: "903023b6598908936ea7c929bd761af6039577a9c3f9581064187c3049d87065",
      firstShare: "04a897b769e681c62ac1c2357319a3d363f610839c4477720d24cbe32f5fd85f44"
        + "fb92ba966578c1b712be6962498834078262caa5b441ecfa9d4a9485720e918a",
      secondShare: "04e0f816fd1c35e22065d5556215c097e799390d16661c386e0ecc84593974a61b"
        + "881a8c82327687d0501862970c64565560cb5671f696048050ca66ca5f8cc7fc",
      firstProof: "47d29e6666af1b7dd450d571233085d7a9866e4d49d2645e2df975489521232b",
      secondProof: "3313c5cefc361d27fb16847a91c2a73b766ffa90a4839122a9b70a2f6bd1d6df"),
    SPAKE2Vector(
      first: "server", second: "",
      w: "626e0cdc7b14c9db3e52a0b1b3a768c98e37852d5db30febe0497b14eae8c254",
      x: "07adb3db6bc623d3399726bfdbfd3d15a58ea776ab8a308b00392621291f9633",
      y: "b6a4fc8dbb629d4ba51d6f91ed1532cf87adec98f25dd153a75accafafedec16",
      firstShare: "04f88fb71c99bfffaea370966b7eb99cd4be0ff1a7d335caac4211c4afd855e2e1"
        + "5a873b298503ad8ba1d9cbb9a392d2ba309b48bfd7879aefd0f2cea6009763b0",
      secondShare: "040c269d6be017dccb15182ac6bfcd9e2a14de019dd587eaf4bdfd353f031101e7"
        + "cca177f8eb362a6e83e7d5e729c0732e1b528879c086f39ba0f31a9661bd34db",
      firstProof: "bc9f9bbe99f26d0b2260e6456e05a86196a3307ec6663a18bf6ac825736533b2",
      secondProof: "c2370e1bf813b086dff0d834e74425a06e6390f48f5411900276dcccc5a297ec"),
    SPAKE2Vector(
      first: "", second: "",
      w: "7bf46c454b4c1b25799527d896508afd5fc62ef4ec59db1efb49113063d70cca",
      x: "8cef65df64bb2d0f83540c53632de911b5b24b3eab6cc74a97609fd659e95473",
      y: "d7a66f64074a84652d8d623a92e20c9675c61cb5b4f6a0063e4648a2fdc02d53",
      firstShare: "04a65b367a3f613cf9f0654b1b28a1e3a8a40387956c8ba6063e8658563890f46c"
        + "a1ef6a676598889fc28de2950ab8120b79a5ef1ea4c9f44bc98f585634b46d66",
      secondShare: "04589f13218822710d98d8b2123a079041052d9941b9cf88c6617ddb2fcc049466"
        + "2eea8ba6b64692dc318250030c6af045cb738bc81ba35b043c3dcb46adf6f58d",
      firstProof: "dfb4db8d48ae5a675963ea5e6c19d98d4ea028d8e898dad96ea19a80ade95dca",
      secondProof: "d0f0609d1613138d354f7e95f19fb556bf52d751947241e8c7118df5ef0ae175"),
  ]
}

struct SPAKE2Tests {
  private let curve: Curve

  init() throws { curve = try Curve() }

  @Test(arguments: SPAKE2Vector.all)
  func `the vectors of RFC 9382 come out`(_ vector: SPAKE2Vector) throws {
    let identities = (first: Array(vector.first.utf8), second: Array(vector.second.utf8))
    let first = try SPAKE2(
      role: .first, password: bytes(vector.w), identities: identities, additionalData: [],
      scalar: bytes(vector.x), curve: curve)
    let second = try SPAKE2(
      role: .second, password: bytes(vector.w), identities: identities, additionalData: [],
      scalar: bytes(vector.y), curve: curve)
    #expect(hex(first.share) == vector.firstShare)
    #expect(hex(second.share) == vector.secondShare)
    let atFirst = try #require(first.proofs(peerShare: second.share))
    let atSecond = try #require(second.proofs(peerShare: first.share))
    #expect(hex(atFirst.own) == vector.firstProof)
    #expect(hex(atFirst.expected) == vector.secondProof)
    #expect(hex(atSecond.own) == vector.secondProof)
    #expect(hex(atSecond.expected) == vector.firstProof)
  }

  @Test func `HKDF gives the vector of RFC 5869 without salt`() {
    let output = HKDF.derive(secret: [UInt8](repeating: 0x0b, count: 22), information: [], count: 42)
    #expect(
      hex(output) == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
  }

  struct Difference: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var code = "123456"
    var inviter = 1
    var host = 2
    var exporter: UInt8 = 7
    var agrees = false
  }

  @Test(arguments: [
    Difference(testDescription: "nothing", agrees: true),
    Difference(testDescription: "the code", code: "123457"),
    Difference(testDescription: "the inviter", inviter: 3),
    Difference(testDescription: "the host", host: 3),
    Difference(testDescription: "the connection", exporter: 8),
  ])
  func `proofs agree only when both sides have the same in all`(_ other: Difference) throws {
    let first = try exchange(.first, Difference(testDescription: ""))
    let second = try exchange(.second, other)
    let atFirst = try #require(first.proofs(peerShare: second.share))
    let atSecond = try #require(second.proofs(peerShare: first.share))
    #expect((atFirst.expected == atSecond.own) == other.agrees)
    #expect((atSecond.expected == atFirst.own) == other.agrees)
  }

  @Test func `each exchange has another share`() throws {
    let shares = try (0..<8).map { _ in try exchange(.first, Difference(testDescription: "")).share }
    #expect(Set(shares).count == shares.count)
  }

  @Test(arguments: [
    [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 1, count: 64), [0], [],
    [4] + [UInt8](repeating: 255, count: 64),
    bytes("0343dd0fd7215bdcb482879fca3220c6a968e66d70b1356cac18bb26c84a78d729"),
  ])
  func `what is no uncompressed point is refused`(_ share: [UInt8]) throws {
    #expect(try exchange(.second, Difference(testDescription: "")).proofs(peerShare: share) == nil)
  }

  @Test func `a share that cancels the mask out is refused`() throws {
    // The peer sends w*M itself: the shared point would be the neutral element.
    let w = bytes(SPAKE2Vector.all[0].w)
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let zero = [UInt8](repeating: 0, count: 32)
    let second = try SPAKE2(
      role: .second, password: w, identities: ([], []), additionalData: [], scalar: one, curve: curve)
    let cancelling = try SPAKE2(
      role: .first, password: w, identities: ([], []), additionalData: [], scalar: zero, curve: curve)
    #expect(second.proofs(peerShare: cancelling.share) == nil)
  }

  private func exchange(_ role: SPAKE2.Role, _ values: Difference) throws -> SPAKE2 {
    try SPAKE2(
      role: role, code: #require(PairingCode(values.code)), inviter: id(values.inviter),
      host: id(values.host), exporter: [UInt8](repeating: values.exporter, count: 32))
  }

  private func id(_ number: Int) throws -> PeerID {
    try #require(PeerID(bytes: [UInt8](repeating: UInt8(number), count: 32)))
  }
}

private func bytes(_ hex: String) -> [UInt8] {
  let digits = Array(hex.utf8).map { UInt8(hexDigit: $0) }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

private func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension UInt8 {
  fileprivate init(hexDigit: UInt8) {
    self = hexDigit <= UInt8(ascii: "9") ? hexDigit - UInt8(ascii: "0") : hexDigit - UInt8(ascii: "a") + 10
  }
}
