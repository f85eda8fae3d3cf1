// Written by scripts/mavlink-generate; do not edit.

/// `SYS_STATUS` (1): Sensor and subsystem status information. Provides a compact representation of
/// sensor/subsystem status and a few other basic statistics.
public struct SystemStatus: Message {
  public static var specificationName: String { "SYS_STATUS" }
  public static var messageID: UInt32 { 1 }
  public static var crcExtra: UInt8 { 124 }
  public static var maximumPayloadLength: Int { 43 }
  public static var minimumPayloadLength: Int { 31 }

  /// `onboard_control_sensors_present`: Bitmap showing which onboard controllers and sensors are
  /// present. Value of 0: not present. Value of 1: present.
  public var onboardControlSensorsPresent: SystemStatusSensors

  /// `onboard_control_sensors_enabled`: Bitmap showing which onboard controllers and sensors are
  /// enabled: Value of 0: not enabled. Value of 1: enabled.
  public var onboardControlSensorsEnabled: SystemStatusSensors

  /// `onboard_control_sensors_health`: Bitmap showing which onboard controllers and sensors have an
  /// error (or are operational). Value of 0: error. Value of 1: healthy.
  public var onboardControlSensorsHealth: SystemStatusSensors

  /// `load`, d%: Maximum usage in percent of the mainloop time. Values: [0-1000] - should always be
  /// below 1000.
  public var load: UInt16

  /// `voltage_battery`, mV: Battery voltage, UINT16_MAX: Voltage not sent by autopilot. Value is
  /// ambiguous on multi-battery systems. BATTERY_STATUS is a recommended alternative. Not known:
  /// `UINT16_MAX`.
  public var voltageBattery: UInt16

  /// `current_battery`, cA: Battery current, -1: Current not sent by autopilot. Value may
  /// overflow/rollover for very high currents (> 327.67A). Value is ambiguous on multi-battery
  /// systems. BATTERY_STATUS is a recommended alternative. Not known: `-1`.
  public var currentBattery: Int16

  /// `battery_remaining`, %: Battery energy remaining, -1: Battery remaining energy not sent by
  /// autopilot. Value is ambiguous on multi-battery systems. BATTERY_STATUS is a recommended
  /// alternative. Not known: `-1`.
  public var batteryRemaining: Int8

  /// `drop_rate_comm`, c%: Communication drop rate, (UART, I2C, SPI, CAN), dropped packets on all
  /// links (packets that were corrupted on reception on the MAV).
  public var dropRateComm: UInt16

  /// `errors_comm`: Communication errors (UART, I2C, SPI, CAN), dropped packets on all links
  /// (packets that were corrupted on reception on the MAV).
  public var errorsComm: UInt16

  /// `errors_count1`: Autopilot-specific errors.
  public var errorsCount1: UInt16

  /// `errors_count2`: Autopilot-specific errors.
  public var errorsCount2: UInt16

  /// `errors_count3`: Autopilot-specific errors.
  public var errorsCount3: UInt16

  /// `errors_count4`: Autopilot-specific errors.
  public var errorsCount4: UInt16

  /// `onboard_control_sensors_present_extended`, extension: Bitmap showing which onboard
  /// controllers and sensors are present. Value of 0: not present. Value of 1: present.
  public var onboardControlSensorsPresentExtended: UInt32

  /// `onboard_control_sensors_enabled_extended`, extension: Bitmap showing which onboard
  /// controllers and sensors are enabled: Value of 0: not enabled. Value of 1: enabled.
  public var onboardControlSensorsEnabledExtended: UInt32

  /// `onboard_control_sensors_health_extended`, extension: Bitmap showing which onboard controllers
  /// and sensors have an error (or are operational). Value of 0: error. Value of 1: healthy.
  public var onboardControlSensorsHealthExtended: UInt32

  public init(
    onboardControlSensorsPresent: SystemStatusSensors = .init(rawValue: 0),
    onboardControlSensorsEnabled: SystemStatusSensors = .init(rawValue: 0),
    onboardControlSensorsHealth: SystemStatusSensors = .init(rawValue: 0),
    load: UInt16 = 0,
    voltageBattery: UInt16 = 0,
    currentBattery: Int16 = 0,
    batteryRemaining: Int8 = 0,
    dropRateComm: UInt16 = 0,
    errorsComm: UInt16 = 0,
    errorsCount1: UInt16 = 0,
    errorsCount2: UInt16 = 0,
    errorsCount3: UInt16 = 0,
    errorsCount4: UInt16 = 0,
    onboardControlSensorsPresentExtended: UInt32 = 0,
    onboardControlSensorsEnabledExtended: UInt32 = 0,
    onboardControlSensorsHealthExtended: UInt32 = 0
  ) {
    self.onboardControlSensorsPresent = onboardControlSensorsPresent
    self.onboardControlSensorsEnabled = onboardControlSensorsEnabled
    self.onboardControlSensorsHealth = onboardControlSensorsHealth
    self.load = load
    self.voltageBattery = voltageBattery
    self.currentBattery = currentBattery
    self.batteryRemaining = batteryRemaining
    self.dropRateComm = dropRateComm
    self.errorsComm = errorsComm
    self.errorsCount1 = errorsCount1
    self.errorsCount2 = errorsCount2
    self.errorsCount3 = errorsCount3
    self.errorsCount4 = errorsCount4
    self.onboardControlSensorsPresentExtended = onboardControlSensorsPresentExtended
    self.onboardControlSensorsEnabledExtended = onboardControlSensorsEnabledExtended
    self.onboardControlSensorsHealthExtended = onboardControlSensorsHealthExtended
  }

  public init(payload: RawSpan) {
    onboardControlSensorsPresent = payload.load(at: 0)
    onboardControlSensorsEnabled = payload.load(at: 4)
    onboardControlSensorsHealth = payload.load(at: 8)
    load = payload.load(at: 12)
    voltageBattery = payload.load(at: 14)
    currentBattery = payload.load(at: 16)
    dropRateComm = payload.load(at: 18)
    errorsComm = payload.load(at: 20)
    errorsCount1 = payload.load(at: 22)
    errorsCount2 = payload.load(at: 24)
    errorsCount3 = payload.load(at: 26)
    errorsCount4 = payload.load(at: 28)
    batteryRemaining = payload.load(at: 30)
    onboardControlSensorsPresentExtended = payload.load(at: 31)
    onboardControlSensorsEnabledExtended = payload.load(at: 35)
    onboardControlSensorsHealthExtended = payload.load(at: 39)
  }

  public func encodePayload(into payload: inout MutableRawSpan) {
    payload.store(onboardControlSensorsPresent, at: 0)
    payload.store(onboardControlSensorsEnabled, at: 4)
    payload.store(onboardControlSensorsHealth, at: 8)
    payload.store(load, at: 12)
    payload.store(voltageBattery, at: 14)
    payload.store(currentBattery, at: 16)
    payload.store(dropRateComm, at: 18)
    payload.store(errorsComm, at: 20)
    payload.store(errorsCount1, at: 22)
    payload.store(errorsCount2, at: 24)
    payload.store(errorsCount3, at: 26)
    payload.store(errorsCount4, at: 28)
    payload.store(batteryRemaining, at: 30)
    payload.store(onboardControlSensorsPresentExtended, at: 31)
    payload.store(onboardControlSensorsEnabledExtended, at: 35)
    payload.store(onboardControlSensorsHealthExtended, at: 39)
  }
}
