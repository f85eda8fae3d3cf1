/// What the autopilot itself does when something fails, told from its parameters.
///
/// Sources: ArduCopter parameter list 4.5 to 4.7 (`FS_*`, `BATT_FS_*`, `FENCE_*`), PX4 parameter reference 1.14 to 1.16 (`NAV_DLL_ACT`,
/// `NAV_RCL_ACT`, `COM_*`, `GF_ACTION`).
public struct FailsafeReport: Sendable {
  public struct Line: Equatable, Sendable {
    public let text: String
    /// Nothing would happen, or nothing that brings the vehicle down safely.
    public let isWarning: Bool

    public init(_ text: String, isWarning: Bool = false) {
      self.text = text
      self.isWarning = isWarning
    }
  }

  /// What a flight controller said of itself.
  public struct Answer: Equatable, Sendable {
    public let firmware: Firmware
    public let values: [String: Double]

    public init(firmware: Firmware, values: [String: Double]) {
      self.firmware = firmware
      self.values = values
    }
  }

  public let lines: [Line]

  /// The parameters that a report needs; those of other releases stay unanswered.
  public static func parameterNames(of firmware: Firmware) -> [String] {
    switch firmware {
    case .arduCopter:
      [
        "FS_GCS_ENABLE", "FS_GCS_TIMEOUT", "MAV_GCS_SYSID", "SYSID_MYGCS", "FS_THR_ENABLE", "BATT_MONITOR",
        "BATT_FS_LOW_ACT", "BATT_FS_CRT_ACT", "FENCE_ENABLE", "FENCE_ACTION",
      ]
    case .px4:
      ["NAV_DLL_ACT", "COM_DL_LOSS_T", "NAV_RCL_ACT", "COM_LOW_BAT_ACT", "GF_ACTION", "GF_MAX_HOR_DIST"]
    case .arduPlane: ["FS_GCS_ENABL", "FS_LONG_ACTN", "FS_LONG_TIMEOUT", "MAV_GCS_SYSID", "SYSID_MYGCS"]
    case .arduRover, .arduBoat:
      ["FS_GCS_ENABLE", "FS_ACTION", "FS_GCS_TIMEOUT", "MAV_GCS_SYSID", "SYSID_MYGCS"]
    case .other: []
    }
  }

  /// - Parameter sendsGCSHeartbeat: whether the relay sends heartbeats as a ground station while a client is alive.
  public init(_ answer: Answer, sendsGCSHeartbeat: Bool) {
    let (firmware, values) = (answer.firmware, answer.values)
    var lines: [Line] =
      switch firmware {
      case .arduCopter: FailsafeReport.arduCopter(values)
      case .px4: FailsafeReport.px4(values)
      case .arduPlane: FailsafeReport.arduPlane(values)
      case .arduRover, .arduBoat: FailsafeReport.arduRover(values)
      case .other: [Line("failsafe: not known for this flight controller", isWarning: true)]
      }
    if !sendsGCSHeartbeat, firmware != .other {
      lines.append(
        Line(
          "gcs-heartbeat = no: the flight controller does not notice the loss of this relay or its client",
          isWarning: true))
    }
    self.lines = lines
  }

  // MARK: ArduCopter

  private static func arduCopter(_ values: [String: Double]) -> [Line] {
    var lines: [Line] = []
    let timeout = values["FS_GCS_TIMEOUT"].map { " for \(number($0)) s" } ?? ""
    lines.append(
      line(
        "loss of the ground station\(timeout)", "FS_GCS_ENABLE", values,
        [
          0: nil, 1: "return to launch", 2: "goes on with a mission, else return to launch",
          3: "smart return to launch, else return to launch", 4: "smart return to launch, else land",
          5: "land",
          6: "lands by a mission's landing sequence, else return to launch", 7: "brake, else land",
        ],
        remedy: "set FS_GCS_ENABLE = 1 for return to launch"))
    lines += watchedGroundStation(values)
    lines.append(
      line(
        "loss of radio control", "FS_THR_ENABLE", values,
        [
          0: nil, 1: "return to launch", 2: "goes on with a mission, else return to launch", 3: "land",
          4: "smart return to launch, else return to launch", 5: "smart return to launch, else land",
          6: "lands by a mission's landing sequence, else return to launch", 7: "brake, else land",
        ],
        remedy: "set FS_THR_ENABLE = 1 if a radio control is used"))
    let battery: [Int: String?] = [
      0: nil, 1: "land", 2: "return to launch", 3: "smart return to launch, else return to launch",
      4: "smart return to launch, else land", 5: "motors off: the vehicle falls",
      6: "lands by a mission's landing sequence, else return to launch", 7: "brake, else land",
    ]
    if values["BATT_MONITOR"] == 0 {
      lines.append(Line("low battery: not measured (BATT_MONITOR = 0)", isWarning: true))
    } else {
      lines.append(
        line(
          "low battery", "BATT_FS_LOW_ACT", values, battery,
          remedy: "set BATT_FS_LOW_ACT = 2 for return to launch, and BATT_LOW_VOLT or BATT_LOW_MAH"))
      if values["BATT_FS_CRT_ACT"] != nil {
        lines.append(
          line(
            "critical battery", "BATT_FS_CRT_ACT", values, battery, remedy: "set BATT_FS_CRT_ACT = 1 for land"
          ))
      }
    }
    if values["FENCE_ENABLE"] == 0 {
      lines.append(Line("fence of the flight controller: off (FENCE_ENABLE = 0)"))
    } else if values["FENCE_ENABLE"] != nil {
      lines.append(
        line(
          "breach of the flight controller's fence", "FENCE_ACTION", values,
          [
            0: nil, 1: "return to launch or land", 2: "land",
            3: "smart return to launch, else return to launch",
            4: "brake, else land", 5: "smart return to launch, else land",
          ],
          remedy: "set FENCE_ACTION = 1"))
    }
    return lines
  }

