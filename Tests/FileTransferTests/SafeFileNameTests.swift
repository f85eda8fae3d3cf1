import ServiceRuntime
import TestSupport
import Testing

@testable import FileTransfer

@Suite struct SafeFileNameTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let given: String
    let safe: String
    var testDescription: String { given.shown(maximumScalars: 40) }
    init(_ given: String, _ safe: String) {
      self.given = given
      self.safe = safe
    }
  }

  @Test(arguments: [
    Vector("report.pdf", "report.pdf"),
    Vector("Grüße 👩‍👩‍👧.txt", "Grüße 👩‍👩‍👧.txt"),
    Vector("/etc/passwd", "passwd"),
    Vector("../../.ssh/authorized_keys", "authorized_keys"),
    Vector("C:\\Users\\x.exe", "C:_Users_x.exe"),
    Vector("a/b/", "b"),
    Vector("", "file"),
    Vector("/", "file"),
    Vector(".", "file"),
    Vector("..", "file"),
    Vector("...", "file"),
    Vector("  . . ", "file"),
    Vector(".bashrc", "_.bashrc"),
    Vector("-rf", "_-rf"),
    Vector("~", "_~"),
    Vector("  indented", "indented"),
    Vector("trailing. . ", "trailing"),
    Vector("a\0b", "a_b"),
    Vector("a\nb\u{1b}[2J\u{9b}c", "a_b_[2J_c"),
    Vector("invoice\u{202e}fdp.exe", "invoice_fdp.exe"),
    Vector("zero\u{200b}width\u{feff}", "zero_width_"),
    Vector("line\u{2028}separator", "line_separator"),
  ]) func aFileNameBecomesSafe(vector: Vector) {
    let name = SafeFileName(ofFile: vector.given)
    #expect(name.bytes == Array(vector.safe.utf8))
    #expect(SafeFileName.isSafe(name.description))
  }

  @Test func bytesThatAreNoTextStayVisible() {
    #expect(SafeFileName(ofFile: [0x61, 0xFF, 0xC3, 0x62]).description == "a%ff%c3b")
    // An encoded surrogate, an overlong slash, and a sequence that ends too early.
    #expect(SafeFileName(ofFile: [0xED, 0xA0, 0x80]).description == "%ed%a0%80")
    #expect(SafeFileName(ofFile: [0xC0, 0xAF, 0xF0, 0x9F]).description == "%c0%af%f0%9f")
  }

  @Test func aSlashInsideAComponentDoesNotMakeTwo() {
    #expect(SafeFileName(component: "a/b".utf8).description == "a_b")
  }

  @Test func aLongNameKeepsItsExtensionAndWholeCharacters() {
    let family = "👨‍👩‍👧‍👦"
    let long = SafeFileName(ofFile: String(repeating: family, count: 40) + ".tar.gz")
    #expect(long.bytes.count <= 255)
    #expect(long.bytes.count > 255 - family.utf8.count)
    #expect(long.description.hasSuffix(family + ".tar.gz"))
    // One character of any length: its scalars are cut then.
    let zalgo = SafeFileName(ofFile: "a" + String(repeating: "\u{301}", count: 5000) + ".txt")
    #expect((200...255).contains(zalgo.bytes.count))
    #expect(String(validating: zalgo.bytes, as: UTF8.self) != nil)
    // What only looks like an extension is none.
    #expect(SafeFileName(ofFile: "a." + String(repeating: "b", count: 400)).bytes.count == 255)
  }

  @Test func textGoesBeforeTheExtension() {
    func adding(_ name: String, _ text: String, isFolder: Bool = false) -> String {
      SafeFileName(ofFile: name).adding(text, isFolder: isFolder).description
    }
    #expect(adding("report.pdf", " from Anna") == "report from Anna.pdf")
    #expect(adding("photos.2024", " from Anna", isFolder: true) == "photos.2024 from Anna")
    #expect(adding("x.tar.gz", " (2)") == "x (2).tar.gz")
    #expect(adding("README", " from Anna/../\u{1b}") == "README from Anna_.._" + "_")
    #expect(adding("README", " from A.") == "README from A")
    let long = SafeFileName(ofFile: String(repeating: "é", count: 300) + ".pdf").adding(" from Anna")
    #expect(long.bytes.count <= 255)
    #expect(long.description.hasSuffix("é from Anna.pdf"))
  }

  @Test(arguments: [
    ([".."], ReceivingError.PathFault.leavesFolder), (["a", "..", "b"], .leavesFolder),
    (["."], .leavesFolder),
    (["a/b"], .containsSlash), (["/etc"], .containsSlash), (["a", ""], .emptyComponent),
    ([], .emptyComponent),
    (["a\0"], .containsNul), (Array(repeating: "a", count: 65), .tooDeep),
    (Array(repeating: String(repeating: "a", count: 255), count: 17), .tooLong),
  ]) func aPathThatLeavesTheFolderIsRefused(path: [String], fault: ReceivingError.PathFault) {
    let error = #expect(throws: ReceivingError.self) { try SafeFolderPath(path) }
    guard case .unsafePath(_, fault) = error else {
      Issue.record("\(String(describing: error)) instead of \(fault)")
      return
    }
  }

  @Test func eachComponentOfAPathBecomesSafe() throws {
    let path = try SafeFolderPath([".git", "hooks ", "pre\ncommit"])
    #expect(path.description == "_.git/hooks/pre_commit")
  }

  @Test func noMutatedNameIsUnsafe() {
    var random = SplitMix64(seed: 20_261_130)
    let seeds = [
      "../../etc/passwd", ".ssh/id", "a\u{202e}b.tar.gz", "日本語.txt", "x\u{1b}]0;t\u{7}", "-rf --", "con . .",
      "é\u{301}",
    ]
    let pieces: [[UInt8]] = [
      [0], [0x2F], [0x2E], [0x2E, 0x2E, 0x2F], [0x20], [0xFF], [0xC3], [0xE2, 0x80, 0xAE], [0x1B], [0x7F],
      [0xC2, 0x85],
      [0xF0, 0x9F, 0x91], Array("\u{301}".utf8), Array(repeating: 0x61, count: 200), Array("\u{3000}".utf8),
    ]
    for _ in 0..<20_000 {
      var bytes = Array((seeds.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
        case 1 where place < bytes.count: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        default: if place < bytes.count { bytes.remove(at: place) }
        }
      }
      for name in [
        SafeFileName(ofFile: bytes), SafeFileName(component: bytes),
        SafeFileName(ofFile: bytes).adding(" from \(String(decoding: bytes, as: UTF8.self))"),
      ] {
        guard let text = String(validating: name.bytes, as: UTF8.self) else {
          Issue.record("not UTF-8: \(bytes)")
          return
        }
        let isSafe =
          (1...255).contains(name.bytes.count) && !text.utf8.contains(UInt8(ascii: "/"))
          && !text.unicodeScalars.contains { $0.isDeceptiveInNames } && !text.hasPrefix(".")
          && !text.hasPrefix("-")
          && !text.hasSuffix(".") && !text.hasSuffix(" ")
        // A name that was made safe stays as it is.
        guard isSafe, SafeFileName.isSafe(text), SafeFileName(ofFile: text).bytes == name.bytes else {
          Issue.record("\(bytes) became \(name.bytes)")
          return
        }
      }
    }
  }
}
