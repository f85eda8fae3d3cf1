import FileTransfer
import Glibc
import ServiceRuntime

/// A folder for received files with traps in it, and something outside that must not change.
struct Playground {
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  let base: String
  var folder: String { "\(base)/in" }
  private var outside: String { "\(base)/outside" }
  private let secret = Array("untouched".utf8)

  init(base: String) throws {
    self.base = base
    mkdir(outside, 0o700)
    try Files.replace("\(outside)/secret", with: secret, mode: 0o600)
  }

  /// Empties the folder and sets traps in the places of likely final names.
  func prepare() throws {
    Self.remove(folder)
    mkdir(folder, 0o755)
    symlink("\(outside)/secret", "\(folder)/a")
    symlink(outside, "\(folder)/b")
    symlink("\(outside)/new", "\(folder)/c.txt")
    try Files.replace("\(folder)/d", with: secret, mode: 0o644)
  }

  /// - Throws: what is not as it must be.
  func check() throws {
    guard try Self.names(outside) == ["secret"] else {
      throw Fault(description: "something was made outside")
    }
    guard try Files.read("\(outside)/secret", maximumBytes: 100) == secret else {
      throw Fault(description: "the secret changed")
    }
    guard try Files.read("\(folder)/d", maximumBytes: 100) == secret else {
      throw Fault(description: "a file was replaced")
    }
    for name in ["a", "b", "c.txt"] {
      var information = stat()
      guard lstat("\(folder)/\(name)", &information) == 0, information.st_mode & S_IFMT == S_IFLNK else {
        throw Fault(description: "the link \(name) was replaced")
      }
    }
    guard try Self.names(base) == ["in", "outside"] else {
      throw Fault(description: "something was made beside the folder")
    }
    for name in try Self.names(folder) where name != ".partial" {
      guard !name.hasPrefix("."), !name.hasPrefix("-"),
        name.shown(maximumScalars: .max) == name || name.utf8.count > 8
      else {
        throw Fault(description: "a bad name: \(name.shown())")
      }
    }
  }

  func partialNames() throws -> [String] { try Self.names("\(folder)/.partial") }

  func removeAll() { Self.remove(base) }

  static func names(_ path: String) throws -> [String] {
    guard let directory = opendir(path) else { throw SystemError.current("list \(path)") }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func remove(_ path: String) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return }
    guard information.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for name in (try? names(path)) ?? [] { remove("\(path)/\(name)") }
    rmdir(path)
  }
}

struct Tally {
  var finished = 0
  var refused = 0
  var resumed = 0
}

/// SplitMix64: an input depends on the seed and its own number only, so a failing one can be made again.
struct Random {
  var state: UInt64

  mutating func next(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (value ^ (value >> 31)) % UInt64(bound))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }
}
