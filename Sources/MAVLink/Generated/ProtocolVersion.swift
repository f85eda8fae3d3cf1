// Written by scripts/mavlink-generate; do not edit.

/// `PROTOCOL_VERSION` (300): The MAVLink versions that a component speaks.
public struct ProtocolVersion: Message {
  public static var specificationName: String { "PROTOCOL_VERSION" }
  public static var messageID: UInt32 { 300 }
  public static var crcExtra: UInt8 { 217 }
  public static var maximumPayloadLength: Int { 22 }
  public static var minimumPayloadLength: Int { 22 }

  /// `version`: Version in use, times 100: 200 is MAVLink 2.
  public var version: UInt16

  /// `min_version`: Lowest version that is understood, times 100.
  public var minVersion: UInt16

  /// `max_version`: Highest version that is understood, times 100.
  public var maxVersion: UInt16

  /// `spec_version_hash`: First eight bytes of the specification's git hash.
  public var specVersionHash: FixedArray<8, UInt8>

  /// `library_version_hash`: First eight bytes of the library's git hash.
  public var libraryVersionHash: FixedArray<8, UInt8>

  public init(
    version: UInt16 = 0,
    minVersion: UInt16 = 0,
    maxVersion: UInt16 = 0,
    specVersionHash: FixedArray<8, UInt8> = .init(),
    libraryVersionHash: FixedArray<8, UInt8> = .init()
  ) {
    self.version = version
    self.minVersion = minVersion
    self.maxVersion = maxVersion
    self.specVersionHash = specVersionHash
    self.libraryVersionHash = libraryVersionHash
  }

  public init(payload: RawSpan) {
    version = payload.load(at: 0)
    minVersion = payload.load(at: 2)
    maxVersion = payload.load(at: 4)
    specVersionHash = payload.load(at: 6)
    libraryVersionHash = payload.load(at: 14)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(version, at: 0)
    payload.store(minVersion, at: 2)
    payload.store(maxVersion, at: 4)
    payload.store(specVersionHash, at: 6)
    payload.store(libraryVersionHash, at: 14)
  }
}
