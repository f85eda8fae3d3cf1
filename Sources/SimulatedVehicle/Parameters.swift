import MAVLink

/// The parameters that the simulation knows, in a fixed order, as they survive a restart.
struct Parameters: Sendable {
  struct Entry: Sendable {
    let name: String
    let type: ParameterType
    var value: Float
  }

  /// How an integer is put into the message's floating-point field (MAVLink parameter protocol, "Parameter encoding").
  enum Encoding: Sendable {
    /// As a number: ArduPilot.
    case value
    /// Its bytes: PX4.
    case bytes
  }

  private(set) var entries: [Entry]
  private let encoding: Encoding

  init(_ entries: [Entry], encoding: Encoding = .value) {
    self.entries = entries
    self.encoding = encoding
  }

  subscript(name: String) -> Float? { entries.first { $0.name == name }?.value }

  func index(of name: String) -> Int? { entries.firstIndex { $0.name == name } }

  /// The message that tells one parameter; nil when there is none at `index`.
  func message(at index: Int) -> ParamValue? {
    guard entries.indices.contains(index) else { return nil }
    let entry = entries[index]
    return ParamValue(
      paramId: FixedText(entry.name), paramValue: encoded(entry), paramType: entry.type,
      paramCount: UInt16(entries.count), paramIndex: UInt16(index))
  }

  private func encoded(_ entry: Entry) -> Float {
    switch (encoding, entry.type) {
    case (.bytes, .int8), (.bytes, .int16), (.bytes, .int32):
      Float(bitPattern: UInt32(bitPattern: Int32(entry.value)))
    default: entry.value
    }
  }

  /// Stores a value as its type can hold it. A value that is no number changes nothing.
  mutating func set(_ encoded: Float, at index: Int) {
    let value: Float =
      switch (encoding, entries[index].type) {
      case (.bytes, .int8), (.bytes, .int16), (.bytes, .int32):
        Float(Int32(bitPattern: encoded.bitPattern))
      default: encoded
      }
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
