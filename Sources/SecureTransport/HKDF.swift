/// HKDF-SHA256 (RFC 5869) without a salt.
enum HKDF {
  /// - Parameter count: at most 255 times 32 bytes.
  static func derive(secret: [UInt8], information: [UInt8], count: Int) -> [UInt8] {
    let key = MessageAuthentication.code(key: [UInt8](repeating: 0, count: 32), message: secret)
    var output: [UInt8] = []
    var block: [UInt8] = []
    var number: UInt8 = 1
    while output.count < count {
      block = MessageAuthentication.code(key: key, message: block + information + [number])
      output += block
      number += 1
    }
    return Array(output.prefix(count))
  }
}
