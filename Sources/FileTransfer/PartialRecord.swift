import SecureTransport

/// What stands in the file beside an incomplete transfer.
///
/// The file lies in a folder that only its owner can write, and is read as if a stranger had written it: every line in its place and in its one
/// form, or it does not count and the transfer starts over.
struct PartialRecord: Equatable, Sendable {
  static let maximumBytes = 2048
  /// As long as every other, so that it can change in place.
  static let unknownBootID = "00000000-0000-0000-0000-000000000000"
  /// In place of a start of the system: everything of the part had reached the disk when it was put aside, so every start finds it whole.
  static let settledBootID = "ffffffff-ffff-ffff-ffff-ffffffffffff"
  private static let magic = "incomplete transfer 1"

  /// Which start of the system wrote it (`/proc/sys/kernel/random/boot_id`). While a part grows nothing of it is forced to the disk: after
  /// a power loss there may be names without content.
  var bootID: String
  var content: ReceivingTerms.Content
  /// Of sender and content key, 32 bytes: who offered what, as far as they say.
  var originDigest: [UInt8]
  var name: SafeFileName

  init(bootID: String, terms: ReceivingTerms) {
    self.bootID = bootID
    content = terms.content
    originDigest = sha256(sha256(terms.sender) + sha256(terms.contentKey))
    name = SafeFileName(ofFile: terms.name)
  }

  /// The same offer of the same peer, so that its part can be used again.
  func matches(_ terms: ReceivingTerms) -> Bool {
    let other = PartialRecord(bootID: bootID, terms: terms)
    return content == other.content && originDigest == other.originDigest && name == other.name
  }

  /// What its files are called by: 32 hexadecimal digits that say nothing of the peer's words.
  static func key(for terms: ReceivingTerms) -> String {
    let whole = PartialRecord(bootID: unknownBootID, terms: terms).encoded()
    return hex(sha256(whole).prefix(16))
  }

  static func isKey(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { digitValue($0) != nil }
  }

  static func isBootID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == unknownBootID.utf8.count
      && text.utf8.allSatisfy { digitValue($0) != nil || $0 == UInt8(ascii: "-") }
  }

  func encoded() -> [UInt8] {
    let contentText =
      switch content {
      case .file(let size, let modified): "file \(size) \(modified.map(String.init) ?? "-")"
      case .folder(let count, let size): "folder \(count) \(size)"
      }
    let lines = [
      Self.magic, "boot \(bootID)", "content \(contentText)", "origin \(Self.hex(originDigest[...]))",
      "name \(name)",
    ]
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// - Returns: nil for everything that `encoded` does not give.
  init?(decoding bytes: [UInt8]) {
    guard bytes.count <= Self.maximumBytes, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 6, lines[0] == Self.magic, lines[5].isEmpty,
      let bootWords = Self.words(lines[1], after: "boot"),
      let contentWords = Self.words(lines[2], after: "content"),
      let originWords = Self.words(lines[3], after: "origin"), lines[4].hasPrefix("name "),
      bootWords.count == 1, Self.isBootID(bootWords[0]), let content = Self.content(contentWords),
      originWords.count == 1, let origin = Self.bytes(originWords[0])
    else { return nil }
    let nameText = lines[4].dropFirst("name ".count)
    guard SafeFileName.isSafe(String(nameText)) else { return nil }
    bootID = String(bootWords[0])
    self.content = content
    originDigest = origin
    name = SafeFileName(component: nameText.utf8)
    // Numbers have other forms, such as a leading zero: one record has one text.
    guard encoded() == bytes else { return nil }
  }

  private static func words(_ line: Substring, after key: String) -> [Substring]? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    return words.first.map { $0 == key } == true ? Array(words.dropFirst()) : nil
  }

  private static func content(_ words: [Substring]) -> ReceivingTerms.Content? {
    guard words.count == 3 else { return nil }
    if words[0] == "file", let size = UInt64(words[1]) {
      if words[2] == "-" { return .file(sizeBytes: size, modifiedAtUnixSeconds: nil) }
      return Int64(words[2]).map { .file(sizeBytes: size, modifiedAtUnixSeconds: $0) }
    }
    if words[0] == "folder", let count = UInt32(words[1]), let size = UInt64(words[2]) {
      return .folder(entryCount: count, sizeBytes: size)
    }
    return nil
  }

  private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func digitValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    let values = text.utf8.compactMap(digitValue)
    guard text.utf8.count == 64, values.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
