// Written by scripts/mavlink-generate; do not edit.

/// `MANUAL_CONTROL` (69): This message provides an API for manually controlling the vehicle using
/// standard joystick axes nomenclature, along with a joystick-like input device. Unused axes can be
/// disabled and buttons states are transmitted as individual on/off bits of a bitmask.
public struct ManualControl: Message {
  public static var specificationName: String { "MANUAL_CONTROL" }
  public static var messageID: UInt32 { 69 }
  public static var crcExtra: UInt8 { 243 }
  public static var maximumPayloadLength: Int { 30 }
  public static var minimumPayloadLength: Int { 11 }

  /// `target`: The system to be controlled.
  public var target: UInt8

  /// `x`: X-axis, normalized to the range [-1000,1000]. A value of INT16_MAX indicates that this
  /// axis is invalid. Generally corresponds to forward(1000)-backward(-1000) movement on a joystick
  /// and the pitch of a vehicle.
  public var x: Int16

  /// `y`: Y-axis, normalized to the range [-1000,1000]. A value of INT16_MAX indicates that this
  /// axis is invalid. Generally corresponds to left(-1000)-right(1000) movement on a joystick and
  /// the roll of a vehicle.
  public var y: Int16

  /// `z`: Z-axis, normalized to the range [-1000,1000]. A value of INT16_MAX indicates that this
  /// axis is invalid. Generally corresponds to a separate slider movement with maximum being 1000
  /// and minimum being -1000 on a joystick and the thrust of a vehicle. Positive values are
  /// positive thrust, negative values are negative thrust.
  public var z: Int16

  /// `r`: R-axis, normalized to the range [-1000,1000]. A value of INT16_MAX indicates that this
  /// axis is invalid. Generally corresponds to a twisting of the joystick, with counter-clockwise
  /// being 1000 and clockwise being -1000, and the yaw of a vehicle.
  public var r: Int16

  /// `buttons`: A bitfield corresponding to the joystick buttons' current state, 1 for pressed, 0
  /// for released. The lowest bit corresponds to Button 1.
  public var buttons: UInt16

  /// `buttons2`, extension: A bitfield corresponding to the joystick buttons' 16-31 current state,
  /// 1 for pressed, 0 for released. The lowest bit corresponds to Button 16.
  public var buttons2: UInt16

  /// `enabled_extensions`, extension: Set bits to 1 to indicate which of the following extension
  /// fields contain valid data: bit 0: pitch, bit 1: roll, bit 2: aux1, bit 3: aux2, bit 4: aux3,
  /// bit 5: aux4, bit 6: aux5, bit 7: aux6.
  public var enabledExtensions: UInt8

  /// `s`, extension: Pitch-only-axis, normalized to the range [-1000,1000]. Generally corresponds
  /// to pitch on vehicles with additional degrees of freedom. Valid if bit 0 of enabled_extensions
  /// field is set. Set to 0 if invalid.
  public var s: Int16

  /// `t`, extension: Roll-only-axis, normalized to the range [-1000,1000]. Generally corresponds to
  /// roll on vehicles with additional degrees of freedom. Valid if bit 1 of enabled_extensions
  /// field is set. Set to 0 if invalid.
  public var t: Int16

  /// `aux1`, extension: Aux continuous input field 1. Normalized in the range [-1000,1000]. Purpose
  /// defined by recipient. Valid data if bit 2 of enabled_extensions field is set. 0 if bit 2 is
  /// unset.
  public var aux1: Int16

  /// `aux2`, extension: Aux continuous input field 2. Normalized in the range [-1000,1000]. Purpose
  /// defined by recipient. Valid data if bit 3 of enabled_extensions field is set. 0 if bit 3 is
  /// unset.
  public var aux2: Int16

  /// `aux3`, extension: Aux continuous input field 3. Normalized in the range [-1000,1000]. Purpose
  /// defined by recipient. Valid data if bit 4 of enabled_extensions field is set. 0 if bit 4 is
  /// unset.
  public var aux3: Int16

  /// `aux4`, extension: Aux continuous input field 4. Normalized in the range [-1000,1000]. Purpose
  /// defined by recipient. Valid data if bit 5 of enabled_extensions field is set. 0 if bit 5 is
  /// unset.
  public var aux4: Int16

  /// `aux5`, extension: Aux continuous input field 5. Normalized in the range [-1000,1000]. Purpose
  /// defined by recipient. Valid data if bit 6 of enabled_extensions field is set. 0 if bit 6 is
  /// unset.
  public var aux5: Int16

  /// `aux6`, extension: Aux continuous input field 6. Normalized in the range [-1000,1000]. Purpose
  /// defined by recipient. Valid data if bit 7 of enabled_extensions field is set. 0 if bit 7 is
  /// unset.
  public var aux6: Int16

  public init(
    target: UInt8 = 0,
    x: Int16 = 0,
    y: Int16 = 0,
    z: Int16 = 0,
    r: Int16 = 0,
    buttons: UInt16 = 0,
    buttons2: UInt16 = 0,
    enabledExtensions: UInt8 = 0,
    s: Int16 = 0,
    t: Int16 = 0,
    aux1: Int16 = 0,
    aux2: Int16 = 0,
    aux3: Int16 = 0,
    aux4: Int16 = 0,
    aux5: Int16 = 0,
    aux6: Int16 = 0
  ) {
    self.target = target
    self.x = x
    self.y = y
    self.z = z
    self.r = r
    self.buttons = buttons
    self.buttons2 = buttons2
    self.enabledExtensions = enabledExtensions
    self.s = s
    self.t = t
    self.aux1 = aux1
    self.aux2 = aux2
    self.aux3 = aux3
    self.aux4 = aux4
    self.aux5 = aux5
    self.aux6 = aux6
  }

  public init(payload: RawSpan) {
    x = payload.load(at: 0)
    y = payload.load(at: 2)
    z = payload.load(at: 4)
    r = payload.load(at: 6)
    buttons = payload.load(at: 8)
    target = payload.load(at: 10)
    buttons2 = payload.load(at: 11)
    enabledExtensions = payload.load(at: 13)
    s = payload.load(at: 14)
    t = payload.load(at: 16)
    aux1 = payload.load(at: 18)
    aux2 = payload.load(at: 20)
    aux3 = payload.load(at: 22)
    aux4 = payload.load(at: 24)
    aux5 = payload.load(at: 26)
    aux6 = payload.load(at: 28)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(x, at: 0)
    payload.store(y, at: 2)
    payload.store(z, at: 4)
    payload.store(r, at: 6)
    payload.store(buttons, at: 8)
    payload.store(target, at: 10)
    payload.store(buttons2, at: 11)
    payload.store(enabledExtensions, at: 13)
    payload.store(s, at: 14)
    payload.store(t, at: 16)
    payload.store(aux1, at: 18)
    payload.store(aux2, at: 20)
    payload.store(aux3, at: 22)
    payload.store(aux4, at: 24)
    payload.store(aux5, at: 26)
    payload.store(aux6, at: 28)
  }
}
