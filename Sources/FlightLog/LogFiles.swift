import Glibc

/// The files of a rotating log: `PATH`, and the older `PATH.1`, `PATH.2` and so on; `NAME.tlog`, `NAME.1.tlog` where programs go by
/// the end of the name.
public struct LogFiles: Equatable, Sendable {
  public static let defaultName = "drone-navigator.log"

  public var path: String
  /// A line that would exceed this goes to a new file.
  public var maximumFileBytes: Int
  /// All files together, the current one included.
  public var maximumFileCount: Int

  public init(path: String, maximumFileBytes: Int, maximumFileCount: Int) {
    precondition(maximumFileBytes > 0 && maximumFileCount > 0)
    self.path = path
    self.maximumFileBytes = maximumFileBytes
    self.maximumFileCount = maximumFileCount
  }

  /// Whether a new file is due before `lineBytes` more; an empty file takes a line of any length.
  func needsRotation(fileBytes: Int, lineBytes: Int) -> Bool {
    fileBytes > 0 && fileBytes + lineBytes > maximumFileBytes
  }

  func name(_ index: Int) -> String {
    if index == 0 { return path }
    let end = TelemetryLogWriter.nameEnd
    return path.hasSuffix(end) ? "\(path.dropLast(end.count)).\(index)\(end)" : "\(path).\(index)"
  }

  /// The renames of a rotation, in order; each replaces its target, so the oldest file ends. With one file only it
  /// moves to `.1`, which the writer removes.
  var renames: [(from: String, to: String)] {
    stride(from: max(0, maximumFileCount - 2), through: 0, by: -1).map { (name($0), name($0 + 1)) }
  }

  /// What is there now, the older files included.
  public var usage: (bytes: Int, files: Int) {
    var (bytes, files) = (0, 0)
    for index in 0..<maximumFileCount {
      var status = stat()
      guard stat(name(index), &status) == 0 else { continue }
      bytes += Int(status.st_size)
      files += 1
    }
    return (bytes, files)
  }
}
