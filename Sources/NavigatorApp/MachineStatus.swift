import Configuration
import FlightLog
import Glibc
import JSONText
import MAVLinkServices
import VehicleLink

/// When and why something was lost last.
struct Loss {
  var what: String
  var reason: String
  var at: ContinuousClock.Instant

  func json(at now: ContinuousClock.Instant) -> JSON {
    [
      "what": .string(what), "reason": .string(reason),
      "secondsAgo": .integer(at.duration(to: now).components.seconds),
    ]
  }
}

/// What whoever looks after the machine wants to know, besides the vehicle: `drone-navigator status`.
struct MachineStatus {
  var configuration: NavigatorConfiguration
  var traffic: LineStatistics?
  var line: LineReport?
  var lastClientLoss: Loss?
  var lastLineLoss: Loss?
  /// How the last reload of the configuration ended; nil before the first.
  var lastReload: String?
  var now: ContinuousClock.Instant

  /// Appends its members to the object of the vehicle.
  func add(to object: inout JSON.Object) {
    object["version"] = .string(Release.version)
    object["processID"] = .integer(Int64(getpid()))
    object["line"] = lineMembers
    object["lastClientLoss"] = lastClientLoss?.json(at: now) ?? .null
    object["lastLineLoss"] = lastLineLoss?.json(at: now) ?? .null
    object["logs"] = .array(logs)
    var keys: JSON.Object = [:]
    for (key, value) in configuration.texts { keys[key] = .string(value) }
    object["configuration"] = .object(keys)
    object["lastReload"] = lastReload.map { .string($0) } ?? .null
  }

  private var lineMembers: JSON {
    var object: JSON.Object = [:]
    switch configuration.serial {
    case .device(let path, let baud):
      object["device"] = .string(path)
      object["baud"] = .integer(Int64(baud))
    case .tcp, .udp, nil:
      object["device"] = configuration.serial.map { .string($0.description) } ?? .null
      object["baud"] = .null
    }
    if let traffic {
      object["open"] = .bool(traffic.isOpen)
      object["openings"] = .integer(Int64(traffic.openings))
      object["bytes"] = .integer(Int64(clamping: traffic.bytes))
      object["frames"] = .integer(Int64(clamping: traffic.frames))
      object["checksumErrors"] = .integer(Int64(clamping: traffic.checksumErrors))
      object["lostFrames"] = .integer(Int64(clamping: traffic.lostFrames))
    }
    if let line {
      for member in lineJSON(line).members { object[member.key] = member.value }
    }
    return .object(object)
  }

  private var logs: [JSON] {
    let names = [
      (LogFiles.defaultName, configuration.logFileSizeBytes, configuration.logFileCount),
      (
        TelemetryLogWriter.defaultName, configuration.telemetryLogFileSizeBytes,
        configuration.telemetryLogFileCount
      ),
    ]
    return names.map { name, size, count in
      let files = LogFiles(
        path: "\(configuration.stateDirectory)/\(name)", maximumFileBytes: size, maximumFileCount: count)
      let usage = files.usage
      return [
        "path": .string(files.path), "bytes": .integer(Int64(usage.bytes)),
        "files": .integer(Int64(usage.files)),
      ]
    }
  }
}
