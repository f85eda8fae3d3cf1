// Written by scripts/mavlink-generate; do not edit.

/// `BATTERY_STATUS` (147): Battery information.
public struct BatteryStatus: Message {
  public static var specificationName: String { "BATTERY_STATUS" }
  public static var messageID: UInt32 { 147 }
  public static var crcExtra: UInt8 { 154 }
  public static var maximumPayloadLength: Int { 54 }
  public static var minimumPayloadLength: Int { 36 }

  /// `id`: Battery ID.
  public var id: UInt8

  /// `battery_function`: Function of the battery.
  public var batteryFunction: UInt8

  /// `type`: Type (chemistry) of the battery.
  public var type: UInt8

  /// `temperature`, cdegC: Temperature of the battery. INT16_MAX for unknown temperature. Not
  /// known: `INT16_MAX`.
  public var temperature: Int16

  /// `voltages`, mV: Battery voltage of cells 1 to 10 (see voltages_ext for cells 11-14). Cells in
  /// this field above the valid cell count for this battery should have the UINT16_MAX value. If
  /// individual cell voltages are unknown or not measured for this battery, then the overall
  /// battery voltage should be filled in cell 0, with all others set to UINT16_MAX. If the voltage
  /// of the battery is greater than (UINT16_MAX - 1), then cell 0 should be set to (UINT16_MAX -
  /// 1), and cell 1 to the remaining voltage. This can be extended to multiple cells if the total
  /// voltage is greater than 2 * (UINT16_MAX - 1). Not known: `[UINT16_MAX]`.
  public var voltages: FixedArray<10, UInt16>

  /// `current_battery`, cA: Battery current, -1: autopilot does not measure the current. Value may
  /// overflow/rollover for very high currents (> 327.67A). Not known: `-1`.
  public var currentBattery: Int16

  /// `current_consumed`, mAh: Consumed charge, -1: autopilot does not provide consumption estimate.
  /// Not known: `-1`.
  public var currentConsumed: Int32

  /// `energy_consumed`, hJ: Consumed energy, -1: autopilot does not provide energy consumption
  /// estimate. Not known: `-1`.
  public var energyConsumed: Int32

  /// `battery_remaining`, %: Remaining battery energy. Values: [0-100], -1: autopilot does not
  /// estimate the remaining battery. Not known: `-1`.
  public var batteryRemaining: Int8

  /// `time_remaining`, s, extension: Remaining battery time, 0: autopilot does not provide
  /// remaining battery time estimate.
  public var timeRemaining: Int32

  /// `charge_state`, extension: State for extent of discharge, provided by autopilot for warning or
  /// external reactions.
  public var chargeState: BatteryChargeState

  /// `voltages_ext`, mV, extension: Battery voltages for cells 11 to 14. Cells above the valid cell
  /// count for this battery should have a value of 0, where zero indicates not supported (note,
  /// this is different than for the voltages field and allows empty byte truncation). If the
  /// measured value is 0 then 1 should be sent instead.
  public var voltagesExt: FixedArray<4, UInt16>

  /// `mode`, extension: Battery mode. Default (0) is that battery mode reporting is not supported
  /// or battery is in normal-use mode.
  public var mode: UInt8

  /// `fault_bitmask`, extension: Fault/health indications. These should be set when charge_state is
  /// MAV_BATTERY_CHARGE_STATE_FAILED or MAV_BATTERY_CHARGE_STATE_UNHEALTHY (if not, fault reporting
  /// is not supported).
  public var faultBitmask: UInt32

  public init(
    id: UInt8 = 0,
    batteryFunction: UInt8 = 0,
    type: UInt8 = 0,
    temperature: Int16 = 0,
    voltages: FixedArray<10, UInt16> = .init(),
    currentBattery: Int16 = 0,
    currentConsumed: Int32 = 0,
    energyConsumed: Int32 = 0,
    batteryRemaining: Int8 = 0,
    timeRemaining: Int32 = 0,
    chargeState: BatteryChargeState = .init(rawValue: 0),
    voltagesExt: FixedArray<4, UInt16> = .init(),
    mode: UInt8 = 0,
    faultBitmask: UInt32 = 0
  ) {
    self.id = id
    self.batteryFunction = batteryFunction
    self.type = type
    self.temperature = temperature
    self.voltages = voltages
    self.currentBattery = currentBattery
    self.currentConsumed = currentConsumed
    self.energyConsumed = energyConsumed
    self.batteryRemaining = batteryRemaining
    self.timeRemaining = timeRemaining
    self.chargeState = chargeState
    self.voltagesExt = voltagesExt
    self.mode = mode
    self.faultBitmask = faultBitmask
  }

  public init(payload: RawSpan) {
    currentConsumed = payload.load(at: 0)
    energyConsumed = payload.load(at: 4)
    temperature = payload.load(at: 8)
    voltages = payload.load(at: 10)
    currentBattery = payload.load(at: 30)
    id = payload.load(at: 32)
    batteryFunction = payload.load(at: 33)
    type = payload.load(at: 34)
    batteryRemaining = payload.load(at: 35)
    timeRemaining = payload.load(at: 36)
    chargeState = payload.load(at: 40)
    voltagesExt = payload.load(at: 41)
    mode = payload.load(at: 49)
    faultBitmask = payload.load(at: 50)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(currentConsumed, at: 0)
    payload.store(energyConsumed, at: 4)
    payload.store(temperature, at: 8)
    payload.store(voltages, at: 10)
    payload.store(currentBattery, at: 30)
    payload.store(id, at: 32)
    payload.store(batteryFunction, at: 33)
    payload.store(type, at: 34)
    payload.store(batteryRemaining, at: 35)
    payload.store(timeRemaining, at: 36)
    payload.store(chargeState, at: 40)
    payload.store(voltagesExt, at: 41)
    payload.store(mode, at: 49)
    payload.store(faultBitmask, at: 50)
  }
}
