/// A moment of the wall clock, for the log and for people; nothing is decided by it.
public struct WallClockTime: Equatable, Comparable, Sendable, CustomStringConvertible {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var unixMilliseconds: Int64

  public init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

  public static func < (a: WallClockTime, b: WallClockTime) -> Bool {
    a.unixMilliseconds < b.unixMilliseconds
  }

  /// RFC 3339 in UTC with milliseconds: `2026-05-01T12:00:00.000Z`. Years outside 0 to 9999 are clamped to them.
  public var description: String {
    let bounded = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let milliseconds = bounded % 1000 + (bounded % 1000 < 0 ? 1000 : 0)
    let seconds = (bounded - milliseconds) / 1000
    let secondOfDay = seconds % 86400 + (seconds % 86400 < 0 ? 86400 : 0)
    let (year, month, day) = civilDate(daysSince1970: (seconds - secondOfDay) / 86400)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(secondOfDay / 3600, 2)):"
      + "\(padded(secondOfDay / 60 % 60, 2)):\(padded(secondOfDay % 60, 2)).\(padded(milliseconds, 3))Z"
  }

  /// Reads an RFC 3339 date and time with `Z` or a numeric offset; nil for anything else.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    guard (20...40).contains(bytes.count), bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A,
      bytes[16] == 0x3A,
      bytes[10] | 0x20 == 0x74 || bytes[10] == 0x20, let year = number(0..<4), let month = number(5..<7),
      let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
      let second = number(17..<19),
      (1...12).contains(month), (1...daysInMonth(year, month)).contains(day), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    var index = 19
    var milliseconds: Int64 = 0
    if bytes[index] == 0x2E {
      let digits = bytes[(index + 1)...].prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return nil }
      for (position, weight) in [Int64(100), 10, 1].enumerated() where position < digits.count {
        milliseconds += Int64(digits[digits.startIndex + position] - 0x30) * weight
      }
      index += 1 + digits.count
    }
    guard index < bytes.count else { return nil }
    var offsetMinutes: Int64 = 0
    switch bytes[index] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): guard index + 1 == bytes.count else { return nil }
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard index + 6 == bytes.count, bytes[index + 3] == 0x3A, let hours = number(index + 1..<index + 3),
        let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
      else { return nil }
      offsetMinutes = (hours * 60 + minutes) * (bytes[index] == UInt8(ascii: "-") ? -1 : 1)
    default: return nil
    }
    let seconds =
      daysSince1970(year, month, day) * 86400 + hour * 3600 + (minute - offsetMinutes) * 60 + second
    unixMilliseconds = seconds * 1000 + milliseconds
  }

  /// Reads what `--since` takes: RFC 3339, `HH:MM` (the last time the clock showed it), or how long ago:
  /// `90s`, `10m`, `2h`, `3d`; nil for anything else.
  ///
  /// - Parameter secondsEastOfUTC: the local time zone, for `HH:MM`.
  public init?(since text: String, now: WallClockTime, secondsEastOfUTC: Int64) {
    if let time = WallClockTime(rfc3339: text) {
      self = time
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hour = Int64(parts[0]), let minute = Int64(parts[1]), hour < 24, minute < 60
    {
      let day: Int64 = 86_400_000
      let local = now.unixMilliseconds + secondsEastOfUTC * 1000
      let midnight = local - (local % day + day) % day
      var time = midnight + (hour * 60 + minute) * 60000
      if time > local { time -= day }
      unixMilliseconds = time - secondsEastOfUTC * 1000
      return
    }
    let units: [Character: Int64] = ["s": 1000, "m": 60000, "h": 3_600_000, "d": 86_400_000]
    let digits = text.dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), (1...9).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits)
    else { return nil }
    unixMilliseconds = now.unixMilliseconds - count * unit
  }
}

private func padded(_ value: Int64, _ width: Int) -> String {
  let text = String(value)
  return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}

private func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
  let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Int(month - 1)]
}

/// Howard Hinnant's `days_from_civil` (howardhinnant.github.io/date_algorithms.html), for years from 0 on.
private func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  // Counted from March of a year before 0, so that the division needs no case for negative years.
  let shifted = year - (month <= 2 ? 1 : 0) + 400
  let era = shifted / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  return (era - 1) * 146097 + dayOfEra - 719468
}

/// Howard Hinnant's `civil_from_days`, for years from 0 on.
private func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let shifted = days + 719468 + 146097
  let era = shifted / 146097
  let dayOfEra = shifted - era * 146097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  let year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0)
  return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}
