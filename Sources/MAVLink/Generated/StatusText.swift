// Written by scripts/mavlink-generate; do not edit.

/// `STATUSTEXT` (253): Status text message. These messages are printed in yellow in the COMM
/// console of QGroundControl. WARNING: They consume quite some bandwidth, so use only for important
/// status and error messages. If implemented wisely, these messages are buffered on the MCU and
/// sent only at a limited rate (e.g. 10 Hz).
public struct StatusText: Message {
  public static var specificationName: String { "STATUSTEXT" }
  public static var messageID: UInt32 { 253 }
  public static var crcExtra: UInt8 { 83 }
  public static var maximumPayloadLength: Int { 54 }
  public static var minimumPayloadLength: Int { 51 }

  /// `severity`: Severity of status. Relies on the definitions within RFC-5424.
  public var severity: Severity

  /// `text`: Status text message, without null termination character. UTF-8 encoded.
  public var text: FixedText<50>

  /// `id`, extension: Unique (opaque) identifier for this statustext message. May be used to
  /// reassemble a logical long-statustext message from a sequence of chunks. A value of zero
  /// indicates this is the only chunk in the sequence and the message can be emitted immediately.
  public var id: UInt16

  /// `chunk_seq`, extension: This chunk's sequence number; indexing is from zero. Any null
  /// character in the text field is taken to mean this was the last chunk.
  public var chunkSeq: UInt8

  public init(
    severity: Severity = .init(rawValue: 0),
    text: FixedText<50> = "",
    id: UInt16 = 0,
    chunkSeq: UInt8 = 0
  ) {
    self.severity = severity
    self.text = text
    self.id = id
    self.chunkSeq = chunkSeq
  }

  public init(payload: RawSpan) {
    severity = payload.load(at: 0)
    text = payload.load(at: 1)
    id = payload.load(at: 51)
    chunkSeq = payload.load(at: 53)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(severity, at: 0)
    payload.store(text, at: 1)
    payload.store(id, at: 51)
    payload.store(chunkSeq, at: 53)
  }
}
