/// A decimal number as people write it; unlike `Double(_:)` it takes no hexadecimal, "nan" or "inf".
func decimalNumber(_ text: some StringProtocol) -> Double? {
  guard (1...32).contains(text.utf8.count),
    text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
    let value = Double(text), value.isFinite
  else { return nil }
  return value
}

/// The shortest text of a number, without a fraction when it is whole.
func decimalText(_ value: Double) -> String {
  value.description.hasSuffix(".0") ? String(value.description.dropLast(2)) : value.description
}

/// A number followed by one of `units`, with or without a space; a bare number counts in the unit of factor 1.
private func quantity(_ text: String, units: [(name: String, factor: Double)]) throws(InvalidValue) -> Double
{
  let shown = printable(text)
  let number = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
  guard let value = decimalNumber(number) else { throw InvalidValue("'\(shown)' is not a number") }
  let unit = trimmed(text.dropFirst(number.count))
  if unit.isEmpty { return value }
  guard let match = units.first(where: { $0.name == unit }) else {
    throw InvalidValue("'\(shown)': unknown unit '\(printable(unit))'")
  }
  return value * match.factor
}

private func inRange(_ value: Double, _ range: ClosedRange<Double>, _ text: String) throws(InvalidValue)
  -> Double
{
  guard range.contains(value) else {
    throw InvalidValue("\(printable(text)) is too \(value < range.lowerBound ? "small" : "large")")
  }
  return value
}

extension ValueType where Value == Double {
  private static func number(
    name: String, unit: String, range: ClosedRange<Double>, units: [(name: String, factor: Double)]
  ) -> ValueType {
    ValueType(
      name: name, unit: unit,
      validValues: "\(decimalText(range.lowerBound)) to \(decimalText(range.upperBound)) \(unit)",
      parse: { (text) throws(InvalidValue) in try inRange(quantity(text, units: units), range, text) },
      text: { "\(decimalText($0)) \(unit)" })
  }

  /// Lengths in metres: `10`, `10 m`, `0.5 km`.
  public static func meters(_ range: ClosedRange<Double>) -> ValueType {
    number(name: "METERS", unit: "m", range: range, units: [("m", 1), ("km", 1000)])
  }

  /// Speeds in metres a second: `30`, `30 m/s`, `100 km/h`.
  public static func metersPerSecond(_ range: ClosedRange<Double>) -> ValueType {
    number(name: "SPEED", unit: "m/s", range: range, units: [("m/s", 1), ("km/h", 1 / 3.6)])
  }

  /// Directions in degrees clockwise from true north: `90`, `90 deg`.
  public static func degrees(_ range: ClosedRange<Double>) -> ValueType {
    number(name: "DEGREES", unit: "deg", range: range, units: [("deg", 1), ("°", 1)])
  }

  /// Percent: `20`, `20 %`.
  public static func percent(_ range: ClosedRange<Double> = 0...100) -> ValueType {
    number(name: "PERCENT", unit: "%", range: range, units: [("%", 1)])
  }

  /// A bare factor.
  public static func factor(_ range: ClosedRange<Double>) -> ValueType {
    ValueType(
      name: "N", validValues: "\(decimalText(range.lowerBound)) to \(decimalText(range.upperBound))",
      parse: { (text) throws(InvalidValue) in try inRange(quantity(text, units: []), range, text) },
      text: decimalText)
  }
}

extension ValueType where Value == Duration {
  /// Durations to the millisecond: `3`, `3 s`, `500 ms`, `2 min` or `2m`, `1 h`; a bare number counts seconds.
  public static func duration(_ range: ClosedRange<Duration>) -> ValueType {
    let text: @Sendable (Duration) -> String = { duration in
      let milliseconds = duration.wholeMilliseconds
      return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
    return ValueType(
      name: "SECONDS", unit: "s", validValues: "\(text(range.lowerBound)) to \(text(range.upperBound))",
      parse: { (text) throws(InvalidValue) in
        let seconds = try quantity(
          text, units: [("s", 1), ("ms", 0.001), ("min", 60), ("m", 60), ("h", 3600)])
        // Bounded first: a Duration made of an enormous number of seconds would trap.
        let bounds =
          Double(range.lowerBound.wholeMilliseconds) / 1000...Double(range.upperBound.wholeMilliseconds)
          / 1000
        return .milliseconds(Int64(try inRange(seconds, bounds, text) * 1000 + 0.5))
      },
      text: text)
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension ValueType where Value == Int {
  public static func count(_ range: ClosedRange<Int>) -> ValueType {
    ValueType(
      name: "N", validValues: "\(range.lowerBound) to \(range.upperBound)",
      parse: { (text) throws(InvalidValue) in
        guard let value = Int(text) else { throw InvalidValue("'\(printable(text))' is not a whole number") }
        guard range.contains(value) else {
          throw InvalidValue("\(value) is too \(value < range.lowerBound ? "small" : "large")")
        }
        return value
      },
      text: { String($0) })
  }

  /// Sizes in bytes: `10 MB` (a million bytes each), `64 KiB`, `4096`.
  public static func bytes(_ range: ClosedRange<Int>) -> ValueType {
    let units: [(name: String, factor: Double)] = [
      ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("GiB", 1_073_741_824), ("MiB", 1_048_576), ("KiB", 1024),
      ("B", 1),
    ]
    let text: @Sendable (Int) -> String = { value in
      for (name, factor) in units.prefix(3) where value >= Int(factor) && value % Int(factor) == 0 {
        return "\(value / Int(factor)) \(name)"
      }
      return "\(value) B"
    }
    return ValueType(
      name: "SIZE", unit: "B", validValues: "\(text(range.lowerBound)) to \(text(range.upperBound))",
      parse: { (text) throws(InvalidValue) in
        let bounds = Double(range.lowerBound)...Double(range.upperBound)
        return Int(try inRange(quantity(text, units: units), bounds, text) + 0.5)
      },
      text: text)
  }
}
