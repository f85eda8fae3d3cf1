/// Six decimal digits that people compare or type.
public struct PairingCode: Hashable, Sendable, CustomStringConvertible {
  public static let count: UInt32 = 1_000_000

  private let value: UInt32

  /// Digits that nobody can guess, when the generator is the system's.
  public init(using generator: inout some RandomNumberGenerator) {
    value = UInt32.random(in: 0..<PairingCode.count, using: &generator)
  }

  /// - Parameter text: six decimal digits; one space or hyphen between the halves, as people write them, does no harm.
  /// - Returns: nil for anything else.
  public init?(_ text: some StringProtocol) {
    var digits = Array(text.utf8)
    if digits.count == 7, digits[3] == UInt8(ascii: " ") || digits[3] == UInt8(ascii: "-") {
      digits.remove(at: 3)
    }
    guard digits.count == 6, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      return nil
    }
    value = digits.reduce(0) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
  }

  /// The first big-endian 32-bit word of a code of authentication that lies below the largest multiple of a million,
  /// modulo a million: so no code is more likely than another.
  init(truncating authenticationCode: [UInt8]) {
    let bound = UInt32.max / PairingCode.count * PairingCode.count
    var word: UInt32 = 0
    for start in stride(from: 0, through: authenticationCode.count - 4, by: 4) {
      word = authenticationCode[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
      if word < bound { break }
    }
    // All eight words of 32 bytes above the bound: once in 10^29, and then the last one serves.
    value = word % PairingCode.count
  }

  /// Six digits, leading zeros included.
  public var description: String {
    let digits = String(value)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}
