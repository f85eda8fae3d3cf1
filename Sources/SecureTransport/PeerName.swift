/// Makes any text fit to be the name of a peer: one line, no control or invisible formatting characters, 1 to 63 bytes of UTF-8.
///
/// A name comes from another machine and ends on terminals and in files.
public func sanitizedPeerName(_ text: String) -> String {
  var kept = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
      continue
    case .spaceSeparator: if kept.last != " " && !kept.isEmpty { kept.append(" ") }
    default: kept.append(scalar)
    }
  }
  var name = ""
  for character in String(kept) {
    if name.utf8.count + character.utf8.count > 63 { break }
    name.append(character)
  }
  while name.last == " " { name.removeLast() }
  return name.isEmpty ? "unnamed" : name
}