  /// 4.7 renamed the parameter.
  private static func watchedGroundStation(_ values: [String: Double]) -> [Line] {
    ["MAV_GCS_SYSID", "SYSID_MYGCS"].compactMap { name in
      guard let watched = values[name], watched != 255 else { return nil }
      return Line(
        "\(name) = \(number(watched)): the flight controller watches another ground station than this relay, which is 255",
        isWarning: true)
    }
  }

  // MARK: ArduPlane, ArduRover

  private static func arduPlane(_ values: [String: Double]) -> [Line] {
    guard values["FS_GCS_ENABL"] != 0 else {
      return [
        Line(
          "loss of the ground station: nothing happens (FS_GCS_ENABL = 0); set FS_GCS_ENABL = 1 and FS_LONG_ACTN = 1 for return to launch",
          isWarning: true)
      ] + watchedGroundStation(values)
    }
    let timeout = values["FS_LONG_TIMEOUT"].map { " for \(number($0)) s" } ?? ""
    return [
      line(
        "loss of the ground station\(timeout)", "FS_LONG_ACTN", values,
        [
          0: nil, 1: "return to launch", 2: "glide", 3: "parachute", 4: "goes on with the mission",
          5: "automatic landing",
        ], remedy: "set FS_LONG_ACTN = 1 for return to launch")
    ] + watchedGroundStation(values)
  }

  private static func arduRover(_ values: [String: Double]) -> [Line] {
    guard values["FS_GCS_ENABLE"] != 0 else {
      return [
        Line(
          "loss of the ground station: nothing happens (FS_GCS_ENABLE = 0); set FS_GCS_ENABLE = 1 and FS_ACTION = 2 for hold",
          isWarning: true)
      ] + watchedGroundStation(values)
    }
    let timeout = values["FS_GCS_TIMEOUT"].map { " for \(number($0)) s" } ?? ""
    return [
      line(
        "loss of the ground station\(timeout)", "FS_ACTION", values,
        [
          0: nil, 1: "return to launch", 2: "hold", 3: "smart return to launch, else return to launch",
          4: "smart return to launch, else hold", 5: "motors off", 6: "loiter, else hold",
        ], remedy: "set FS_ACTION = 2 for hold")
    ] + watchedGroundStation(values)
  }

  // MARK: PX4

  private static func px4(_ values: [String: Double]) -> [Line] {
    let timeout = values["COM_DL_LOSS_T"].map { " for \(number($0)) s" } ?? ""
    var lines = [
      line(
        "loss of the ground station\(timeout)", "NAV_DLL_ACT", values,
        [
          0: nil, 1: "hold", 2: "return", 3: "land", 5: "motors off: the vehicle falls",
          6: "motors off: the vehicle falls",
        ],
        remedy: "set NAV_DLL_ACT = 2 for return"),
      line(
        "loss of radio control", "NAV_RCL_ACT", values,
        [
          0: nil, 1: "hold", 2: "return", 3: "land", 5: "motors off: the vehicle falls",
          6: "motors off: the vehicle falls",
        ],
        remedy: "set NAV_RCL_ACT = 2 for return"),
      line(
        "low battery", "COM_LOW_BAT_ACT", values,
        [0: nil, 1: "return", 2: "land", 3: "return when critical, land when nearly empty"],
        remedy: "set COM_LOW_BAT_ACT = 3"),
    ]
    if let distance = values["GF_MAX_HOR_DIST"], distance > 0 {
      lines.append(
        line(
          "breach of the flight controller's fence", "GF_ACTION", values,
          [
            0: nil, 1: nil, 2: "hold", 3: "return", 4: "motors off: the vehicle falls", 5: "land",
          ],
          remedy: "set GF_ACTION = 2 for hold"))
    } else if values["GF_MAX_HOR_DIST"] != nil {
      lines.append(Line("fence of the flight controller: off (GF_MAX_HOR_DIST = 0)"))
    }
    return lines
  }

  // MARK: Words

  /// - Parameter meanings: what each value makes the autopilot do; nil for nothing.
  private static func line(
    _ event: String, _ name: String, _ values: [String: Double], _ meanings: [Int: String?], remedy: String
  ) -> Line {
    guard let value = values[name] else {
      return Line("\(event): not known, the flight controller does not tell \(name)", isWarning: true)
    }
    let setting = "(\(name) = \(number(value)))"
    guard let meaning = Int(exactly: value).flatMap({ meanings[$0] }) else {
      return Line("\(event): a setting that is not known here \(setting)", isWarning: true)
    }
    guard let action = meaning else {
      return Line("\(event): nothing happens \(setting); \(remedy)", isWarning: true)
    }
    return Line("\(event): \(action) \(setting)", isWarning: action.hasSuffix("falls"))
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? String(value)
  }
}
