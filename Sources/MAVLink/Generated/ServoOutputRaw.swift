// Written by scripts/mavlink-generate; do not edit.

/// `SERVO_OUTPUT_RAW` (36): Superseded by ACTUATOR_OUTPUT_STATUS. The RAW values of the servo
/// outputs (for RC input from the remote, use the RC_CHANNELS messages). The standard PPM
/// modulation is as follows: 1000 microseconds: 0%, 2000 microseconds: 100%.
public struct ServoOutputRaw: Message {
  public static var specificationName: String { "SERVO_OUTPUT_RAW" }
  public static var messageID: UInt32 { 36 }
  public static var crcExtra: UInt8 { 222 }
  public static var maximumPayloadLength: Int { 37 }
  public static var minimumPayloadLength: Int { 21 }

  /// `time_usec`, us: Timestamp (UNIX Epoch time or time since system boot). The receiving end can
  /// infer timestamp format (since 1.1.1970 or since system boot) by checking for the magnitude of
  /// the number.
  public var timeUsec: UInt32

  /// `port`: Servo output port (set of 8 outputs = 1 port). Flight stacks running on Pixhawk should
  /// use: 0 = MAIN, 1 = AUX.
  public var port: UInt8

  /// `servo1_raw`, us: Servo output 1 value.
  public var servo1Raw: UInt16

  /// `servo2_raw`, us: Servo output 2 value.
  public var servo2Raw: UInt16

  /// `servo3_raw`, us: Servo output 3 value.
  public var servo3Raw: UInt16

  /// `servo4_raw`, us: Servo output 4 value.
  public var servo4Raw: UInt16

  /// `servo5_raw`, us: Servo output 5 value.
  public var servo5Raw: UInt16

  /// `servo6_raw`, us: Servo output 6 value.
  public var servo6Raw: UInt16

  /// `servo7_raw`, us: Servo output 7 value.
  public var servo7Raw: UInt16

  /// `servo8_raw`, us: Servo output 8 value.
  public var servo8Raw: UInt16

  /// `servo9_raw`, us, extension: Servo output 9 value.
  public var servo9Raw: UInt16

  /// `servo10_raw`, us, extension: Servo output 10 value.
  public var servo10Raw: UInt16

  /// `servo11_raw`, us, extension: Servo output 11 value.
  public var servo11Raw: UInt16

  /// `servo12_raw`, us, extension: Servo output 12 value.
  public var servo12Raw: UInt16

  /// `servo13_raw`, us, extension: Servo output 13 value.
  public var servo13Raw: UInt16

  /// `servo14_raw`, us, extension: Servo output 14 value.
  public var servo14Raw: UInt16

  /// `servo15_raw`, us, extension: Servo output 15 value.
  public var servo15Raw: UInt16

  /// `servo16_raw`, us, extension: Servo output 16 value.
  public var servo16Raw: UInt16

  public init(
    timeUsec: UInt32 = 0,
    port: UInt8 = 0,
    servo1Raw: UInt16 = 0,
    servo2Raw: UInt16 = 0,
    servo3Raw: UInt16 = 0,
    servo4Raw: UInt16 = 0,
    servo5Raw: UInt16 = 0,
    servo6Raw: UInt16 = 0,
    servo7Raw: UInt16 = 0,
    servo8Raw: UInt16 = 0,
    servo9Raw: UInt16 = 0,
    servo10Raw: UInt16 = 0,
    servo11Raw: UInt16 = 0,
    servo12Raw: UInt16 = 0,
    servo13Raw: UInt16 = 0,
    servo14Raw: UInt16 = 0,
    servo15Raw: UInt16 = 0,
    servo16Raw: UInt16 = 0
  ) {
    self.timeUsec = timeUsec
    self.port = port
    self.servo1Raw = servo1Raw
    self.servo2Raw = servo2Raw
    self.servo3Raw = servo3Raw
    self.servo4Raw = servo4Raw
    self.servo5Raw = servo5Raw
    self.servo6Raw = servo6Raw
    self.servo7Raw = servo7Raw
    self.servo8Raw = servo8Raw
    self.servo9Raw = servo9Raw
    self.servo10Raw = servo10Raw
    self.servo11Raw = servo11Raw
    self.servo12Raw = servo12Raw
    self.servo13Raw = servo13Raw
    self.servo14Raw = servo14Raw
    self.servo15Raw = servo15Raw
    self.servo16Raw = servo16Raw
  }

  public init(payload: RawSpan) {
    timeUsec = payload.load(at: 0)
    servo1Raw = payload.load(at: 4)
    servo2Raw = payload.load(at: 6)
    servo3Raw = payload.load(at: 8)
    servo4Raw = payload.load(at: 10)
    servo5Raw = payload.load(at: 12)
    servo6Raw = payload.load(at: 14)
    servo7Raw = payload.load(at: 16)
    servo8Raw = payload.load(at: 18)
    port = payload.load(at: 20)
    servo9Raw = payload.load(at: 21)
    servo10Raw = payload.load(at: 23)
    servo11Raw = payload.load(at: 25)
    servo12Raw = payload.load(at: 27)
    servo13Raw = payload.load(at: 29)
    servo14Raw = payload.load(at: 31)
    servo15Raw = payload.load(at: 33)
    servo16Raw = payload.load(at: 35)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeUsec, at: 0)
    payload.store(servo1Raw, at: 4)
    payload.store(servo2Raw, at: 6)
    payload.store(servo3Raw, at: 8)
    payload.store(servo4Raw, at: 10)
    payload.store(servo5Raw, at: 12)
    payload.store(servo6Raw, at: 14)
    payload.store(servo7Raw, at: 16)
    payload.store(servo8Raw, at: 18)
    payload.store(port, at: 20)
    payload.store(servo9Raw, at: 21)
    payload.store(servo10Raw, at: 23)
    payload.store(servo11Raw, at: 25)
    payload.store(servo12Raw, at: 27)
    payload.store(servo13Raw, at: 29)
    payload.store(servo14Raw, at: 31)
    payload.store(servo15Raw, at: 33)
    payload.store(servo16Raw, at: 35)
  }
}
