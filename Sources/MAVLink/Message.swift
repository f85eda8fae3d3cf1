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

  /// Reads the fields; what a shorter payload does not carry reads as zero, as MAVLink 2 wants it.
  init(payload: borrowing Payload)

  /// Writes the fields at their offsets, up to ``maximumPayloadLength``; the caller truncates.
  func encodePayload(into payload: inout Payload)
}
