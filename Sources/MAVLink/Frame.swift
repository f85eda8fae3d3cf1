/// One MAVLink frame, whole, whether its message is known here or not.
///
/// It keeps its bytes as they were received, so that a relay forwards frames that it cannot decode
/// unchanged. The bytes are shared with the other frames of the same portion of the stream, which
/// spares copies; a frame that is to be kept for long is better kept as ``bytes``.
public struct Frame: Sendable {
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

  private let storage: [UInt8]
  private let start: Int
  private let layout: FrameLayout
  public let integrity: Integrity
  public let systemID: UInt8
  public let componentID: UInt8
  public let sequence: UInt8

  /// The frame that begins at `start` in `storage` and lies there as a whole.
  init(in storage: [UInt8], at start: Int, layout: FrameLayout, integrity: Integrity) {
    self.storage = storage
    self.start = start
    self.layout = layout
    self.integrity = integrity
    let sequenceOffset =
      switch layout.version {
      case .one: start &+ 2
      case .two: start &+ 4
      }
    sequence = storage[sequenceOffset]
    systemID = storage[sequenceOffset &+ 1]
    componentID = storage[sequenceOffset &+ 2]
  }

  /// The MAVLink 2 frame, without signature, that carries `message`.
  @inlinable
  public init<M: Message>(_ message: M, systemID: UInt8, componentID: UInt8, sequence: UInt8) {
    var encoder = FrameEncoder(systemID: systemID, componentID: componentID, sequence: sequence)
    self.init(encoded: encoder.encode(message))
  }

  @usableFromInline
  init(encoded bytes: [UInt8]) {
    let layout = bytes.withUnsafeBytes {
      FrameLayout(version: .two, header: $0.baseAddress.unsafelyUnwrapped)
    }
    self.init(in: bytes, at: 0, layout: layout, integrity: .verified)
  }

  public var version: Version { layout.version }
  public var messageID: UInt32 { layout.messageID }

  /// The flags of MAVLink 2 that a receiver must understand. Bit 0: the frame is signed. A frame
  /// with any other bit is no frame for this implementation.
  public var incompatibilityFlags: UInt8 { version == .two ? storage[start + 2] : 0 }

  /// The flags of MAVLink 2 that a receiver may ignore.
  public var compatibilityFlags: UInt8 { version == .two ? storage[start + 3] : 0 }

  /// The payload as received or as it is to be sent: truncated in MAVLink 2.
  public var payload: [UInt8] { withUnsafePayload { Array($0) } }

  /// Calls `body` with the payload in place.
  @inline(__always) @usableFromInline
  func withUnsafePayload<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let payloadStart = start &+ layout.version.headerLength
    return storage.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[payloadStart..<(payloadStart &+ layout.payloadLength)]))
    }
  }

  public var checksum: UInt16 {
    let offset = start + layout.checksumOffset
    return UInt16(storage[offset]) | UInt16(storage[offset + 1]) << 8
  }

  /// The 13 bytes after the checksum of a signed frame, not verified.
  public var signature: FixedArray<13, UInt8>? {
    guard layout.isSigned else { return nil }
    let offset = start + layout.checksumOffset + 2
    return FixedArray { storage[offset + $0] }
  }

  /// Length in bytes on the wire.
  public var length: Int { layout.length }

  /// The frame as it was received or as it is to be sent.
  public var bytes: [UInt8] { Array(storage[start..<(start + length)]) }

  /// Appends the frame's bytes to `output`.
  public func append(to output: inout [UInt8]) {
    output.append(contentsOf: storage[start..<(start + length)])
  }

  /// Calls `body` with the frame's bytes in place.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    storage.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[start..<(start + length)]))
    }
  }

  /// The message, if it is an `M` and the checksum is right; nil otherwise.
  @inlinable
  public func decode<M: Message>(_ type: M.Type) -> M? {
    guard messageID == M.messageID, integrity == .verified else { return nil }
    return withUnsafePayload { M(zeroExtending: $0) }
  }
}

extension Frame: Equatable {
  public static func == (left: Frame, right: Frame) -> Bool {
    left.integrity == right.integrity
      && left.storage[left.start..<(left.start + left.length)]
        == right.storage[right.start..<(right.start + right.length)]
  }
}

extension Frame.Version {
  /// Bytes before the payload.
  var headerLength: Int {
    switch self {
    case .one: 6
    case .two: 10
    }
  }

  /// The version that a frame with this first byte has.
  init?(magic: UInt8) {
    switch magic {
    case 0xFE: self = .one
    case 0xFD: self = .two
    default: return nil
    }
  }
}
