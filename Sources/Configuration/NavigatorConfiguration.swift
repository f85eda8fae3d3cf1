/// What the navigator does when a client falls silent for long.
public enum LinkLossAction: String, CaseIterable, Sendable {
  case returnToLaunch = "return"
  case land
}

/// What `stop` means on this vehicle.
public enum StopAction: String, CaseIterable, Sendable {
  case hold
  case land
  case returnToLaunch = "return"
}

/// When the serial line's frames are recorded.
public enum TelemetryExtent: String, CaseIterable, Sendable {
  case armed
  case always
  case off
}

/// How the navigator behaves; the initial values are the defaults.
public struct NavigatorConfiguration: Equatable, Sendable {
  public static let defaultPath = "/etc/drone-navigator.conf"

  /// nil until configured; `run` and `check` need it.
  public var serial: SerialEndpoint?
  public var name = "Drone"
  public var connect: [HostAndPort] = []
  public var stateDirectory = "/var/lib/drone-navigator"
  public var takeoffAltitudeAboveHomeMeters = 10.0
  public var followHeightAboveHomeMeters = 10.0
  public var standOffMeters = 0.0
  public var maximumDistanceFromHomeMeters = 500.0
  public var maximumHeightAboveHomeMeters = 50.0
  /// A coordinate that moves faster than this is no person but an error of the receiver.
  public var maximumSpeedMetersPerSecond = 30.0
  public var coordinateFreshness = Duration.seconds(3)
  public var holdAfter = Duration.seconds(3)
  /// nil: never.
  public var returnAfter: Duration? = .seconds(30)
  public var linkLossAction = LinkLossAction.returnToLaunch
  public var handOverAfter = Duration.seconds(10)
  public var stopAction = StopAction.hold
  public var minimumBatteryPercent = 20.0
  /// nil: no fence.
  public var geofenceRadiusMeters: Double?
  public var resetClearsAutopilot = false
  public var sendsGCSHeartbeat = true
  public var logFileSizeBytes = 10_000_000
  public var logFileCount = 5
  public var telemetryLog = TelemetryExtent.armed
  public var telemetryLogFileSizeBytes = 20_000_000
  public var telemetryLogFileCount = 5
  /// nil: the serial line is not signed.
  public var signingKeyPath: String?
  public var logLevel = LogLevel.notice

  public init() {}
}

extension NavigatorConfiguration {
  private static let filesAreOpen = "the files are open"

  /// All keys, in the order of the sample file. Defaults are read from `NavigatorConfiguration()`.
  static let keys: [Key<NavigatorConfiguration>] = [
    Key(
      "serial", \.serial, .serialEndpoint, orNone: "none",
      meaning:
        "The flight controller: a serial device, by preference one of /dev/serial/by-id, or the address of a simulator.",
      needsRestart: "the line to the flight controller would be cut"),
    Key(
      "name", \.name, .displayName, meaning: "The name by which clients see this vehicle.",
      needsRestart: "connected clients know the vehicle by it"),
    Key(
      list: "connect", \.connect, .hostAndPort,
      meaning: "Clients to connect to where multicast discovery does not reach."),
    Key(
      "state", \.stateDirectory, .path("DIR"),
      meaning:
        "Directory of the identity, the list of trusted clients, the local socket and the log of commands.",
      needsRestart: "the files in it are open"),
    Key(
      "takeoff-altitude", \.takeoffAltitudeAboveHomeMeters, .meters(1...500),
      meaning: "How far takeoff climbs above home."),
    Key(
      "follow-height", \.followHeightAboveHomeMeters, .meters(1...500),
      meaning: "Height above home of every target."),
    Key(
      "stand-off", \.standOffMeters, .meters(0...1000),
      meaning: "Distance at which the vehicle stays away from the coordinate; 0 flies over it."),
    Key(
      "maximum-distance", \.maximumDistanceFromHomeMeters, .meters(10...10000),
      meaning: "Targets farther than this from home are refused."),
    Key(
      "maximum-height", \.maximumHeightAboveHomeMeters, .meters(2...500),
      meaning: "Takeoffs and targets higher than this above home are refused."),
    Key(
      "maximum-speed", \.maximumSpeedMetersPerSecond, .metersPerSecond(1...100),
      meaning: "A coordinate that moves faster than this is refused as an impossible jump."),
    Key(
      "coordinate-freshness", \.coordinateFreshness, .duration(.milliseconds(500)...(.seconds(30))),
      meaning: "A coordinate older than this is not flown to."),
    Key(
      "hold-after", \.holdAfter, .duration(.seconds(1)...(.seconds(60))),
      meaning: "Silence of the client after which the vehicle holds its position."),
    Key(
      "return-after", \.returnAfter, .duration(.seconds(5)...(.seconds(3600))), orNone: "off",
      meaning: "Silence of the client after which the vehicle does what link-loss-action says."),
    Key("link-loss-action", \.linkLossAction, .choice, meaning: "What the vehicle does after return-after."),
    Key(
      "hand-over-after", \.handOverAfter, .duration(.seconds(1)...(.seconds(60))),
      meaning: "How long the client in control has to refuse before control goes to the one that asks for it."
    ),
    Key("stop-action", \.stopAction, .choice, meaning: "What the command stop does."),
    Key(
      "minimum-battery", \.minimumBatteryPercent, .percent(0...100),
      meaning: "Takeoff is refused with less charge than this."),
    Key(
      "geofence-radius", \.geofenceRadiusMeters, .meters(10...10000), orNone: "off",
      meaning: "The vehicle holds when it gets farther than this from home."),
    Key(
      "reset-clears-autopilot", \.resetClearsAutopilot, .yesNo,
      meaning: "Whether reset on the ground may clear faults of the flight controller as well."),
    Key(
      "gcs-heartbeat", \.sendsGCSHeartbeat, .yesNo,
      meaning:
        "Whether heartbeats as a ground station are sent while a trusted client is alive; with no the flight controller's own ground station failsafe does not watch this link."
    ),
    Key(
      "log-file-size", \.logFileSizeBytes, .bytes(10_000...1_000_000_000),
      meaning: "Size at which the log of commands is rotated.", needsRestart: filesAreOpen),
    Key(
      "log-files", \.logFileCount, .count(1...100),
      meaning: "How many files of the log of commands are kept.", needsRestart: filesAreOpen),
    Key(
      "telemetry-log", \.telemetryLog, .choice,
      meaning:
        "When the frames of the serial line are recorded, as Mission Planner, MAVProxy and QGroundControl read them: drone-navigator.tlog in the state directory.",
      needsRestart: filesAreOpen),
    Key(
      "telemetry-log-file-size", \.telemetryLogFileSizeBytes, .bytes(100_000...1_000_000_000),
      meaning: "Size at which the telemetry log is rotated; each start begins a new file too.",
      needsRestart: filesAreOpen),
    Key(
      "telemetry-log-files", \.telemetryLogFileCount, .count(1...100),
      meaning: "How many files of the telemetry log are kept.", needsRestart: filesAreOpen),
    Key(
      "signing-key", \.signingKeyPath, .path("PATH"), orNone: "none",
      meaning:
        "File, mode 0600, with the 32 bytes or 64 hexadecimal digits of the MAVLink 2 signing key that the flight controller has; frames it did not sign are then refused.",
      needsRestart: "the key is in use on the line"),
    Key("log-level", \.logLevel, .choice, meaning: "How much is told on standard error."),
  ]

