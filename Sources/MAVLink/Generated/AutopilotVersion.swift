// Written by scripts/mavlink-generate; do not edit.

/// `AUTOPILOT_VERSION` (148): Version and capability of autopilot software. This should be emitted
/// in response to a request with MAV_CMD_REQUEST_MESSAGE.
public struct AutopilotVersion: Message {
  public static var specificationName: String { "AUTOPILOT_VERSION" }
  public static var messageID: UInt32 { 148 }
  public static var crcExtra: UInt8 { 178 }
  public static var maximumPayloadLength: Int { 78 }
  public static var minimumPayloadLength: Int { 60 }

  /// `capabilities`: Bitmap of capabilities.
  public var capabilities: ProtocolCapabilities

  /// `flight_sw_version`: Firmware version number. The field must be encoded as 4 bytes, where each
  /// byte (shown from MSB to LSB) is part of a semantic version: (major) (minor) (patch)
  /// (FIRMWARE_VERSION_TYPE).
  public var flightSwVersion: UInt32

  /// `middleware_sw_version`: Middleware version number.
  public var middlewareSwVersion: UInt32

  /// `os_sw_version`: Operating system version number.
  public var osSwVersion: UInt32

  /// `board_version`: HW / board version (last 8 bits should be silicon ID, if any). The first 16
  /// bits of this field specify a board type from an enumeration stored at
  /// https://github.com/PX4/PX4-Bootloader/blob/master/board_types.txt and with extensive additions
  /// at https://github.com/ArduPilot/ardupilot/blob/master/Tools/AP_Bootloader/board_types.txt.
  public var boardVersion: UInt32

  /// `flight_custom_version`: Custom version field, commonly the first 8 bytes of the git hash.
  /// This is not an unique identifier, but should allow to identify the commit using the main
  /// version number even for very large code bases.
  public var flightCustomVersion: FixedArray<8, UInt8>

  /// `middleware_custom_version`: Custom version field, commonly the first 8 bytes of the git hash.
  /// This is not an unique identifier, but should allow to identify the commit using the main
  /// version number even for very large code bases.
  public var middlewareCustomVersion: FixedArray<8, UInt8>

  /// `os_custom_version`: Custom version field, commonly the first 8 bytes of the git hash. This is
  /// not an unique identifier, but should allow to identify the commit using the main version
  /// number even for very large code bases.
  public var osCustomVersion: FixedArray<8, UInt8>

  /// `vendor_id`: ID of the board vendor.
  public var vendorId: UInt16

  /// `product_id`: ID of the product.
  public var productId: UInt16

  /// `uid`: UID if provided by hardware (see uid2).
  public var uid: UInt64

  /// `uid2`, extension: UID if provided by hardware (supersedes the uid field. If this is non-zero,
  /// use this field, otherwise use uid).
  public var uid2: FixedArray<18, UInt8>

  public init(
    capabilities: ProtocolCapabilities = .init(rawValue: 0),
    flightSwVersion: UInt32 = 0,
    middlewareSwVersion: UInt32 = 0,
    osSwVersion: UInt32 = 0,
    boardVersion: UInt32 = 0,
    flightCustomVersion: FixedArray<8, UInt8> = .init(),
    middlewareCustomVersion: FixedArray<8, UInt8> = .init(),
    osCustomVersion: FixedArray<8, UInt8> = .init(),
    vendorId: UInt16 = 0,
    productId: UInt16 = 0,
    uid: UInt64 = 0,
    uid2: FixedArray<18, UInt8> = .init()
  ) {
    self.capabilities = capabilities
    self.flightSwVersion = flightSwVersion
    self.middlewareSwVersion = middlewareSwVersion
    self.osSwVersion = osSwVersion
    self.boardVersion = boardVersion
    self.flightCustomVersion = flightCustomVersion
    self.middlewareCustomVersion = middlewareCustomVersion
    self.osCustomVersion = osCustomVersion
    self.vendorId = vendorId
    self.productId = productId
    self.uid = uid
    self.uid2 = uid2
  }

  public init(payload: RawSpan) {
    capabilities = payload.load(at: 0)
    uid = payload.load(at: 8)
    flightSwVersion = payload.load(at: 16)
    middlewareSwVersion = payload.load(at: 20)
    osSwVersion = payload.load(at: 24)
    boardVersion = payload.load(at: 28)
    vendorId = payload.load(at: 32)
    productId = payload.load(at: 34)
    flightCustomVersion = payload.load(at: 36)
    middlewareCustomVersion = payload.load(at: 44)
    osCustomVersion = payload.load(at: 52)
    uid2 = payload.load(at: 60)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(capabilities, at: 0)
    payload.store(uid, at: 8)
    payload.store(flightSwVersion, at: 16)
    payload.store(middlewareSwVersion, at: 20)
    payload.store(osSwVersion, at: 24)
    payload.store(boardVersion, at: 28)
    payload.store(vendorId, at: 32)
    payload.store(productId, at: 34)
    payload.store(flightCustomVersion, at: 36)
    payload.store(middlewareCustomVersion, at: 44)
    payload.store(osCustomVersion, at: 52)
    payload.store(uid2, at: 60)
  }
}
