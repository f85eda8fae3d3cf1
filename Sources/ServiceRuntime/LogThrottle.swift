/// Keeps a log from being flooded: of one kind of line a few are written in each period, and the rest become a count.
///
/// A bad cable or a stranger must not fill a journal for years. Lines of one kind differ in numbers only. What is asked for in detail
/// (info, debug) is written as it comes.
public struct LogThrottle: Sendable {
  /// Lines of one kind that are written before they are counted.
  static let burst = 10
  static let period: Duration = .seconds(60)
  /// Kinds that are told apart; what is beyond shares one count, so that ever new texts are bounded as well.
  static let maximumKinds = 64

  private struct Kind: Sendable {
    var began: ContinuousClock.Instant
    var written = 0
    var suppressed = 0
    var last: Logger.Record?
  }

  private var kinds: [String: Kind] = [:]

  public init() {}

  /// The lines to write for a record, in order: counts that are due, and the record itself unless it is only counted.
  public mutating func admit(_ record: Logger.Record, at now: ContinuousClock.Instant) -> [Logger.Record] {
    var lines = due(at: now)
    guard record.level <= .notice else { return lines + [record] }
    var name = LogThrottle.kind(of: record)
    if kinds[name] == nil, kinds.count >= LogThrottle.maximumKinds { name = "" }
    var kind = kinds[name] ?? Kind(began: now)
    if kind.written < LogThrottle.burst {
      kind.written += 1
      lines.append(record)
    } else {
      kind.suppressed += 1
      kind.last = record
    }
    kinds[name] = kind
    return lines
  }

  /// The counts of the periods that are over; each carries the last line that it stands for.
  private mutating func due(at now: ContinuousClock.Instant) -> [Logger.Record] {
    var lines: [Logger.Record] = []
    for (name, kind) in kinds where kind.began.duration(to: now) >= LogThrottle.period {
      if let last = kind.last {
        let seconds = kind.began.duration(to: now).components.seconds
        let count = [
          (key: "log.repeated", value: "\(kind.suppressed)"), (key: "log.seconds", value: "\(seconds)"),
        ]
        lines.append(Logger.Record(level: last.level, message: last.message, fields: last.fields + count))
      }
      kinds[name] = nil
    }
    return lines
  }

  /// The text without its numbers: ports, counts and identities change from one line of a kind to the next.
  private static func kind(of record: Logger.Record) -> String {
    var result = "\(record.level.rawValue)"
    for text in [record.message] + record.fields.map(\.value) {
      result += "\u{0}"
      var word: [Character] = []
      func endWord() {
        let isNumber = word.contains { $0.isNumber } && word.allSatisfy(\.isHexDigit)
        result += isNumber ? "#" : String(word)
        word = []
      }
      for character in text.prefix(200) {
        if character.isLetter || character.isNumber {
          word.append(character)
        } else {
          endWord()
          result.append(character)
        }
      }
      endWord()
    }
    return result
  }
}
