public import Configuration
import FlightLog
import Glibc
public import ServiceRuntime

/// `drone-navigator log`: prints what was received, from files that the running navigator may be writing.
public func printLog(
  _ options: LogOptions, stateDirectory: String, loop: EventLoop, output: @escaping (String) -> Bool,
  errors: @escaping (String) -> Void
) -> ExitCode {
  let path = "\(stateDirectory)/\(LogFiles.defaultName)"
  var since: WallClockTime?
  if let text = options.since {
    guard
      let time = WallClockTime(since: text, now: RecordStamp.now.wall, secondsEastOfUTC: secondsEastOfUTC())
    else {
      errors("--since \(text): expected a time such as 2026-05-01T12:00:00Z, 12:00, or 10m, 2h, 3d")
      return .usage
    }
    since = time
  }
  let reader = FlightLogReader(path: path, since: since)
  let format: FlightLogFormat =
    switch options.format {
    case .text: .text
    case .json: .json
    case .csv: .csv
    }
  var isOpen = true
  var failure: SystemError?
  let read = {
    do throws(SystemError) {
      try reader.read { record in if isOpen { isOpen = output(format.line(record) + "\n") } }
    } catch { failure = error }
  }
  if case .csv = options.format { isOpen = output(FlightRecord.csvHeader + "\n") }
  read()
  if options.follows, failure == nil {
    let timer = loop.repeating(every: .milliseconds(200)) {
      read()
      if !isOpen || failure != nil { loop.stop() }
    }
    loop.run()
    timer.cancel()
  }
  if let failure {
    errors("cannot read the log: \(failure)")
    return .internalError
  }
  if reader.invalidLineCount > 0 { errors("skipped \(reader.invalidLineCount) damaged lines") }
  if reader.endsInsideLine, !options.follows {
    errors("the last line is not complete: it was being written, or power was lost")
  }
  return .accepted
}

/// The local time zone's offset now, for times typed without one.
private func secondsEastOfUTC() -> Int64 {
  var now = time(nil)
  var local = tm()
  localtime_r(&now, &local)
  return Int64(local.tm_gmtoff)
}
