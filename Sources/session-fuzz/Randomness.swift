/// SplitMix64: an input depends on the seed and its own number only, so a failing one can be made again.
struct Randomness: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64, input: UInt64) { state = seed &+ input &* 0xD134_2543_DE82_EF95 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// From 0 to below the bound.
  mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Numbers near which mistakes live.
  mutating func number() -> UInt64 {
    switch below(6) {
    case 0: UInt64(below(4))
    case 1: .max - UInt64(below(3))
    case 2: UInt64(UInt32.max) &- UInt64(below(3)) &+ 1
    case 3: UInt64(Int64.max) &+ UInt64(below(3))
    case 4: UInt64(below(70_000))
    default: next()
    }
  }

  /// Damages bytes in one to four places.
  mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) where !bytes.isEmpty {
      let position = below(bytes.count)
      switch below(7) {
      case 0: bytes[position] ^= 1 << UInt8(below(8))
      case 1: bytes[position] = bytes[below(bytes.count)]
      case 2: bytes[position] &+= 1
      case 3: bytes.remove(at: position)
      case 4: bytes.removeLast(min(bytes.count, below(8)))
      case 5: bytes.insert(byte(), at: position)
      default: bytes[position] = byte()
      }
    }
    return bytes
  }

  /// Bytes that look like a DTLS record, more or less.
  mutating func record() -> [UInt8] {
    var bytes = bytes(below(300))
    let length = chance(50) ? max(0, bytes.count - 13) : below(400)
    let header: [UInt8] = [
      UInt8(20 + below(6)), 254, 253, 0, UInt8(below(3)), 0, 0, 0, 0, byte(), byte(), UInt8(length >> 8),
      UInt8(length & 255),
    ]
    for (index, value) in header.enumerated() where index < bytes.count { bytes[index] = value }
    return bytes
  }
}
