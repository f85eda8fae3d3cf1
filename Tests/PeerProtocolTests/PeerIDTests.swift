import PeerProtocol
import Testing

struct PeerIDTests {
  private let ascending = (0..<32).map { UInt8($0 * 8 + 1) }

  @Test func bytesAndDigitsSurviveBothWays() throws {
    let id = try #require(PeerID(bytes: ascending))
    #expect(id.bytes == ascending)
    #expect(id.hex == "0109111921293139414951596169717981899199a1a9b1b9c1c9d1d9e1e9f1f9")
    #expect(id.description == id.hex)
    #expect(id.short == "01091119")
    #expect(PeerID(hex: id.hex) == id)
    #expect(PeerID(hex: id.hex.uppercased()) == id)
    #expect(PeerID(bytes: ascending[...]) == id)
  }

  @Test(arguments: [0, 1, 31, 33, 64])
  func otherLengthsAreNoIdentity(count: Int) {
    #expect(PeerID(bytes: [UInt8](repeating: 7, count: count)) == nil)
    #expect(PeerID(hex: String(repeating: "0", count: count * 2 + 1)) == nil)
  }

  @Test(arguments: ["g", "G", "/", ":", "@", "`", " ", "\n", "é", "\0"])
  func anythingButHexadecimalDigitsIsNoIdentity(digit: String) {
    let filler = String(repeating: "a", count: 64 - digit.utf8.count)
    #expect(PeerID(hex: filler + digit) == nil)
    #expect(PeerID(hex: digit + filler) == nil)
  }

  @Test func theOrderIsThatOfTheBytes() throws {
    for position in [0, 7, 8, 15, 16, 31] {
      var greater = ascending
      greater[position] += 1
      let (low, high) = (try #require(PeerID(bytes: ascending)), try #require(PeerID(bytes: greater)))
      #expect(low < high)
      #expect(!(high < low))
      #expect(low != high)
    }
  }
}
