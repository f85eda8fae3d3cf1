import MAVLink
import MAVLinkServices
import Testing

@Suite struct FailsafeTests {
  private let address = AutopilotAddress(systemID: 1, componentID: 1)

  private func value(
    _ name: String, _ value: Float, _ type: ParameterType = .real32, from systemID: UInt8 = 1
  ) -> Frame {
    Frame(
      ParamValue(paramId: FixedText(name), paramValue: value, paramType: type, paramCount: 9, paramIndex: 3),
      systemID: systemID, componentID: 1, sequence: 0)
  }

  @Test func namesAreAskedForOneAfterTheOther() {
    var reading = ParameterReading(["FS_GCS_ENABLE", "FENCE_ENABLE"], of: .arduCopter, at: address)
    let start = ContinuousClock.now
    let first = reading.request(at: start)
    #expect(first?.paramId.text == "FS_GCS_ENABLE")
    #expect(first?.paramIndex == -1 && first?.targetSystem == 1)
    let early = reading.request(at: start + .milliseconds(499))
    #expect(early == nil)
    reading.received(value("FS_GCS_ENABLE", 1, .int8))
    let second = reading.request(at: start + .milliseconds(100))
    #expect(second?.paramId.text == "FENCE_ENABLE")
    reading.received(value("FENCE_ENABLE", 0, .int8))
    let third = reading.request(at: start + .seconds(9))
    #expect(reading.isComplete && third == nil)
    #expect(reading.values == ["FS_GCS_ENABLE": 1, "FENCE_ENABLE": 0])
  }

  @Test func aNameThatIsNotKnownIsGivenUp() {
    var reading = ParameterReading(["SYSID_MYGCS"], of: .arduCopter, at: address)
    var now = ContinuousClock.now
    var requests = 0
    while !reading.isComplete, requests < 100 {
      if reading.request(at: now) != nil { requests += 1 }
      now += .milliseconds(500)
    }
    #expect(requests == 3 && reading.values.isEmpty)
  }

  @Test func otherVehiclesUnknownNamesAndNonsenseChangeNothing() {
    var reading = ParameterReading(["FS_GCS_ENABLE"], of: .arduCopter, at: address)
    reading.received(value("FS_GCS_ENABLE", 1, from: 2))
    reading.received(value("ATC_RAT_PIT_P", 1))
    reading.received(value("FS_GCS_ENABLE", .nan))
    #expect(!reading.isComplete && reading.values.isEmpty)
  }

  @Test func integersOfPX4AreBytes() {
    let table: [(ParameterType, UInt32, Double)] = [
      (.int32, 2, 2), (.int32, 0xFFFF_FFFF, -1), (.int8, 0xFF, -1), (.uint8, 0xFF, 255),
      (.int16, 0x8000, -32768),
      (.uint16, 0x8000, 32768), (.uint32, 0xFFFF_FFFF, 4_294_967_295), (.real32, Float(1.5).bitPattern, 1.5),
    ]
    for (type, bits, expected) in table {
      var reading = ParameterReading(["X"], of: .px4, at: address)
      reading.received(value("X", Float(bitPattern: bits), type))
      #expect(reading.values["X"] == expected, "\(type)")
    }
  }

  private func lines(_ firmware: Firmware, _ values: [String: Double], heartbeat: Bool = true) -> [String] {
    FailsafeReport(FailsafeReport.Answer(firmware: firmware, values: values), sendsGCSHeartbeat: heartbeat)
      .lines.map { ($0.isWarning ? "! " : "") + $0.text }
  }

  @Test func whatArduCopterDoesIsTold() {
    #expect(
      lines(
        .arduCopter,
        [
          "FS_GCS_ENABLE": 1, "FS_GCS_TIMEOUT": 5, "MAV_GCS_SYSID": 255, "FS_THR_ENABLE": 3,
          "BATT_MONITOR": 4,
          "BATT_FS_LOW_ACT": 2, "BATT_FS_CRT_ACT": 1, "FENCE_ENABLE": 1, "FENCE_ACTION": 1,
        ]) == [
          "loss of the ground station for 5 s: return to launch (FS_GCS_ENABLE = 1)",
          "loss of radio control: land (FS_THR_ENABLE = 3)",
          "low battery: return to launch (BATT_FS_LOW_ACT = 2)",
          "critical battery: land (BATT_FS_CRT_ACT = 1)",
          "breach of the flight controller's fence: return to launch or land (FENCE_ACTION = 1)",
        ])
  }

  @Test func whatWouldNotSaveTheVehicleIsAWarning() {
    #expect(
      lines(
        .arduCopter,
        [
          "FS_GCS_ENABLE": 0, "SYSID_MYGCS": 1, "FS_THR_ENABLE": 99, "BATT_MONITOR": 0, "FENCE_ENABLE": 0,
        ], heartbeat: false) == [
          "! loss of the ground station: nothing happens (FS_GCS_ENABLE = 0); set FS_GCS_ENABLE = 1 for return to launch",
          "! SYSID_MYGCS = 1: the flight controller watches another ground station than this relay, which is 255",
          "! loss of radio control: a setting that is not known here (FS_THR_ENABLE = 99)",
          "! low battery: not measured (BATT_MONITOR = 0)",
          "fence of the flight controller: off (FENCE_ENABLE = 0)",
          "! gcs-heartbeat = no: the flight controller does not notice the loss of this relay or its client",
        ])
    #expect(
      lines(.px4, ["NAV_DLL_ACT": 0, "COM_DL_LOSS_T": 10, "NAV_RCL_ACT": 6, "GF_MAX_HOR_DIST": 0]) == [
        "! loss of the ground station for 10 s: nothing happens (NAV_DLL_ACT = 0); set NAV_DLL_ACT = 2 for return",
        "! loss of radio control: motors off: the vehicle falls (NAV_RCL_ACT = 6)",
        "! low battery: not known, the flight controller does not tell COM_LOW_BAT_ACT",
        "fence of the flight controller: off (GF_MAX_HOR_DIST = 0)",
      ])
    #expect(lines(.other, [:]) == ["! failsafe: not known for this flight controller"])
  }
}
