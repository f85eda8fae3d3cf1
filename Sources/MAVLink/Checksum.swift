/// The CRC-16/MCRF4XX that MAVLink calls X.25: polynomial 0x1021 reflected, start 0xFFFF, no final
/// inversion. Source: MAVLink developer guide, "Packet serialization".
struct Checksum {
  private(set) var value: UInt16 = 0xFFFF

  /// Eight tables, one a byte position, so that eight bytes take independent look-ups instead of a
  /// chain of eight: the checksum is most of the cost of a frame.
  private static let tables: [UInt16] = {
    var tables = [UInt16](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var entry = UInt16(byte)
      for _ in 0..<8 { entry = entry & 1 == 0 ? entry >> 1 : entry >> 1 ^ 0x8408 }
      tables[byte] = entry
    }
    for index in 256..<tables.count {
      let previous = tables[index - 256]
      tables[index] = previous >> 8 ^ tables[Int(previous & 0xFF)]
    }
    return tables
  }()

  mutating func add(_ byte: UInt8) {
    value = value >> 8 ^ Self.tables[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    value = Self.tables.withUnsafeBufferPointer { tables in
      var crc = UInt64(value)
      var offset = 0
      while bytes.count &- offset >= 8 {
        // The first two bytes meet the running value, the other six go in as they are.
        let word =
          crc
          ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        func look(_ table: Int, _ shift: UInt64) -> UInt16 {
          tables[table &* 256 &+ Int(truncatingIfNeeded: word >> shift & 0xFF)]
        }
        let low: UInt16 = look(7, 0) ^ look(6, 8) ^ look(5, 16) ^ look(4, 24)
        let high: UInt16 = look(3, 32) ^ look(2, 40) ^ look(1, 48) ^ look(0, 56)
        crc = UInt64(low ^ high)
        offset &+= 8
      }
      while offset < bytes.count {
        crc = crc >> 8 ^ UInt64(tables[Int((crc ^ UInt64(bytes[offset])) & 0xFF)])
        offset &+= 1
      }
      return UInt16(truncatingIfNeeded: crc)
    }
  }
}
