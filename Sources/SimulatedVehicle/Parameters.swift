import MAVLink

/// The parameters that the simulation knows, in a fixed order, as they survive a restart.
struct Parameters: Sendable {
  struct Entry: Sendable {
    let name: String
    let type: ParameterType
    var value: Float
  }

  private(set) var entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  subscript(name: String) -> Float? { entries.first { $0.name == name }?.value }

  func index(of name: String) -> Int? { entries.firstIndex { $0.name == name } }

  /// The message that tells one parameter; nil when there is none at `index`.
  func message(at index: Int) -> ParamValue? {
    guard entries.indices.contains(index) else { return nil }
    let entry = entries[index]
    return ParamValue(
      paramId: FixedText(entry.name), paramValue: entry.value, paramType: entry.type,
      paramCount: UInt16(entries.count), paramIndex: UInt16(index))
  }

  /// Stores a value as its type can hold it. A value that is no number changes nothing.
  mutating func set(_ value: Float, at index: Int) {
    guard value.isFinite else { return }
    switch entries[index].type {
    case .int8: entries[index].value = Float(Int8(clamping: Int(nearestTo: value)))
    case .int16: entries[index].value = Float(Int16(clamping: Int(nearestTo: value)))
    case .int32: entries[index].value = Float(Int32(clamping: Int(nearestTo: value)))
    default: entries[index].value = value
    }
  }
}

extension Int {
  /// The nearest integer, kept within what 32 bits hold.
  fileprivate init(nearestTo value: Float) {
    self = Int(Swift.min(2_147_483_647, Swift.max(-2_147_483_648, Double(value).rounded())))
  }
}
