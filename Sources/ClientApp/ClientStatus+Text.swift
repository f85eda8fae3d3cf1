import Geodesy
import PeerLink
import PeerProtocol
import RemoteControl
import Vehicle

extension ClientStatus {
  /// The client, a table of its vehicles, and what is to be said of each; of one alone everything that is known.
  public var text: String {
    var lines = ["\(shown(name)) \(id.hex)"]
    lines.append("  position   \(position.text)")
    switch advertising {
    case .notYet: lines.append("  network    \(address), not advertised yet")
    case .advertised(let name): lines.append("  network    \(address), advertised as '\(shown(name))'")
    case .hidden(let reason): lines.append("  network    \(address), not advertised: \(shown(reason))")
    }
    if vehicles.isEmpty {
      lines.append("no vehicle is connected")
    } else {
      lines += [""] + table
    }
    if vehicles.count == 1 {
      lines += [""] + vehicles.flatMap(\.block)
    } else if !remarks.isEmpty {
      lines += [""] + remarks
    }
    return lines.joined(separator: "\n")
  }

  /// One line that is updated in place.
  public var line: String {
    let shown = vehicles.filter { $0.isConnected || $0.isSilent }
    let parts = shown.isEmpty ? ["no vehicle connected"] : shown.map(\.summary)
    return (parts + [position.text]).joined(separator: " | ")
  }
}

extension ClientStatus.Vehicle {
  fileprivate var block: [String] {
    var lines = ["\(shown(label.name)) \(label.id.hex)"]
    func add(_ word: String, _ text: String?) {
      guard let text else { return }
      lines.append("  \(word)\(String(repeating: " ", count: max(1, 11 - word.count)))\(text)")
    }
    let state = isConnected ? "connected\(planes)" : isSilent ? "silent" : "not connected"
    guard let status else {
      add("link", "\(state), no status yet")
      return lines
    }
    add("link", "\(state), status \(decimals((age ?? .zero).inSeconds, 1)) s old")
    add(
      "quality",
      link?.quality.map { quality in
        let time = quality.roundTrip.map { " in \(milliseconds($0))" } ?? ""
        return "\(quality.answeredPercent) % of the last datagrams answered\(time)"
      })
    add("problem", status.autopilotProblem.map(shown))
    add("relay", status.relayState.map(shown))
    add(
      "mode", ([status.modeText, status.armedText] + status.flags).compactMap { $0 }.joined(separator: ", "))
    if isConnected { add("control", status.controlText) }
    add("height", status.altitudeAboveHomeMeters.map { "\(decimals($0, 1)) m above home" })
    add("speed", status.groundSpeedMetersPerSecond.map { "\(decimals($0, 1)) m/s" })
    add("heading", status.headingDegrees.map { "\(decimals($0, 0))°" })
    add("battery", status.batteryText)
    add("gps", status.gpsText)
    add("place", status.coordinate.map(coordinateText))
    add("distance", distanceMeters.map { "\(decimals($0, 0)) m from here" })
    switch target {
    case .ownPosition: add("target", "this client's position")
    case .fixed(let place): add("target", coordinateText(place))
    }
    if let distance = status.distanceToTargetMeters {
      let bearing = status.bearingToTargetDegrees.map { ", bearing \(decimals($0, 0))°" } ?? ""
      add("to target", "\(decimals(distance, 0)) m\(bearing)")
    }
    return lines
  }

  /// What is in the way of commands: without datagrams they wait behind lost bytes.
  private var planes: String {
    guard let link else { return "" }
    return ", datagrams \(link.datagrams.rawValue)" + (link.hasControl ? "" : ", control being reopened")
  }

  /// A few words for the status line.
  fileprivate var summary: String {
    if !isConnected { return "\(shown(label.name)): SILENT for \(decimals((age ?? .zero).inSeconds, 0)) s" }
    guard let status else { return "\(shown(label.name)): no status yet" }
    if let problem = status.autopilotProblem { return "\(shown(label.name)): \(shown(problem))" }
    var parts = [status.modeText, status.armedText].compactMap { $0 } + status.flags
    parts += status.altitudeAboveHomeMeters.map { ["\(decimals($0, 1)) m"] } ?? []
    parts += status.groundSpeedMetersPerSecond.map { ["\(decimals($0, 1)) m/s"] } ?? []
    parts += status.batteryPercent.map { ["\($0) %"] } ?? []
    parts += distanceMeters.map { ["\(decimals($0, 0)) m away"] } ?? []
    // A good link is no news.
    if let quality = link?.quality, quality.answeredPercent < 90 { parts.append("link \(quality.text)") }
    if let age, isStale { parts.append("\(decimals(age.inSeconds, 0)) s OLD") }
    return "\(shown(label.name)): \(parts.joined(separator: " "))"
  }
}

extension VehicleStatus {
  var modeText: String? { (modeName ?? mode?.rawValue).map(shown) }
  fileprivate var armedText: String? { isArmed.map { $0 ? "armed" : "disarmed" } }

  fileprivate var flags: [String] {
    (isStopLatched ? ["stopped"] : []) + (isFailsafe == true ? ["FAILSAFE"] : [])
      + [controlFlag].compactMap(\.self)
  }

  /// Nothing while this client has control and nobody else wants it.
  fileprivate var controlFlag: String? {
    let left = secondsUntilHandOver.map { ", \($0) s" } ?? ""
    if isAskingForControl == true {
      return "asked \(controllerName.map(shown) ?? "nobody") for control\(left)"
    }
    if isInControl { return controlAskerName.map { "\(shown($0)) ASKS FOR CONTROL\(left)" } }
    return controllerName.map { "\(shown($0)) in control" } ?? "not in control"
  }

  var controlText: String {
    let holder =
      isInControl ? "this client" : controllerName.map(shown) ?? "nobody: the next command takes it"
    guard let asker = controlAskerName else { return holder }
    let left = secondsUntilHandOver.map { " (\($0) s to refuse)" } ?? ""
    return
      "\(holder), \(isAskingForControl == true ? "asked by this client" : "asked by \(shown(asker))")\(left)"
  }

  fileprivate var batteryText: String? {
    let parts = [batteryPercent.map { "\($0) %" }, batteryVolts.map { "\(decimals($0, 1)) V" }].compactMap {
      $0
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  fileprivate var gpsText: String? {
    fixText.map { fix in
      let words = fix == "none" ? "no fix" : "\(fix) fix"
      return satellites.map { "\(words), \($0) satellites" } ?? words
    }
  }

  var fixText: String? {
    // MAVLink GPS_FIX_TYPE.
    gpsFixType.map { $0 <= 1 ? "none" : $0 == 2 ? "2D" : "3D" }
  }
}
