import Glibc
import Synchronization

/// A leveled log with constant, dotted field names; passed in, never made inside a library.
public struct Logger: Sendable {
  /// Severity, most severe first; the raw value is the syslog priority (RFC 5424, section 6.2.1).
  public enum Level: Int, Comparable, CaseIterable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    /// The name used on the command line and in the configuration file.
    public var name: String { "\(self)" }

    public init?(name: String) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }
  }

  /// One line of the log before it is formatted.
  public struct Record: Sendable {
    public let level: Level
    public let message: String
    public let fields: [(key: String, value: String)]

    public init(level: Level, message: String, fields: [(key: String, value: String)]) {
      self.level = level
      self.message = message
      self.fields = fields
    }
  }

  /// The least severe level that is written.
  public var level: Level { Level(rawValue: threshold.value.load(ordering: .relaxed)) ?? .notice }
  private let threshold: Threshold
  private let sink: @Sendable (Record) -> Void

  public init(level: Level, sink: @escaping @Sendable (Record) -> Void) {
    threshold = Threshold(level)
    self.sink = sink
  }

  /// Changes the level of this logger and of all its copies, wherever they were passed.
  public func setLevel(_ level: Level) { threshold.value.store(level.rawValue, ordering: .relaxed) }

  private final class Threshold: Sendable {
    let value: Atomic<Int>

    init(_ level: Level) { value = Atomic(level.rawValue) }
  }

  public func error(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]) {
    log(.error, message, fields)
  }
  public func warning(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]) {
    log(.warning, message, fields)
  }
  public func notice(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]) {
    log(.notice, message, fields)
  }
  public func info(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]) {
    log(.info, message, fields)
  }
  public func debug(_ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]) {
    log(.debug, message, fields)
  }

  private func log(_ level: Level, _ message: () -> String, _ fields: KeyValuePairs<String, String>) {
    guard level.rawValue <= threshold.value.load(ordering: .relaxed) else { return }
    sink(Record(level: level, message: message(), fields: fields.map { (key: $0.key, value: $0.value) }))
  }

  /// Writes to standard error, one line a record; under systemd with the priority prefix that the journal reads
  /// (`sd-daemon(3)`), else with the level in words. Lines that repeat become counts, see `LogThrottle`.
  ///
  /// - Parameter journal: asked first for each record; true when it took it, so that it is not written.
  public static func standardError(
    program: String, level: Level, journal: (@Sendable (Record) -> Bool)? = nil
  ) -> Logger {
    let underJournal = getenv("JOURNAL_STREAM") != nil
    let throttle = ThrottledLines()
    return Logger(level: level) { record in
      for record in throttle.admit(record) { write(record) }
    }
    @Sendable func write(_ record: Record) {
      if let journal, journal(record) { return }
      var line = underJournal ? "<\(record.level.rawValue)>" : "\(program): "
      if !underJournal, record.level <= .warning { line += "\(record.level.name): " }
      line += record.message.escapingControlCharacters
      for field in record.fields { line += " \(field.key)=\(field.value.escapingControlCharacters)" }
      line += "\n"
      // One write a line, so that lines of two processes do not mix; nothing useful can be done if it fails.
      _ = line.withUTF8 { Glibc.write(2, $0.baseAddress, $0.count) }
    }
  }

  /// Several threads log.
  private final class ThrottledLines: Sendable {
    private let throttle = Mutex(LogThrottle())

    func admit(_ record: Record) -> [Record] { throttle.withLock { $0.admit(record, at: .now) } }
  }

  /// Discards everything.
  public static let silent = Logger(level: .error) { _ in }
}

extension String {
  /// Shows control characters and whatever else `shown` writes out, instead of letting a peer's text drive the terminal or the journal; the length
  /// stays as it is.
  public var escapingControlCharacters: String {
    // Most text is plain, and every record of a log comes by here.
    utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? self : shown(maximumScalars: .max)
  }
}
