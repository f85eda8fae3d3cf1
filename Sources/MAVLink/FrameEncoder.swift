/// Makes the frames that one component sends, with its sequence number.
///
/// Frames are MAVLink 2: every autopilot of the last years reads it.
public struct FrameEncoder: Sendable {
  public var systemID: UInt8
  public var componentID: UInt8
  /// The number that the next frame gets; receivers count gaps as losses.
  public var sequence: UInt8
  /// Whether frames say that a signature follows, which ``FrameSigning`` then appends.
  public var announcesSignature: Bool

  public init(
    systemID: UInt8, componentID: UInt8, sequence: UInt8 = 0, announcesSignature: Bool = false
  ) {
    self.systemID = systemID
    self.componentID = componentID
    self.sequence = sequence
    self.announcesSignature = announcesSignature
  }

  /// The frame that carries `message`.
  @inlinable
  public mutating func frame<M: Message>(_ message: M) -> Frame {
    Frame(encoded: encode(message))
  }

  /// The bytes of the frame that carries `message`.
  @inlinable
  public mutating func encode<M: Message>(_ message: M) -> [UInt8] {
    var output: [UInt8] = []
    encode(message, appendingTo: &output)
    return output
  }

  /// Appends the frame that carries `message` to `output`: no allocation when it has room.
  @inlinable
  public mutating func encode<M: Message>(_ message: M, appendingTo output: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: Frame.maximumLength, alignment: 8) { buffer in
      let payload = UnsafeMutableRawBufferPointer(
        rebasing: buffer[10..<(10 + M.maximumPayloadLength)])
      payload.initializeMemory(as: UInt8.self, repeating: 0)
      var span = payload.mutableBytes
      message.encodePayload(into: &span)
      let length = finish(
        buffer, payloadLength: M.maximumPayloadLength, messageID: M.messageID, crcExtra: M.crcExtra)
      output.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<length]))
    }
  }

  /// Puts header and checksum around a payload that lies behind the room for the header, without
  /// the zeros at its end, and returns the frame's length.
  @usableFromInline
  mutating func finish(
    _ buffer: UnsafeMutableRawBufferPointer, payloadLength: Int, messageID: UInt32, crcExtra: UInt8
  ) -> Int {
    var end = 10 &+ payloadLength
    while end > 11, buffer[end &- 1] == 0 { end &-= 1 }
    buffer[0] = 0xFD
    buffer[1] = UInt8(truncatingIfNeeded: end &- 10)
    buffer[2] = announcesSignature ? 1 : 0
    buffer[3] = 0
    buffer[4] = sequence
    buffer[5] = systemID
    buffer[6] = componentID
    buffer[7] = UInt8(truncatingIfNeeded: messageID)
    buffer[8] = UInt8(truncatingIfNeeded: messageID >> 8)
    buffer[9] = UInt8(truncatingIfNeeded: messageID >> 16)
    var checksum = Checksum()
    checksum.add(UnsafeRawBufferPointer(rebasing: buffer[1..<end]))
    checksum.add(crcExtra)
    buffer.storeBytes(of: checksum.value.littleEndian, toByteOffset: end, as: UInt16.self)
    sequence &+= 1
    return end &+ 2
  }
}
