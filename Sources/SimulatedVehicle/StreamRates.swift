import MAVLink

/// Which messages go out by themselves, and how often: after a start the heartbeat, and what comes unasked.
struct StreamRates: Sendable {
  private struct Stream {
    var periodSeconds: Double
    var dueSeconds: Double
  }

  private var streams: [UInt32: Stream] = [:]
  private var nextHeartbeat: Double?
  private let unasked: [(id: UInt32, rate: Double)]

  /// 50 Hz; ArduPilot does not send faster than its loop either.
  private static let shortestPeriodSeconds = 0.02

  init(unasked: [(id: UInt32, rate: Double)] = [], at seconds: Double = 0) {
    self.unasked = unasked
    for stream in unasked {
      streams[stream.id] = Stream(periodSeconds: 1 / stream.rate, dueSeconds: seconds)
    }
  }

  /// Once a second; true when it is time.
  mutating func takeHeartbeat(at seconds: Double) -> Bool {
    guard seconds >= nextHeartbeat ?? seconds else { return false }
    // From due to due, so that it stays once a second.
    nextHeartbeat = (nextHeartbeat ?? seconds) + 1
    return true
  }

  /// Microseconds as in MAV_CMD_SET_MESSAGE_INTERVAL: -1 stops, 0 is what comes unasked.
  mutating func set(_ id: UInt32, microseconds: Int, at seconds: Double) {
    guard microseconds > 0 else {
      let unasked = microseconds == 0 ? unasked.first { $0.id == id } : nil
      streams[id] = unasked.map { Stream(periodSeconds: 1 / $0.rate, dueSeconds: seconds) }
      return
    }
    let period = max(Self.shortestPeriodSeconds, Double(microseconds) / 1e6)
    streams[id] = Stream(periodSeconds: period, dueSeconds: seconds)
  }

  func intervalMicroseconds(of id: UInt32) -> Int32 {
    if id == Heartbeat.messageID { return 1_000_000 }
    return streams[id].map { Int32(min(2e9, $0.periodSeconds * 1e6)) } ?? -1
  }

  /// What is due, the longest overdue first.
  func due(at seconds: Double) -> [UInt32] {
    guard !streams.isEmpty else { return [] }
    // Half a step of tolerance for the rounding of sums of periods.
    return streams.filter { $0.value.dueSeconds <= seconds + 0.001 }
      .sorted { ($0.value.dueSeconds, $0.key) < ($1.value.dueSeconds, $1.key) }.map(\.key)
  }

  mutating func sent(_ id: UInt32, at seconds: Double) {
    guard let stream = streams[id] else { return }
    // What was late does not bunch up.
    let next = stream.dueSeconds + stream.periodSeconds
    streams[id]?.dueSeconds = max(next, seconds)
  }

  /// The groups of the older REQUEST_DATA_STREAM, by their content in ArduCopter.
  mutating func setGroup(_ group: DataStream, rate: Double, at seconds: Double) {
    let groups: [(DataStream, [UInt32])] = [
      (
        .extendedStatus,
        [
          SystemStatus.messageID, GPSRawInt.messageID, NavControllerOutput.messageID,
          PositionTargetGlobalInt.messageID, ExtendedSystemState.messageID,
        ]
      ),
      (.position, [GlobalPositionInt.messageID, LocalPositionNED.messageID]),
      (.extra1, [Attitude.messageID]),
      (.extra2, [VFRHUD.messageID]),
      (
        .extra3, [SystemTime.messageID, BatteryStatus.messageID, EKFStatusReport.messageID]
      ),
    ]
    for (name, ids) in groups where group == .all || group == name {
      for id in ids {
        set(id, microseconds: rate > 0 ? Int(1e6 / rate) : -1, at: seconds)
      }
    }
  }
}
