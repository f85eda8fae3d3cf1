/// One MAVLink frame, whole, whether its message is known here or not.
///
/// Every byte of the frame can be had back from it unchanged (``bytes``), so that a relay forwards
/// frames that it cannot decode. It is a plain value of about 300 bytes without allocation.
public struct Frame: Sendable, Equatable {
  /// Length of a signature: link ID, 48-bit timestamp, 48-bit hash.
  public static var signatureLength: Int { 13 }

  /// The longest frame: MAVLink 2 with 255 bytes of payload and a signature.
  public static var maximumLength: Int { 280 }

  public enum Version: Sendable, Equatable {
    case one
    case two
  }

  /// What is known of the frame's checksum.
  public enum Integrity: Sendable, Equatable {
    /// The checksum is right.
    case verified
    /// The checksum cannot be checked, as the message's CRC_EXTRA is in no known dialect: forward
    /// it if you like, and do not act on it.
    case unknown
  }

  public private(set) var version: Version
  public private(set) var integrity: Integrity
  /// Bit 0: the frame is signed. A frame with any other bit is no frame for this implementation.
  public private(set) var incompatibilityFlags: UInt8
  public private(set) var compatibilityFlags: UInt8
  public private(set) var sequence: UInt8
  public private(set) var systemID: UInt8
  public private(set) var componentID: UInt8
  public private(set) var messageID: UInt32
  /// As received or to be sent: truncated in MAVLink 2.
  public private(set) var payload: Payload
  public private(set) var checksum: UInt16
  /// The 13 bytes after the checksum of a signed frame, not verified.
  public private(set) var signature: FixedArray<13, UInt8>?

  /// The MAVLink 2 frame, without signature, that carries `message`.
  @inlinable
  public init<M: Message>(_ message: M, systemID: UInt8, componentID: UInt8, sequence: UInt8) {
    var payload = Payload(zeroCount: M.maximumPayloadLength)
    message.encodePayload(into: &payload)
    self.init(
      version2: M.messageID, crcExtra: M.crcExtra, payload: payload, systemID: systemID,
      componentID: componentID, sequence: sequence)
  }

  @usableFromInline
  init(
    version2 messageID: UInt32, crcExtra: UInt8, payload: consuming Payload, systemID: UInt8,
    componentID: UInt8, sequence: UInt8
  ) {
    payload.truncateTrailingZeros()
    self.version = .two
    self.integrity = .verified
    self.incompatibilityFlags = 0
    self.compatibilityFlags = 0
    self.sequence = sequence
    self.systemID = systemID
    self.componentID = componentID
    self.messageID = messageID
    self.payload = payload
    self.checksum = 0
    self.signature = nil
    self.checksum = makeChecksum(crcExtra: crcExtra)
  }

  init(
    version: Version, integrity: Integrity, header: UnsafeRawPointer, payload: consuming Payload,
    checksum: UInt16, signature: FixedArray<13, UInt8>?
  ) {
    func byte(_ offset: Int) -> UInt8 { header.load(fromByteOffset: offset, as: UInt8.self) }
    self.version = version
    self.integrity = integrity
    switch version {
    case .one:
      incompatibilityFlags = 0
      compatibilityFlags = 0
      sequence = byte(2)
      systemID = byte(3)
      componentID = byte(4)
      messageID = UInt32(byte(5))
    case .two:
      incompatibilityFlags = byte(2)
      compatibilityFlags = byte(3)
      sequence = byte(4)
      systemID = byte(5)
      componentID = byte(6)
      messageID = UInt32(byte(7)) | UInt32(byte(8)) << 8 | UInt32(byte(9)) << 16
    }
    self.payload = payload
    self.checksum = checksum
    self.signature = signature
  }

  /// The message, if it is an `M` and the checksum is right; nil otherwise.
  @inlinable
  public func decode<M: Message>(_ type: M.Type) -> M? {
    guard messageID == M.messageID, integrity == .verified else { return nil }
    return M(payload: payload)
  }

  /// Length in bytes on the wire.
  public var length: Int {
    version.headerLength + payload.count + 2 + (signature == nil ? 0 : Self.signatureLength)
  }

  /// The frame as it was received or as it is to be sent.
  public var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.maximumLength) { buffer, count in
      count = write(to: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Appends the frame's bytes to `output`.
  public func append(to output: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: Self.maximumLength, alignment: 1) { buffer in
      output.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<write(to: buffer)]))
    }
  }

  /// Writes the frame, and returns its length. The buffer has room for the longest frame.
  private func write(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    var end = writeHeader(to: buffer)
    payload.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: buffer[end...]).copyMemory(from: $0)
    }
    end += payload.count
    buffer.storeBytes(of: checksum.littleEndian, toByteOffset: end, as: UInt16.self)
    end += 2
    if let signature {
      for index in 0..<Self.signatureLength { buffer[end + index] = signature[index] }
      end += Self.signatureLength
    }
    return end
  }

  private func writeHeader(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    buffer[0] = version.magic
    buffer[1] = UInt8(payload.count)
    switch version {
    case .one:
      buffer[2] = sequence
      buffer[3] = systemID
      buffer[4] = componentID
      buffer[5] = UInt8(truncatingIfNeeded: messageID)
    case .two:
      buffer[2] = incompatibilityFlags
      buffer[3] = compatibilityFlags
      buffer[4] = sequence
      buffer[5] = systemID
      buffer[6] = componentID
      buffer[7] = UInt8(truncatingIfNeeded: messageID)
      buffer[8] = UInt8(truncatingIfNeeded: messageID >> 8)
      buffer[9] = UInt8(truncatingIfNeeded: messageID >> 16)
    }
    return version.headerLength
  }

  private func makeChecksum(crcExtra: UInt8) -> UInt16 {
    var checksum = Checksum()
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { header in
      let length = writeHeader(to: header)
      checksum.add(UnsafeRawBufferPointer(rebasing: header[1..<length]))
    }
    payload.withUnsafeBytes { checksum.add($0) }
    checksum.add(crcExtra)
    return checksum.value
  }
}

extension Frame.Version {
  /// The byte that starts a frame.
  var magic: UInt8 {
    switch self {
    case .one: 0xFE
    case .two: 0xFD
    }
  }

  /// Bytes before the payload.
  var headerLength: Int {
    switch self {
    case .one: 6
    case .two: 10
    }
  }

  init?(magic: UInt8) {
    switch magic {
    case 0xFE: self = .one
    case 0xFD: self = .two
    default: return nil
    }
  }
}
