/// One MAVLink message type: its fields, and where they lie in a payload.
public protocol Message: Sendable, Equatable {
  /// The name in the specification, such as `GLOBAL_POSITION_INT`.
  static var specificationName: String { get }

  /// The 24-bit message ID of the dialect.
  static var messageID: UInt32 { get }

  /// The checksum seed that stands for the field names, types and order, so that two programs with
  /// different definitions refuse each other's frames.
  static var crcExtra: UInt8 { get }

  /// Payload length in bytes with all extension fields.
  static var maximumPayloadLength: Int { get }

  /// Payload length in bytes of the fields before the extensions: the length in MAVLink 1.
  static var minimumPayloadLength: Int { get }

  /// Reads the fields from at least ``maximumPayloadLength`` bytes.
  init(payload: RawSpan)

  /// Writes the fields into at least ``maximumPayloadLength`` bytes.
  func encodePayload(into payload: inout MutableRawSpan)
}

extension Message {
  /// Reads the fields from a payload of any length: what a shorter one does not carry reads as
  /// zero, as MAVLink 2 wants it, and what a longer one has on top is ignored.
  @inlinable
  public init(zeroExtending bytes: UnsafeRawBufferPointer) {
    let length = Self.maximumPayloadLength
    if bytes.count >= length {
      self.init(payload: bytes.bytes)
    } else {
      self = withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
        buffer.copyMemory(from: bytes)
        buffer[bytes.count...].initializeMemory(as: UInt8.self, repeating: 0)
        return Self(payload: UnsafeRawBufferPointer(buffer).bytes)
      }
    }
  }

  /// Reads the fields from a payload of any length.
  @inlinable
  public init(zeroExtending bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { Self(zeroExtending: $0) }
  }
}
