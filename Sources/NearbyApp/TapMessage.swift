import JSONText

/// What two players tell each other: `{"code":0,"count":n}` while they play, with code 1 when their time is over.
///
/// A count of 0 while playing says "ready for a round".
public struct TapMessage: Equatable, Sendable {
  public enum Code: Int64, Equatable, Sendable {
    case playing = 0
    case finished = 1
  }

  public var code: Code
  public var count: Int

  /// More presses than this are nobody's in half a minute.
  public static let maximumCount = 100_000
  static let maximumBytes = 256

  public init(_ code: Code, count: Int) {
    self.code = code
    self.count = count
  }

  public var encoded: [UInt8] {
    (["code": .integer(code.rawValue), "count": .integer(Int64(count))] as JSON).utf8
  }

  /// - Returns: nil for what is no such message; further members are for later versions.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maximumBytes, let json = try? JSON.parse(bytes),
      let code = json["code"]?.integer.flatMap(Code.init), let count = json["count"]?.integer,
      (0...Int64(Self.maximumCount)).contains(count)
    else { return nil }
    self.init(code, count: Int(count))
  }
}
