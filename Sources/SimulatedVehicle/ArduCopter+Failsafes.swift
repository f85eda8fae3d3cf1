import MAVLink

extension ArduCopter {
  mutating func watchGroundStation(_ aircraft: inout Aircraft) {
    guard let last = lastGroundStationHeartbeat else { return }
    let action = aircraft.parameters["FS_GCS_ENABLE"] ?? 0
    // The check runs ten times a second, so a time limit of 5 s shows after 5.1 s.
    let limit = Double(aircraft.parameters["FS_GCS_TIMEOUT"] ?? 5) + 0.1
    guard action != 0, aircraft.seconds - last >= limit else {
      if inGroundStationFailsafe {
        inGroundStationFailsafe = false
        aircraft.note(.failsafeCleared("ground control station"))
        aircraft.say(.warning, "GCS Failsafe Cleared")
      }
      return
    }
    guard !inGroundStationFailsafe, isArmed else { return }
    inGroundStationFailsafe = true
    aircraft.note(.failsafe("ground control station"))
    if isLanded {
      aircraft.say(.warning, "GCS Failsafe")
      return disarm(&aircraft)
    }
    let wanted: Mode = action == 5 ? .land : action == 7 ? .brake : .rtl
    aircraft.say(.warning, "GCS Failsafe: changed to \(wanted.name) Mode")
    _ = change(to: wanted, .failsafe, &aircraft)
  }

  /// Ten bad checks at ten a second, then a mode that needs no position (ekf_check.cpp, FS_EKF_ACTION 1: land).
  mutating func watchEstimate(_ aircraft: inout Aircraft) {
    guard isArmed, !isLanded, mode.needsPosition || inEstimateFailsafe, !aircraft.hasPositionEstimate else {
      if inEstimateFailsafe, aircraft.hasPositionEstimate || !isArmed {
        inEstimateFailsafe = false
        aircraft.note(.failsafeCleared("estimate"))
        aircraft.say(.critical, "EKF Failsafe Cleared")
      }
      estimateLostAt = nil
      return
    }
    let since = estimateLostAt ?? aircraft.seconds
    estimateLostAt = since
    guard !inEstimateFailsafe, aircraft.seconds - since >= 1 else { return }
    inEstimateFailsafe = true
    aircraft.note(.failsafe("estimate"))
    aircraft.say(.critical, "EKF variance")
    aircraft.say(.critical, "EKF Failsafe: changed to LAND Mode")
    _ = change(to: .land, .failsafe, &aircraft)
  }
}
