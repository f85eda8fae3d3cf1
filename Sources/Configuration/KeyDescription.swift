/// What documents say of one key of a configuration file.
public struct KeyDescription: Equatable, Sendable {
  public var name: String
  /// One sentence.
  public var meaning: String
  public var validValues: String
  /// The unit of a bare number.
  public var unit: String?
  /// Whether several values are separated by commas.
  public var isList: Bool
  public var defaultText: String
  /// Why a change waits for the next start; nil for what a reload takes over in flight.
  public var needsRestart: String?
}

extension NavigatorConfiguration {
  /// All keys of `drone-navigator.conf`, in the order of the sample file.
  public static var keyDescriptions: [KeyDescription] {
    keys.map { key in
      KeyDescription(
        name: key.name, meaning: key.meaning, validValues: key.validValues, unit: key.unit,
        isList: key.isList,
        defaultText: key.defaultText, needsRestart: key.needsRestart)
    }
  }
}
