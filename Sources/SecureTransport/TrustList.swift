public import PeerProtocol

/// A line of the trust file that means nothing.
public struct TrustProblem: Equatable, Sendable, CustomStringConvertible {
  public let path: String
  /// Counted from 1.
  public let line: Int
  public let reason: String

  public var description: String { "\(path):\(line): \(reason)" }
}

/// Whom this program trusts: the content of a trust file at one moment.
///
/// One peer a line, as with SSH: 64 hexadecimal digits, white space, a name for people. Empty lines and lines that begin
/// with `#` are comments. A bad line is reported and skipped; the others count.
public struct TrustList: Equatable, Sendable {
  public struct Peer: Equatable, Sendable {
    public let id: PeerID
    public let name: String
  }

  /// In the order of the file, each peer once.
  public private(set) var peers: [Peer] = []
  public private(set) var problems: [TrustProblem] = []
  private var names: [PeerID: String] = [:]

  /// Nobody.
  public init() {}

  /// - Parameter path: where the text is from, for the problems.
  public init(text: [UInt8], path: String) {
    for (index, line) in TrustList.lines(text).enumerated() {
      switch TrustList.content(of: line) {
      case .comment: continue
      case .bad(let reason):
        problems.append(TrustProblem(path: path, line: index + 1, reason: reason))
      case .peer(let peer):
        if names[peer.id] == nil {
          names[peer.id] = peer.name
          peers.append(peer)
        } else {
          problems.append(
            TrustProblem(path: path, line: index + 1, reason: "peer \(peer.id.short).. is listed twice"))
        }
      }
    }
  }

  public func contains(_ id: PeerID) -> Bool { names[id] != nil }

  /// The name in the file, or nil for a peer that is not trusted.
  public func name(of id: PeerID) -> String? { names[id] }

  /// Names that several identities have.
  public var sharedNames: [String] {
    var seen: Set<String> = []
    var shared: [String] = []
    for peer in peers where !seen.insert(peer.name).inserted && !shared.contains(peer.name) {
      shared.append(peer.name)
    }
    return shared
  }

  /// A trusted peer that has this name and another identity: people would take one for the other.
  public func namesake(of name: String, otherThan id: PeerID) -> Peer? {
    peers.first { $0.name == name && $0.id != id }
  }

  /// The text with one more peer, or with a new name for one that is there; everything else stays as it is.
  static func adding(_ peer: Peer, to text: [UInt8]) -> [UInt8] {
    let newLine = Array("\(peer.id.hex) \(peer.name)".utf8)
    var isThere = false
    var lines: [[UInt8]] = []
    for line in TrustList.lines(text) {
      guard TrustList.id(in: line) == peer.id else {
        lines.append(line)
        continue
      }
      if !isThere { lines.append(newLine) }
      isThere = true
    }
    if !isThere { lines.append(newLine) }
    return joined(lines)
  }

  /// The text without a peer, nil when it is not there.
  static func removing(_ id: PeerID, from text: [UInt8]) -> [UInt8]? {
    let lines = TrustList.lines(text)
    let kept = lines.filter { TrustList.id(in: $0) != id }
    return kept.count == lines.count ? nil : joined(kept)
  }

  private enum Content {
    case comment
    case peer(Peer)
    case bad(String)
  }

  private static func lines(_ text: [UInt8]) -> [[UInt8]] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func joined(_ lines: [[UInt8]]) -> [UInt8] {
    lines.flatMap { $0 + [UInt8(ascii: "\n")] }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private static func id(in line: [UInt8]) -> PeerID? {
    switch content(of: line) {
    case .peer(let peer): peer.id
    case .comment, .bad: nil
    }
  }

  private static func content(of line: [UInt8]) -> Content {
    let text = line.drop(while: isSpace)
    guard let first = text.first, first != UInt8(ascii: "#") else { return .comment }
    let digits = text.prefix { !isSpace($0) }
    guard let id = PeerID(hex: String(decoding: digits, as: UTF8.self)) else {
      return .bad("expected 64 hexadecimal digits and a name")
    }
    let name = sanitizedPeerName(String(decoding: text[digits.endIndex...], as: UTF8.self))
    return .peer(Peer(id: id, name: name))
  }
}
