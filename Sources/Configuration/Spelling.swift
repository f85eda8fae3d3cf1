/// Text from outside made safe for one line of a message: control characters are shown as escapes, and what
/// is too long is cut. A pasted argument must not be able to drive the terminal or the journal.
func printable(_ text: String, maximumScalars: Int = 120) -> String {
  var result = ""
  var count = 0
  for scalar in text.unicodeScalars {
    if count == maximumScalars { return result + "…" }
    count += 1
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
      result += "\\u{\(String(scalar.value, radix: 16))}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// The candidate that a mistyped word was most likely meant to be, or nil when none is near.
///
/// Near is: a beginning of the candidate of at least three letters, or at most one slip (letter missing, added,
/// wrong, or two swapped) for each three letters, the last three begun.
func nearest(to word: String, among candidates: [String]) -> String? {
  guard word.utf8.count <= 64 else { return nil }
  var best: (candidate: String, distance: Int)?
  for candidate in candidates {
    let isBeginning = word.utf8.count >= 3 && candidate.hasPrefix(word)
    let distance = isBeginning ? 1 : editDistance(Array(word.utf8), Array(candidate.utf8))
    let allowed = max(1, (min(word.utf8.count, candidate.utf8.count) + 1) / 3)
    guard distance <= allowed, distance < best?.distance ?? .max else { continue }
    best = (candidate, distance)
  }
  return best?.candidate
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
  for i in 0...a.count { rows[i][0] = i }
  for j in 0...b.count { rows[0][j] = j }
  guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
  for i in 1...a.count {
    for j in 1...b.count {
      let change = a[i - 1] == b[j - 1] ? 0 : 1
      rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + change)
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
        rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
      }
    }
  }
  return rows[a.count][b.count]
}

/// The text without spaces and tabs at either end.
func trimmed(_ text: some StringProtocol) -> String {
  let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
  var rest = text.drop(while: isSpace)
  while let last = rest.last, isSpace(last) { rest.removeLast() }
  return String(rest)
}

/// Words joined for a sentence: "a, b or c".
func alternatives(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}
