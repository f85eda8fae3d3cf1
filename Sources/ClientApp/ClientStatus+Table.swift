import PeerLink
import PeerProtocol
import RemoteControl
import Vehicle

extension ClientStatus {
  /// A line for each vehicle below the titles; a column of which nothing is known of any vehicle is left out.
  var table: [String] {
    let rows = vehicles.map(\.row)
    let columns = ClientStatus.titles.indices.filter { index in rows.contains { $0[index] != nil } }
    let lines =
      [columns.map { ClientStatus.titles[$0] }] + rows.map { row in columns.map { row[$0] ?? "-" } }
    let widths = columns.indices.map { index in lines.map { $0[index].count }.max() ?? 0 }
    return lines.map { line in
      let padded = zip(line, widths).map { text, width in
        text + String(repeating: " ", count: width - text.count)
      }
      return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
  }

  private static let titles = [
    "VEHICLE", "ID", "LINK", "CONTROL", "MODE", "STATE", "HEIGHT", "SPEED", "HEADING", "BATTERY", "GPS",
    "FROM HERE", "TO TARGET", "STATUS",
  ]

  /// What does not fit a table and should be read: a line for each vehicle and matter.
  var remarks: [String] {
    vehicles.flatMap { vehicle -> [String] in
      guard vehicle.isConnected, let status = vehicle.status else { return [] }
      let asker = status.controlAskerName.map { _ in "control: \(status.controlText)" }
      return [status.autopilotProblem.map(shown), status.relayState.map(shown), asker]
        .compactMap { $0.map { "\(shown(vehicle.label.name)): \($0)" } }
    }
  }
}

extension ClientStatus.Vehicle {
  fileprivate var row: [String?] {
    [
      shown(label.name), label.id.short, linkText, isConnected ? status?.holderText : nil, status?.modeText,
      status?.stateText,
      status?.altitudeAboveHomeMeters.map { "\(decimals($0, 1)) m" },
      status?.groundSpeedMetersPerSecond.map { "\(decimals($0, 1)) m/s" },
      status?.headingDegrees.map { "\(decimals($0, 0))°" }, status?.chargeText, status?.receiverText,
      distanceMeters.map { "\(decimals($0, 0)) m" }, status?.targetText, ageText,
    ]
  }

  /// How well it is heard, or that it is not.
  var linkText: String {
    guard isConnected else { return isSilent ? "SILENT" : "gone" }
    guard let link else { return "connected" }
    guard let quality = link.quality else { return "datagrams \(link.datagrams.rawValue)" }
    return quality.text
  }

  fileprivate var ageText: String? {
    age.map { isStale ? "\(decimals($0.inSeconds, 0)) s OLD" : "\(decimals($0.inSeconds, 1)) s" }
  }
}

extension LinkQuality {
  var text: String {
    "\(answeredPercent) %" + (roundTrip.map { " \(milliseconds($0))" } ?? "")
  }
}

extension VehicleStatus {
  fileprivate var holderText: String { isInControl ? "you" : controllerName.map(shown) ?? "free" }

  fileprivate var stateText: String? {
    let word: String? =
      switch (isArmed, landed) {
      case (false?, _): "disarmed"
      case (_, .inAir?): "flying"
      case (_, .takingOff?): "taking off"
      case (_, .landing?): "landing"
      case (true?, .onGround?), (true?, nil): "armed"
      case (nil, .onGround?): "on ground"
      case (nil, nil): nil
      }
    let flags = (isStopLatched ? ["STOPPED"] : []) + (isFailsafe == true ? ["FAILSAFE"] : [])
    let words = [word].compactMap(\.self) + flags
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// Shorter than in full, for the width of a table.
  fileprivate var chargeText: String? {
    batteryPercent.map { "\($0) %" } ?? batteryVolts.map { "\(decimals($0, 1)) V" }
  }

  fileprivate var receiverText: String? {
    fixText.map { fix in satellites.map { "\(fix), \($0) sat" } ?? fix }
  }

  fileprivate var targetText: String? {
    distanceToTargetMeters.map { distance in
      "\(decimals(distance, 0)) m" + (bearingToTargetDegrees.map { " \(decimals($0, 0))°" } ?? "")
    }
  }
}
