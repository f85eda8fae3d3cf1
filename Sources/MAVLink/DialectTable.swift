/// The checksum seeds of every message of the dialect, also of those that have no type here.
enum DialectTable {
  /// The CRC_EXTRA of a message, or nil when the dialect does not have it.
  static func crcExtra(of messageID: UInt32) -> UInt8? {
    if messageID < 256 {
      return UInt8(exactly: crcExtrasBelow256[Int(messageID)])
    }
    var low = 0
    var high = entriesFrom256.count
    while low < high {
      let middle = (low + high) / 2
      let entry = entriesFrom256[middle]
      if entry >> 8 == messageID { return UInt8(truncatingIfNeeded: entry) }
      if entry >> 8 < messageID { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
