import ServiceRuntime

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// A time of day on the clock at the wall, for people.
public struct ClockTime: Equatable, Sendable, CustomStringConvertible {
  public var hour: Int
  public var minute: Int
  public var second: Int

  public init(hour: Int, minute: Int, second: Int) {
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  public var description: String { "\(twoDigits(hour)):\(twoDigits(minute)):\(twoDigits(second))" }
}

private func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

/// A size for people, with the units of `ValueType.bytes`: `417 B`, `12.3 MB`.
func sizeText(_ bytes: some BinaryInteger) -> String {
  let units = ["kB", "MB", "GB", "TB"]
  var value = Double(bytes)
  guard value >= 1000 else { return "\(bytes) B" }
  var unit = -1
  // 999.95 would be shown as 1000.0.
  while value >= 999.95, unit + 1 < units.count {
    value /= 1000
    unit += 1
  }
  let tenths = Int64((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10) \(units[unit])"
}

/// A span for people: `0:07`, `12:30`, `1:02:03`; rounded up, so that `0:00` is the end and not just before it.
func clockText(_ duration: Duration) -> String {
  let seconds = Int64(max(0, min(duration.inSeconds, 359_999)).rounded(.up))
  let tail = "\(twoDigits(Int(seconds % 60)))"
  if seconds < 3600 { return "\(seconds / 60):\(tail)" }
  return "\(seconds / 3600):\(twoDigits(Int(seconds / 60 % 60))):\(tail)"
}

/// How long something took, for people: `0.7 s`, `42 s`, `2:05`.
func spanText(_ duration: Duration) -> String {
  let seconds = max(0, duration.inSeconds)
  if seconds < 9.95 {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }
  return seconds < 60 ? "\(Int(seconds.rounded())) s" : clockText(duration)
}

/// A name of a peer or a file where it stands among other words.
func shownName(_ name: some StringProtocol) -> String { name.shown(maximumScalars: 80) }

/// Words joined for a sentence: "a, b and c".
func enumeration(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " and " + last
}
