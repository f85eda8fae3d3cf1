// Written by scripts/mavlink-generate; do not edit.

/// `RC_CHANNELS` (65): The PPM values of the RC channels received. The standard PPM modulation is
/// as follows: 1000 microseconds: 0%, 2000 microseconds: 100%. A value of UINT16_MAX implies the
/// channel is unused. Individual receivers/transmitters might violate this specification.
public struct RCChannels: Message {
  public static var specificationName: String { "RC_CHANNELS" }
  public static var messageID: UInt32 { 65 }
  public static var crcExtra: UInt8 { 118 }
  public static var maximumPayloadLength: Int { 42 }
  public static var minimumPayloadLength: Int { 42 }

  /// `time_boot_ms`, ms: Timestamp (time since system boot).
  public var timeBootMs: UInt32

  /// `chancount`: Total number of RC channels being received. This can be larger than 18,
  /// indicating that more channels are available but not given in this message. This value should
  /// be 0 when no RC channels are available.
  public var chancount: UInt8

  /// `chan1_raw`, us: RC channel 1 value.
  public var chan1Raw: UInt16

  /// `chan2_raw`, us: RC channel 2 value.
  public var chan2Raw: UInt16

  /// `chan3_raw`, us: RC channel 3 value.
  public var chan3Raw: UInt16

  /// `chan4_raw`, us: RC channel 4 value.
  public var chan4Raw: UInt16

  /// `chan5_raw`, us: RC channel 5 value.
  public var chan5Raw: UInt16

  /// `chan6_raw`, us: RC channel 6 value.
  public var chan6Raw: UInt16

  /// `chan7_raw`, us: RC channel 7 value.
  public var chan7Raw: UInt16

  /// `chan8_raw`, us: RC channel 8 value.
  public var chan8Raw: UInt16

  /// `chan9_raw`, us: RC channel 9 value.
  public var chan9Raw: UInt16

  /// `chan10_raw`, us: RC channel 10 value.
  public var chan10Raw: UInt16

  /// `chan11_raw`, us: RC channel 11 value.
  public var chan11Raw: UInt16

  /// `chan12_raw`, us: RC channel 12 value.
  public var chan12Raw: UInt16

  /// `chan13_raw`, us: RC channel 13 value.
  public var chan13Raw: UInt16

  /// `chan14_raw`, us: RC channel 14 value.
  public var chan14Raw: UInt16

  /// `chan15_raw`, us: RC channel 15 value.
  public var chan15Raw: UInt16

  /// `chan16_raw`, us: RC channel 16 value.
  public var chan16Raw: UInt16

  /// `chan17_raw`, us: RC channel 17 value.
  public var chan17Raw: UInt16

  /// `chan18_raw`, us: RC channel 18 value.
  public var chan18Raw: UInt16

  /// `rssi`: Receive signal strength indicator in device-dependent units/scale. Values: [0-254],
  /// 255: invalid/unknown.
  public var rssi: UInt8

  public init(
    timeBootMs: UInt32 = 0,
    chancount: UInt8 = 0,
    chan1Raw: UInt16 = 0,
    chan2Raw: UInt16 = 0,
    chan3Raw: UInt16 = 0,
    chan4Raw: UInt16 = 0,
    chan5Raw: UInt16 = 0,
    chan6Raw: UInt16 = 0,
    chan7Raw: UInt16 = 0,
    chan8Raw: UInt16 = 0,
    chan9Raw: UInt16 = 0,
    chan10Raw: UInt16 = 0,
    chan11Raw: UInt16 = 0,
    chan12Raw: UInt16 = 0,
    chan13Raw: UInt16 = 0,
    chan14Raw: UInt16 = 0,
    chan15Raw: UInt16 = 0,
    chan16Raw: UInt16 = 0,
    chan17Raw: UInt16 = 0,
    chan18Raw: UInt16 = 0,
    rssi: UInt8 = 0
  ) {
    self.timeBootMs = timeBootMs
    self.chancount = chancount
    self.chan1Raw = chan1Raw
    self.chan2Raw = chan2Raw
    self.chan3Raw = chan3Raw
    self.chan4Raw = chan4Raw
    self.chan5Raw = chan5Raw
    self.chan6Raw = chan6Raw
    self.chan7Raw = chan7Raw
    self.chan8Raw = chan8Raw
    self.chan9Raw = chan9Raw
    self.chan10Raw = chan10Raw
    self.chan11Raw = chan11Raw
    self.chan12Raw = chan12Raw
    self.chan13Raw = chan13Raw
    self.chan14Raw = chan14Raw
    self.chan15Raw = chan15Raw
    self.chan16Raw = chan16Raw
    self.chan17Raw = chan17Raw
    self.chan18Raw = chan18Raw
    self.rssi = rssi
  }

  public init(payload: RawSpan) {
    timeBootMs = payload.load(at: 0)
    chan1Raw = payload.load(at: 4)
    chan2Raw = payload.load(at: 6)
    chan3Raw = payload.load(at: 8)
    chan4Raw = payload.load(at: 10)
    chan5Raw = payload.load(at: 12)
    chan6Raw = payload.load(at: 14)
    chan7Raw = payload.load(at: 16)
    chan8Raw = payload.load(at: 18)
    chan9Raw = payload.load(at: 20)
    chan10Raw = payload.load(at: 22)
    chan11Raw = payload.load(at: 24)
    chan12Raw = payload.load(at: 26)
    chan13Raw = payload.load(at: 28)
    chan14Raw = payload.load(at: 30)
    chan15Raw = payload.load(at: 32)
    chan16Raw = payload.load(at: 34)
    chan17Raw = payload.load(at: 36)
    chan18Raw = payload.load(at: 38)
    chancount = payload.load(at: 40)
    rssi = payload.load(at: 41)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(timeBootMs, at: 0)
    payload.store(chan1Raw, at: 4)
    payload.store(chan2Raw, at: 6)
    payload.store(chan3Raw, at: 8)
    payload.store(chan4Raw, at: 10)
    payload.store(chan5Raw, at: 12)
    payload.store(chan6Raw, at: 14)
    payload.store(chan7Raw, at: 16)
    payload.store(chan8Raw, at: 18)
    payload.store(chan9Raw, at: 20)
    payload.store(chan10Raw, at: 22)
    payload.store(chan11Raw, at: 24)
    payload.store(chan12Raw, at: 26)
    payload.store(chan13Raw, at: 28)
    payload.store(chan14Raw, at: 30)
    payload.store(chan15Raw, at: 32)
    payload.store(chan16Raw, at: 34)
    payload.store(chan17Raw, at: 36)
    payload.store(chan18Raw, at: 38)
    payload.store(chancount, at: 40)
    payload.store(rssi, at: 41)
  }
}
