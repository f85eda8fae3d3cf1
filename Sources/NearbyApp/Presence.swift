import Configuration

/// Own name and visibility: what others see of us.
public struct Presence: Equatable, Sendable {
  public private(set) var name: String
  public private(set) var isVisible: Bool

  public init(name: String, isVisible: Bool) {
    self.name = name
    self.isVisible = isVisible
  }

  public enum OnRename: Equatable, Sendable {
    case renamed
    case unchanged
    /// Peers know us by the old name.
    case refusedWhileConnected
    case invalid(String)
  }

  /// The name changes only while nothing is connected or on its way to be.
  public mutating func rename(to newName: String, isAnyConnected: Bool) -> OnRename {
    do {
      let checked = try ValueType<String>.displayName.parse(newName)
      if checked == name { return .unchanged }
      guard !isAnyConnected else { return .refusedWhileConnected }
      name = checked
      return .renamed
    } catch {
      return .invalid(
        "the name \(error.problem); valid: \(ValueType<String>.displayName.validValues)")
    }
  }

  /// - Returns: whether that is a change.
  public mutating func setVisible(_ visible: Bool) -> Bool {
    defer { isVisible = visible }
    return visible != isVisible
  }
}
