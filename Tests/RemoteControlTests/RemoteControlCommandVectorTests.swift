import Geodesy
import RemoteControl
import Testing

/// Frames that other implementations wrote once, so that they stay readable when neither is installed.
@Suite struct RemoteControlCommandVectorTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let hex: String
  }

  static let vectors = [
    // NSKeyedArchiver(requiringSecureCoding: true), Swift 6.3.1 on Debian 12, a class in a module named Ancestor.
    Vector(
      testDescription: "Foundation",
      hex:
        "62706c6973743030d401020304051b1c1d58246f626a6563747359246172636869766572582476657273696f6e542474"
        + "6f70a306071455246e756c6cd608090a0b0c0d0e0f1011120f5f1014636f6f7264696e6174652e6c6f6e676974756465"
        + "5774616b656f66665624636c6173735f1013636f6f7264696e6174652e6c617469747564655473746f70557265736574"
        + "23402ad452243a1c0608800223404a40ae8ff5d6dc0908d2151617185a24636c6173736e616d655824636c6173736573"
        + "5f101d416e636573746f722e52656d6f7465436f6e74726f6c436f6d6d616e64a2191a5f101d416e636573746f722e52"
        + "656d6f7465436f6e74726f6c436f6d6d616e64584e534f626a6563745f100f4e534b6579656441726368697665721200"
        + "0186a0d11e1f57636f6d6d616e64800100080011001a0024002d00320036003c004900600068006f0085008a00900099"
        + "009a009c00a500a600a700ac00b700c000e000e30103010c011e01230126012e00000000000002010000000000000020"
        + "00000000000000000000000000000130"),
    // bpylist2 4.1.1 on Python 3.11 (plistlib), its root key replaced by `command`.
    Vector(
      testDescription: "bpylist2",
      hex:
        "62706c6973743030d4010203040506191c5924617263686976657258246f626a656374735424746f7058247665727369"
        + "6f6e5f100f4e534b657965644172636869766572a307081455246e756c6cd6090a0b0c0d0e0f10111213125624636c61"
        + "73735f1013636f6f7264696e6174652e6c617469747564655f1014636f6f7264696e6174652e6c6f6e67697475646555"
        + "72657365745473746f705774616b656f6666800223404a40ae8ff5d6dc23402ad452243a1c060809d215161718582463"
        + "6c61737365735a24636c6173736e616d65a1185f101452656d6f7465436f6e74726f6c436f6d6d616e64d11a1b57636f"
        + "6d6d616e64800112000186a008111b24293244484e5b62788f959aa2a4adb6b7b8bdc6d1d3eaedf5f700000000000001"
        + "01000000000000001d000000000000000000000000000000fc"),
  ]

  @Test(arguments: vectors) func aFrameOfTheFiveClassicKeysIsRead(vector: Vector) throws {
    let digits = Array(vector.hex)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
    #expect(
      try RemoteControlCommand(encoded: bytes)
        == RemoteControlCommand(
          coordinate: Coordinate(latitude: 52.50532722, longitude: 13.41468919), stop: true))
    for length in 0..<bytes.count {
      #expect(throws: RemoteControlCommandError.self) {
        try RemoteControlCommand(encoded: Array(bytes[..<length]))
      }
    }
  }
}
