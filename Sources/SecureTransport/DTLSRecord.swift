/// The visible part of one record in a datagram (RFC 6347, section 4.1); nothing in it is proven.
struct DTLSRecord: Equatable {
  enum ContentType: UInt8 {
    case changeCipherSpec = 20
    case alert = 21
    case handshake = 22
    case applicationData = 23
  }

  static let headerBytes = 13
  /// Of a handshake message in a record (RFC 6347, section 4.2.2).
  private static let messageHeaderBytes = 12
  private static let randomBytes = 32

  let type: ContentType
  /// 0 is plain text, 1 is protected; more would need a second handshake, which nobody makes.
  let epoch: UInt16
  /// With its header.
  let bytes: ArraySlice<UInt8>

  /// The records of a datagram up to the first that is none.
  static func records(in datagram: [UInt8]) -> [DTLSRecord] {
    var records: [DTLSRecord] = []
    var rest = datagram[...]
    while let record = DTLSRecord(prefixOf: rest) {
      records.append(record)
      rest = rest.dropFirst(record.bytes.count)
    }
    return records
  }

  /// Datagrams of whole records, none longer than a limit unless a single record is.
  static func divide(_ records: [UInt8], maximumBytes: Int) -> [[UInt8]] {
    guard records.count > maximumBytes else { return [records] }
    var datagrams: [[UInt8]] = [[]]
    for record in DTLSRecord.records(in: records) {
      let used = datagrams[datagrams.count - 1].count
      if used > 0, used + record.bytes.count > maximumBytes { datagrams.append([]) }
      datagrams[datagrams.count - 1] += record.bytes
    }
    return datagrams
  }

  private init?(prefixOf bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    guard bytes.count >= DTLSRecord.headerBytes, let type = ContentType(rawValue: bytes[start]) else {
      return nil
    }
    // DTLS versions count down from 254.255; a first hello says 1.0 whatever it offers.
    guard bytes[start + 1] == 254 else { return nil }
    let length = Int(bytes[start + 11]) << 8 | Int(bytes[start + 12])
    guard length > 0, bytes.count >= DTLSRecord.headerBytes + length else { return nil }
    self.type = type
    epoch = UInt16(bytes[start + 3]) << 8 | UInt16(bytes[start + 4])
    self.bytes = bytes.prefix(DTLSRecord.headerBytes + length)
  }

  /// The random of a client's first hello, which tells one try of a client from its next.
  var clientRandom: [UInt8]? {
    let message = bytes.dropFirst(DTLSRecord.headerBytes)
    let start = message.startIndex
    let randomStart = DTLSRecord.messageHeaderBytes + 2
    guard type == .handshake, epoch == 0, message.count >= randomStart + DTLSRecord.randomBytes else {
      return nil
    }
    // A ClientHello, from its first byte on.
    guard message[start] == 1, message[(start + 6)..<(start + 9)].allSatisfy({ $0 == 0 }) else { return nil }
    return Array(message.dropFirst(randomStart).prefix(DTLSRecord.randomBytes))
  }
}