  /// Every key as an option, so that the command line overrides the file.
  static var options: [Option] { keys.map(\.option) }

  /// Values that are right by themselves and wrong together.
  var contradictions: [(key: String, message: String)] {
    var result: [(key: String, message: String)] = []
    let heights = [
      ("takeoff-altitude", takeoffAltitudeAboveHomeMeters), ("follow-height", followHeightAboveHomeMeters),
    ]
    for (key, height) in heights where height > maximumHeightAboveHomeMeters {
      result.append(
        (
          key,
          "\(decimalText(height)) m is above maximum-height, \(decimalText(maximumHeightAboveHomeMeters)) m"
        ))
    }
    if let returnAfter, returnAfter <= holdAfter {
      result.append(("return-after", "must be longer than hold-after"))
    }
    if standOffMeters >= maximumDistanceFromHomeMeters {
      result.append(("stand-off", "must be less than maximum-distance"))
    }
    return result
  }

  /// The configuration that a file and the command line give together.
  ///
  /// - Parameter file: name for messages and content; nil for none.
  /// - Parameter overrides: key and text from options; they replace what the file says.
  /// - Parameter needsSerial: whether the flight controller must be named.
  /// - Throws: all problems at once.
  public static func load(
    file: (name: String, content: [UInt8])?, overrides: [(key: String, text: String)] = [], needsSerial: Bool
  ) throws(ConfigurationError) -> NavigatorConfiguration {
    try read(file: file, overrides: overrides, needsSerial: needsSerial).configuration
  }

  /// The same, with where each key was set.
  static func read(
    file: (name: String, content: [UInt8])?, overrides: [(key: String, text: String)], needsSerial: Bool
  ) throws(ConfigurationError) -> (configuration: NavigatorConfiguration, places: [String: String]) {
    var configuration = NavigatorConfiguration()
    var reading = ConfigurationReading(keys: keys)
    if let file { reading.read(file.content, name: file.name, into: &configuration) }
    reading.apply(overrides, to: &configuration)
    if reading.problems.isEmpty {
      for (key, message) in configuration.contradictions { reading.report(key: key, message) }
      if needsSerial, configuration.serial == nil {
        reading.report(
          key: "serial",
          "not set; add 'serial = PATH' to \(printable(file?.name ?? defaultPath)) or give --serial PATH")
      }
    }
    guard reading.problems.isEmpty else {
      throw ConfigurationError(problems: reading.problems, omittedCount: reading.omittedCount)
    }
    return (configuration, reading.places)
  }

  /// The configuration as a file that reads back as the same.
  public var fileText: String {
    NavigatorConfiguration.keys.flatMap { key in
      key.texts(self).map { "\(key.name) = \(quotedIfNeeded($0))\n" }
    }.joined()
  }

  /// The sample file: every key commented out with meaning, unit and default.
  public static var sampleText: String {
    var text = wrapped(
      "Configuration of drone-navigator. Each key is shown with its default; remove the # before it to change it. "
        + "Lines are 'key = value'; text after a # is a comment; a value in double quotes may contain one. "
        + "'systemctl reload drone-navigator' takes changes over in flight, all of them or none; a key that needs a restart says so.",
      indent: 0, prefix: "# ")
    let defaults = NavigatorConfiguration()
    for key in keys {
      text += "\n" + wrapped(key.meaning, indent: 0, prefix: "# ")
      let unit = key.unit.map { " Unit: \($0)." } ?? ""
      let list = key.isList ? " Several values are separated by commas." : ""
      let restart = key.needsRestart.map { " Needs a restart: \($0)." } ?? ""
      text += wrapped("Valid: \(key.validValues).\(unit)\(list)\(restart)", indent: 0, prefix: "# ")
      let values = key.texts(defaults)
      text +=
        values.isEmpty ? "#\(key.name) =\n" : values.map { "#\(key.name) = \(quotedIfNeeded($0))\n" }.joined()
    }
    return text
  }
}
