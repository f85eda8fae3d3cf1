/// Why a service cannot be published as described.
public enum ServiceDescriptionError: Error, Equatable, Sendable, CustomStringConvertible {
  case invalidServiceType(String)
  case invalidName(String)
  case invalidPort
  case invalidAttributeKey(String)
  case repeatedAttributeKey(String)
  case attributeTooLong(key: String, bytes: Int)
  case attributesTooLong(bytes: Int)

  public var description: String {
    switch self {
    case .invalidServiceType(let type):
      "service type \"\(type)\": expected _NAME._tcp or _NAME._udp with a NAME of 1 to 15 characters of a-z, 0-9 and "
        + "single hyphens inside, at least one letter"
    case .invalidName(let name):
      "service name \"\(name)\": expected 1 to 63 bytes without control characters, has \(name.utf8.count) bytes"
    case .invalidPort:
      "service port 0: expected 1 to 65535"
    case .invalidAttributeKey(let key):
      "TXT key \"\(key)\": expected printable ASCII without \"=\", at least one character"
    case .repeatedAttributeKey(let key):
      "TXT key \"\(key)\" appears twice: readers take the first only"
    case .attributeTooLong(let key, let bytes):
      "TXT pair \"\(key)\": \(bytes) bytes with its key, at most \(ServiceDescription.maximumPairBytes)"
    case .attributesTooLong(let bytes):
      "TXT record: \(bytes) bytes together, at most \(ServiceDescription.maximumRecordBytes)"
    }
  }
}

/// A service to publish, within the limits of DNS-SD.
///
/// Avahi accepts more than other hosts can receive: a type of 17 characters, or a TXT record of 8000 bytes that it then
/// cannot send. So the limits are checked here.
public struct ServiceDescription: Equatable, Sendable {
  /// RFC 6763, section 6.1: one length byte.
  public static let maximumPairBytes = 255
  /// RFC 6763, section 6.2: "should be 400 bytes or less", so that the answer fits one packet with its addresses.
  public static let maximumRecordBytes = 400

  public let serviceType: String
  public let name: String
  public let port: UInt16
  public let txt: [(key: String, value: String)]

  public init(
    serviceType: String, name: String, port: UInt16, txt: [(key: String, value: String)]
  ) throws(ServiceDescriptionError) {
    try Self.check(serviceType: serviceType)
    guard (1...63).contains(name.utf8.count), !name.unicodeScalars.contains(where: \.isControl) else {
      throw .invalidName(name)
    }
    if port == 0 { throw .invalidPort }
    var seen: Set<String> = []
    var recordBytes = 0
    for (key, value) in txt {
      guard Self.isValidKey(key) else { throw .invalidAttributeKey(key) }
      guard seen.insert(key.lowercased()).inserted else { throw .repeatedAttributeKey(key) }
      let bytes = key.utf8.count + 1 + value.utf8.count
      if bytes > Self.maximumPairBytes { throw .attributeTooLong(key: key, bytes: bytes) }
      recordBytes += 1 + bytes
    }
    if recordBytes > Self.maximumRecordBytes { throw .attributesTooLong(bytes: recordBytes) }
    self.serviceType = serviceType
    self.name = name
    self.port = port
    self.txt = txt
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.serviceType == right.serviceType && left.name == right.name && left.port == right.port
      && left.txt.elementsEqual(right.txt) { $0 == $1 }
  }

  /// RFC 6335, section 5.1, for the name within the type; RFC 6763, section 7, for the whole.
  static func check(serviceType: String) throws(ServiceDescriptionError) {
    let labels = serviceType.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count == 2, labels[1] == "_tcp" || labels[1] == "_udp", labels[0].first == "_" else {
      throw .invalidServiceType(serviceType)
    }
    let name = Array(labels[0].utf8.dropFirst())
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let hyphen = UInt8(ascii: "-")
    guard (1...15).contains(name.count), name.contains(where: letters.contains),
      name.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == hyphen }),
      name.first != hyphen, name.last != hyphen,
      !zip(name, name.dropFirst()).contains(where: { $0 == hyphen && $1 == hyphen })
    else { throw .invalidServiceType(serviceType) }
  }

  /// RFC 6763, section 6.4.
  static func isValidKey(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
  }
}

extension Unicode.Scalar {
  var isControl: Bool { properties.generalCategory == .control }
}
