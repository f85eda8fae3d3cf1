import SecureTransport
import TestSupport
import Testing

struct HashTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let message: [UInt8]
    let digest: String
    var testDescription: String { "\(message.count) bytes" }
  }

  // FIPS 180-4 examples (NIST CSRC, "SHA256.pdf") and the digest of nothing.
  static let vectors = [
    Vector(message: [], digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Vector(
      message: Array("abc".utf8), digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Vector(
      message: Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Vector(
      message: [UInt8](repeating: 0x61, count: 1_000_000),
      digest: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  @Test(arguments: vectors)
  func theDigestDoesNotDependOnThePortions(vector: Vector) {
    #expect(hexadecimal(sha256(vector.message)) == vector.digest)
    let hash = Hash()
    var random = SplitMix64(seed: 1)
    var rest = vector.message[...]
    while !rest.isEmpty {
      let portion = rest.prefix(Int(random.next() % 100_000) + 1)
      hash.update(portion)
      rest = rest.dropFirst(portion.count)
    }
    hash.update([])
    #expect(hexadecimal(hash.digest()) == vector.digest)
    #expect(hash.byteCount == UInt64(vector.message.count))
  }

  @Test func aPrefixHasItsDigestOnTheWay() {
    let hash = Hash()
    hash.update(Array("ab".utf8))
    #expect(hash.digest() == sha256(Array("ab".utf8)))
    hash.update(Array("c".utf8))
    #expect(hash.digest() == sha256(Array("abc".utf8)))
    #expect(hash.digest() == hash.digest())
  }

  @Test func secretsAreComparedWhole() {
    #expect(isEqualInConstantTime([], []))
    #expect(isEqualInConstantTime([1, 2, 3], [1, 2, 3]))
    #expect(!isEqualInConstantTime([1, 2, 3], [1, 2]))
    #expect(!isEqualInConstantTime([1, 2, 3], [1, 2, 4]))
    #expect(!isEqualInConstantTime([0, 2, 3], [1, 2, 3]))
  }

  struct Code: Sendable, CustomTestStringConvertible {
    let key: [UInt8]
    let message: [UInt8]
    let code: String
    var testDescription: String { "\(code.prefix(8))" }
  }

  // RFC 4231, test cases 1, 2, 3 and 6.
  static let codes = [
    Code(
      key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Code(
      key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Code(
      key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Code(
      key: [UInt8](repeating: 0xAA, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
  ]

  @Test(arguments: codes)
  func aCodeProvesTheKeyAndTheMessage(vector: Code) {
    let code = MessageAuthentication.code(key: vector.key, message: vector.message)
    #expect(hexadecimal(code) == vector.code)
    #expect(MessageAuthentication.isValid(code, key: vector.key, message: vector.message))
    #expect(!MessageAuthentication.isValid(code, key: vector.key, message: vector.message + [0]))
    #expect(!MessageAuthentication.isValid(code, key: vector.key + [1], message: vector.message))
    #expect(!MessageAuthentication.isValid(Array(code.dropLast()), key: vector.key, message: vector.message))
  }

  @Test func nothingHasACodeToo() {
    // Python: hmac.new(b"", b"", "sha256").hexdigest()
    #expect(
      hexadecimal(MessageAuthentication.code(key: [], message: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
