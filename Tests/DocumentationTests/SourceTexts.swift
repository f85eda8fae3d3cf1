import Foundation

/// The texts that the programs can print: the constant parts of all string literals of `Sources`, where a `\(…)` or the end of a literal
/// divides. Literals that are joined by `+` count as one.
struct SourceTexts {
  private var parts: Set<[UInt8]> = []
  /// By first byte, the longest first.
  private var byFirst: [UInt8: [[UInt8]]] = [:]

  static let all: SourceTexts = {
    var texts = SourceTexts()
    let sources = Document.root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)?.allObjects as? [String] ?? []
    for file in files where file.hasSuffix(".swift") && !file.contains("Generated/") {
      guard let source = try? Data(contentsOf: sources.appendingPathComponent(file)) else { continue }
      texts.read(Array(source))
    }
    for part in texts.parts { texts.byFirst[part[0], default: []].append(part) }
    for first in texts.byFirst.keys { texts.byFirst[first]?.sort { $0.count > $1.count } }
    return texts
  }()

  private mutating func add(_ part: inout [UInt8]) {
    defer { part = [] }
    // Single letters would spell anything.
    let isWord = part.contains { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    if part.count >= (isWord ? 3 : 1) { parts.insert(part) }
  }

  private mutating func read(_ source: [UInt8]) {
    var part: [UInt8] = []
    var index = 0
    /// Parentheses that are open in each interpolation around the present place.
    var depths: [Int] = []
    var isInLiteral = false
    func at(_ offset: Int) -> UInt8 { index + offset < source.count ? source[index + offset] : 0 }
    while index < source.count {
      let byte = source[index]
      if isInLiteral {
        switch byte {
        case UInt8(ascii: "\\"):
          switch at(1) {
          case UInt8(ascii: "("):
            add(&part)
            depths.append(1)
            isInLiteral = false
          case UInt8(ascii: "n"): add(&part)
          default: part.append(at(1))
          }
          index += 1
        case UInt8(ascii: "\""):
          isInLiteral = false
          if let next = joined(source, after: index) {
            index = next
            isInLiteral = true
          } else {
            add(&part)
          }
        default: part.append(byte)
        }
      } else {
        switch byte {
        case UInt8(ascii: "/") where at(1) == byte && depths.isEmpty:
          while index < source.count, source[index] != 0x0A { index += 1 }
        case UInt8(ascii: "\"") where at(1) == byte && at(2) == byte: index += 2
        case UInt8(ascii: "\""): isInLiteral = true
        case UInt8(ascii: "("): if !depths.isEmpty { depths[depths.count - 1] += 1 }
        case UInt8(ascii: ")"):
          if let depth = depths.last {
            depths[depths.count - 1] = depth - 1
            if depth == 1 {
              depths.removeLast()
              isInLiteral = true
            }
          }
        default: break
        }
      }
      index += 1
    }
  }

  /// The opening quote of a literal that is added to the one that ends here, if there is one.
  private func joined(_ source: [UInt8], after end: Int) -> Int? {
    var index = end + 1
    var hasPlus = false
    while index < source.count {
      switch source[index] {
      case 0x20, 0x0A: break
      case UInt8(ascii: "+") where !hasPlus: hasPlus = true
      case UInt8(ascii: "\"") where hasPlus: return index
      default: return nil
      }
      index += 1
    }
    return nil
  }

  /// Whether the text is made of whole constant parts and `…` for what varies.
  func explains(_ message: String) -> Bool {
    let text = Array(message.utf8)
    let ellipsis = Array("…".utf8)
    var dead: Set<Int> = []
    func matches(from index: Int) -> Bool {
      if index == text.count { return true }
      guard !dead.contains(index) else { return false }
      if text[index...].starts(with: ellipsis), matches(from: index + ellipsis.count) { return true }
      for part in byFirst[text[index]] ?? [] where text[index...].starts(with: part) {
        if matches(from: index + part.count) { return true }
      }
      dead.insert(index)
      return false
    }
    return matches(from: 0)
  }
}
