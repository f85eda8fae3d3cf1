// Written by scripts/mavlink-generate; do not edit.

/// `VIBRATION` (241): Vibration levels and accelerometer clipping.
public struct Vibration: Message {
  public static var specificationName: String { "VIBRATION" }
  public static var messageID: UInt32 { 241 }
  public static var crcExtra: UInt8 { 90 }
  public static var maximumPayloadLength: Int { 32 }
  public static var minimumPayloadLength: Int { 32 }

  /// `time_usec`, us: Timestamp (UNIX Epoch time or time since system boot). The receiving end can
  /// infer timestamp format (since 1.1.1970 or since system boot) by checking for the magnitude of
  /// the number.
  public var timeUsec: UInt64

  /// `vibration_x`: Vibration levels on X-axis.
  public var vibrationX: Float

  /// `vibration_y`: Vibration levels on Y-axis.
  public var vibrationY: Float

  /// `vibration_z`: Vibration levels on Z-axis.
  public var vibrationZ: Float

  /// `clipping_0`: first accelerometer clipping count.
  public var clipping0: UInt32

  /// `clipping_1`: second accelerometer clipping count.
  public var clipping1: UInt32

  /// `clipping_2`: third accelerometer clipping count.
  public var clipping2: UInt32

  public init(
    timeUsec: UInt64 = 0,
    vibrationX: Float = 0,
    vibrationY: Float = 0,
    vibrationZ: Float = 0,
    clipping0: UInt32 = 0,
    clipping1: UInt32 = 0,
    clipping2: UInt32 = 0
  ) {
    self.timeUsec = timeUsec
    self.vibrationX = vibrationX
    self.vibrationY = vibrationY
    self.vibrationZ = vibrationZ
    self.clipping0 = clipping0
    self.clipping1 = clipping1
    self.clipping2 = clipping2
  }

  public init(payload: RawSpan) {
    timeUsec = payload.load(at: 0)
    vibrationX = payload.load(at: 8)
    vibrationY = payload.load(at: 12)
    vibrationZ = payload.load(at: 16)
    clipping0 = payload.load(at: 20)
    clipping1 = payload.load(at: 24)
    clipping2 = payload.load(at: 28)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeUsec, at: 0)
    payload.store(vibrationX, at: 8)
    payload.store(vibrationY, at: 12)
    payload.store(vibrationZ, at: 16)
    payload.store(clipping0, at: 20)
    payload.store(clipping1, at: 24)
    payload.store(clipping2, at: 28)
  }
}
