import ServiceRuntime

/// A name for one entry of a directory here, made from whatever a peer called it.
///
/// A peer's name is text to show, never a path. What can lead out of the directory, hide an entry, look like an option, drive a terminal, or
/// be too long for a file system is replaced or cut, so there is a safe name for every input; equal inputs give equal names.
public struct SafeFileName: Hashable, Sendable, CustomStringConvertible {
  /// What Linux file systems hold in one name (`NAME_MAX`).
  public static let maximumBytes = 255

  /// The UTF-8 of the name: 1 to 255 bytes without `/`, NUL and control characters; neither begins with a dot or a dash nor ends with a dot or a space.
  public let bytes: [UInt8]

  /// The name as text; safe to show.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The name of a file: only what follows the last slash counts, as a peer may send its whole path.
  public init(ofFile name: some Sequence<UInt8>, fallback: String = "file") {
    let parts = Array(name).split(separator: UInt8(ascii: "/"))
    self.init(component: parts.last ?? [], fallback: fallback)
  }

  /// The name of a file.
  public init(ofFile name: String, fallback: String = "file") {
    self.init(ofFile: name.utf8, fallback: fallback)
  }

  /// One component of a path inside a folder; a slash in it becomes `_`.
  public init(component: some Sequence<UInt8>, fallback: String = "file") {
    let cleaned = SafeFileName.cleaned(component)
    self.bytes = cleaned.isEmpty ? SafeFileName.cleaned(fallback.utf8) : cleaned
    precondition(!bytes.isEmpty, "the fallback is no name either")
  }

  private init(checked bytes: [UInt8]) { self.bytes = bytes }

  /// The same name with text before its extension: `report.pdf` and ` from Anna` give `report from Anna.pdf`. What is too long is cut from the name, not
  /// from the extension or the first 100 bytes of the text.
  ///
  /// - Parameter isFolder: a folder's name has no extension, so the text goes to its end.
  public func adding(_ text: String, isFolder: Bool = false) -> SafeFileName {
    let (stem, ending) = isFolder ? (bytes, []) : SafeFileName.split(bytes)
    // The text may be a label of a peer: as suspicious as a name.
    let suffix = SafeFileName.cut(Array(SafeFileName.replaced(text.utf8).utf8), to: 100)
    let room = SafeFileName.maximumBytes - ending.count - suffix.count
    return SafeFileName(
      checked: SafeFileName.trimmedAtEnd(SafeFileName.cut(stem, to: room) + suffix + ending))
  }

  /// Whether text is a name as this type makes them, unchanged.
  public static func isSafe(_ name: String) -> Bool {
    SafeFileName(component: name.utf8).bytes.elementsEqual(name.utf8)
  }

  // MARK: The rules

  private static func cleaned(_ name: some Sequence<UInt8>) -> [UInt8] {
    let text = replaced(name).drop { $0.isWhitespace }
    let bytes = trimmedAtEnd(Array(text.utf8))
    guard let first = bytes.first else { return [] }
    // A dot hides the entry, a dash looks like an option, a tilde like a home directory: all stay readable behind an underscore.
    let isGuarded = first == UInt8(ascii: ".") || first == UInt8(ascii: "-") || first == UInt8(ascii: "~")
    let guarded = isGuarded ? [UInt8(ascii: "_")] + bytes : bytes
    if guarded.count <= maximumBytes { return guarded }
    let (stem, ending) = split(guarded)
    return trimmedAtEnd(cut(stem, to: maximumBytes - ending.count) + ending)
  }

  /// Without dots and spaces at the end, which other systems drop, so that two names would be one there.
  private static func trimmedAtEnd(_ bytes: [UInt8]) -> [UInt8] {
    var text = Substring(String(decoding: bytes, as: UTF8.self))
    while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
    return Array(text.utf8)
  }

  /// Every scalar that has no place in a name becomes `_`; bytes that are not UTF-8 become `%ff`.
  private static func replaced(_ name: some Sequence<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var length = 0
    for part in UTF8Parts(name) {
      // What comes after four times the longest name cannot matter, but for the extension of an absurd name.
      length += 1
      if length > 4 * maximumBytes { break }
      switch part {
      case .scalar("/"), .scalar("\\"): text.append("_")
      case .scalar(let scalar) where scalar.isDeceptiveInNames: text.append("_")
      case .scalar(let scalar): text.append(scalar)
      case .invalid(let bytes):
        for byte in bytes {
          text.append(contentsOf: "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".unicodeScalars)
        }
      }
    }
    return String(text)
  }

  /// Parts a name before its extension, which is short, follows something, and may be double as in `.tar.gz`.
  private static func split(_ bytes: [UInt8]) -> (stem: [UInt8], ending: [UInt8]) {
    let dot = UInt8(ascii: ".")
    func isExtension(_ ending: ArraySlice<UInt8>) -> Bool {
      (2...17).contains(ending.count) && ending.dropFirst().allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
    guard let last = bytes.lastIndex(of: dot), last > 0, isExtension(bytes[last...]) else {
      return (bytes, [])
    }
    if let before = bytes[..<last].lastIndex(of: dot), before > 0,
      bytes[before..<last].elementsEqual(".tar".utf8)
    {
      return (Array(bytes[..<before]), Array(bytes[before...]))
    }
    return (Array(bytes[..<last]), Array(bytes[last...]))
  }

  /// At most so many bytes of valid UTF-8, without a part of a character unless the first one alone is too long.
  private static func cut(_ bytes: [UInt8], to maximum: Int) -> [UInt8] {
    if bytes.count <= maximum { return bytes }
    var kept: [UInt8] = []
    let text = String(decoding: bytes, as: UTF8.self)
    for character in text {
      if kept.count + character.utf8.count > maximum { break }
      kept += character.utf8
    }
    if kept.isEmpty {
      for scalar in text.unicodeScalars {
        let encoded = Array(String(scalar).utf8)
        if kept.count + encoded.count > maximum { break }
        kept += encoded
      }
    }
    return kept
  }
}
