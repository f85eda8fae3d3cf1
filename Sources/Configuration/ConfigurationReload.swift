/// What reading the configuration again comes to: all of the changes, or none.
public enum ConfigurationReload: Equatable, Sendable {
  public struct Change: Equatable, Sendable, CustomStringConvertible {
    public var key: String
    /// As a file would say it; empty for an empty list.
    public var old: String
    public var new: String

    public init(key: String, old: String, new: String) {
      self.key = key
      self.old = old
      self.new = new
    }

    public var description: String { "\(key) = \(new) (was \(old))" }
  }

  case unchanged
  /// Every key that differs may change while a vehicle flies.
  case changed(NavigatorConfiguration, [Change])
  /// The one in force stays: something is wrong with the new one, or a key of it waits for a restart.
  case refused(ConfigurationError)
}

extension NavigatorConfiguration {
  /// Decides what a new content of the file means for a running program.
  ///
  /// - Parameters:
  ///   - file: name for messages and content; nil when there is no file now.
  ///   - overrides: what the command line of the running program said; it wins again.
  ///   - adjust: what the program changed after loading, such as the state directory that its service manager names.
  public func reload(
    file: (name: String, content: [UInt8])?, overrides: [(key: String, text: String)],
    adjust: (inout NavigatorConfiguration) -> Void = { _ in }
  ) -> ConfigurationReload {
    var new: NavigatorConfiguration
    let places: [String: String]
    do throws(ConfigurationError) {
      (new, places) = try NavigatorConfiguration.read(file: file, overrides: overrides, needsSerial: true)
    } catch {
      return .refused(error)
    }
    adjust(&new)
    var changes: [ConfigurationReload.Change] = []
    var problems: [ConfigurationProblem] = []
    for key in NavigatorConfiguration.keys {
      let (old, wanted) = (key.texts(self).joined(), key.texts(new).joined())
      guard old != wanted else { continue }
      guard let reason = key.needsRestart else {
        changes.append(ConfigurationReload.Change(key: key.name, old: old, new: wanted))
        continue
      }
      // A key that was taken out of the file has no line any more.
      let place = places[key.name] ?? printable(file?.name ?? NavigatorConfiguration.defaultPath)
      problems.append(
        ConfigurationProblem(
          place: place, key: key.name,
          message:
            "cannot become \(printable(wanted)) while running, \(reason): restart when the vehicle is on the ground, or set it back to \(printable(old))"
        ))
    }
    guard problems.isEmpty else { return .refused(ConfigurationError(problems: problems, omittedCount: 0)) }
    return changes.isEmpty ? .unchanged : .changed(new, changes)
  }
}

extension NavigatorConfiguration {
  /// Each key with its value as a file would say it, in the order of the sample file; an empty list has no value.
  public var texts: [(key: String, value: String)] {
    NavigatorConfiguration.keys.map { ($0.name, $0.texts(self).joined()) }
  }
}
