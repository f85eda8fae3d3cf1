/// Why an archive, or a value in it, was refused.
///
/// Every case is the sender's fault: the archive counts as not received.
public enum KeyedArchiveError: Error, Equatable, Sendable {
  // The container: a strict `bplist00`.
  case tooLarge(bytes: Int, limit: Int)
  case tooShort(bytes: Int)
  case notABinaryPropertyList
  case badTrailer(TrailerFault)
  case tooManyObjects(count: Int, limit: Int)
  /// Objects have to follow each other without a gap or an overlap, in the order of their numbers.
  case misplacedObject(Int)
  case objectRunsOverTheEnd(Int)
  case unsupportedMarker(object: Int, marker: UInt8)
  case badText(object: Int)
  case referenceOutOfRange(object: Int)
  case sharedContainer(object: Int)
  case cyclicContainer(object: Int)
  case keyIsNotAString(object: Int)
  case repeatedKey(String)

  // The archive in it.
  case badHeader(HeaderFault)
  case missingRoot(key: String)
  /// The archived object refers to another object that is not a single value.
  case nestedObject(key: String)
  case badClassDescription
  case classNotAllowed(String)

  // A value in the archived object.
  case mistyped(key: String, expected: ArchivedKind, found: ArchivedKind)
  case integerOutOfRange(key: String)

  /// What is wrong with the last 32 bytes.
  public enum TrailerFault: String, Sendable {
    case unusedBytesNotZero = "unused bytes are not zero"
    case offsetSize = "size of an offset is not 1, 2, 4 or 8"
    case referenceSize = "size of a reference is not 1, 2, 4 or 8"
    case noObjects = "there are no objects"
    case topObject = "top object does not exist"
    case offsetTable = "offset table does not end where the trailer begins"
  }

  /// What is wrong with the top dictionary.
  public enum HeaderFault: String, Sendable {
    case shape = "top object is not a dictionary of exactly $archiver, $version, $top and $objects"
    case archiver = "$archiver is not NSKeyedArchiver"
    case version = "$version is not 100000"
    case top = "$top is not a dictionary with one reference"
    case objects = "$objects is not an array that begins with $null"
    case strayObject = "$objects holds something that is no value, archived object or class"
  }
}

/// The kind of a value in an archived object.
public enum ArchivedKind: String, Sendable {
  case boolean = "a boolean"
  case integer = "an integer"
  case double = "a double"
  case string = "a string"
  case data = "data"
  case date = "a date"
  /// An object reference to `$null`: how archivers write "nothing". Typed reads treat it as missing.
  case null = "null"
}

extension KeyedArchiveError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "archive of \(bytes) bytes is larger than \(limit)"
    case .tooShort(let bytes): "archive of \(bytes) bytes is too short to be one"
    case .notABinaryPropertyList: "archive does not begin with bplist00"
    case .badTrailer(let fault): "archive trailer: \(fault.rawValue)"
    case .tooManyObjects(let count, let limit): "archive has \(count) objects, more than \(limit)"
    case .misplacedObject(let object): "archive object \(object) does not begin where the one before it ends"
    case .objectRunsOverTheEnd(let object): "archive object \(object) runs over the end"
    case .unsupportedMarker(let object, let marker):
      "archive object \(object) has the unsupported marker 0x\(String(marker, radix: 16))"
    case .badText(let object): "archive object \(object) is not valid text"
    case .referenceOutOfRange(let object): "archive object \(object) refers to an object that does not exist"
    case .sharedContainer(let object): "archive container \(object) is referenced more than once"
    case .cyclicContainer(let object): "archive container \(object) contains itself"
    case .keyIsNotAString(let object): "archive dictionary \(object) has a key that is not a string"
    case .repeatedKey(let key): "archive has the key \(shown(key)) twice"
    case .badHeader(let fault): "archive header: \(fault.rawValue)"
    case .missingRoot(let key): "archive has no object under the key \(shown(key))"
    case .nestedObject(let key): "archive value \(shown(key)) is not a single value"
    case .badClassDescription: "archive object has no well-formed class description"
    case .classNotAllowed(let name):
      "archive holds an object of class \(shown(name)), which is not allowed here"
    case .mistyped(let key, let expected, let found):
      "archive value \(shown(key)) is \(found.rawValue), not \(expected.rawValue)"
    case .integerOutOfRange(let key): "archive value \(shown(key)) does not fit in 64 bits"
    }
  }
}

/// Quotes text that came from the sender: escaped and short, so that it can neither forge nor flood a log line.
private func shown(_ text: String) -> String {
  let scalars = text.unicodeScalars.prefix(48)
  return String(String.UnicodeScalarView(scalars)).debugDescription
}
