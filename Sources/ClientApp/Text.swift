import ServiceRuntime

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// A number with a fixed count of decimals, for people; "-" for what is no number.
func decimals(_ value: Double, _ count: Int) -> String {
  guard value.isFinite, abs(value) < 1e12 else { return "-" }
  let scale = (0..<count).reduce(1) { product, _ in product * 10 }
  let scaled = Int64((value * Double(scale)).rounded())
  let sign = scaled < 0 ? "-" : ""
  let whole = scaled.magnitude / UInt64(scale)
  guard count > 0 else { return "\(sign)\(whole)" }
  let fraction = String(scaled.magnitude % UInt64(scale))
  return "\(sign)\(whole).\(String(repeating: "0", count: count - fraction.count))\(fraction)"
}

/// A span for people: `0.21 s`, `30 s`.
func seconds(_ duration: Duration) -> String {
  let value = duration.inSeconds
  return value == value.rounded() ? "\(decimals(value, 0)) s" : "\(decimals(value, 2)) s"
}

/// A measured span for people: `0.21 s`, `0.004 s`.
func measured(_ duration: Duration) -> String {
  let value = duration.inSeconds
  return "\(decimals(value, value < 0.1 ? 3 : 2)) s"
}

/// A round trip for people: `0.6 ms`, `48 ms`.
func milliseconds(_ duration: Duration) -> String {
  let value = duration.inSeconds * 1000
  return "\(decimals(value, value < 10 ? 1 : 0)) ms"
}

/// Shows a bounded text of a peer without letting it drive the terminal.
func shown(_ text: String) -> String { text.shown() }
