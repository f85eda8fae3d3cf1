/// One key of a configuration file: its description drives parser, printer, sample file and options.
struct Key<Target>: Sendable {
  let name: String
  /// One sentence.
  let meaning: String
  let unit: String?
  let validValues: String
  let isList: Bool
  /// Why a change waits for the next start; nil for what may change in flight.
  let needsRestart: String?
  let valueName: String
  let defaultText: String
  /// Sets the value, or adds one to a list.
  let set: @Sendable (inout Target, String) throws(InvalidValue) -> Void
  /// Empties a list before the command line replaces it; nothing for a single value.
  let clear: @Sendable (inout Target) -> Void
  /// The value as text; no line for an empty list.
  let texts: @Sendable (Target) -> [String]

  /// The key as an option of the command line.
  var option: Option { Option(name, valueName, help: meaning, defaultText: defaultText, mayRepeat: isList) }
}

extension Key where Target == NavigatorConfiguration {
  init<Value>(
    _ name: String, _ path: any WritableKeyPath<Target, Value> & Sendable, _ type: ValueType<Value>,
    meaning: String, needsRestart: String? = nil
  ) {
    self.init(
      name: name, meaning: meaning, unit: type.unit, validValues: type.validValues, isList: false,
      needsRestart: needsRestart,
      valueName: type.name, defaultText: type.text(Target()[keyPath: path]),
      set: { (target, text) throws(InvalidValue) in target[keyPath: path] = try type.parse(text) },
      clear: { _ in },
      texts: { [type.text($0[keyPath: path])] })
  }

  /// A value that may be absent, written as `none`.
  init<Value>(
    _ name: String, _ path: any WritableKeyPath<Target, Value?> & Sendable, _ type: ValueType<Value>,
    orNone none: String, meaning: String, needsRestart: String? = nil
  ) {
    self.init(name, path, type.orNone(none), meaning: meaning, needsRestart: needsRestart)
  }

  /// A list is bounded to 32 values.
  init<Value>(
    list name: String, _ path: any WritableKeyPath<Target, [Value]> & Sendable, _ type: ValueType<Value>,
    meaning: String, needsRestart: String? = nil
  ) {
    self.init(
      name: name, meaning: meaning, unit: type.unit, validValues: type.validValues, isList: true,
      needsRestart: needsRestart,
      valueName: type.name, defaultText: "none",
      set: { (target, text) throws(InvalidValue) in
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
          guard target[keyPath: path].count < 32 else { throw InvalidValue("has more than 32 values") }
          target[keyPath: path].append(try type.parse(trimmed(part)))
        }
      },
      clear: { $0[keyPath: path] = [] },
      texts: { target in
        let values = target[keyPath: path].map(type.text)
        return values.isEmpty ? [] : [values.joined(separator: ", ")]
      })
  }
}
