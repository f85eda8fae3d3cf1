import FileTransfer
import Glibc
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

/// A folder for received files, and a peer that sends to it.
struct ReceiverBench {
  let directory: TemporaryDirectory
  var path: String { directory.path }

  init() throws { directory = try TemporaryDirectory() }

  func folder(_ change: (inout ReceivingPolicy) -> Void = { _ in }) throws -> ReceivedFolder {
    var policy = ReceivingPolicy()
    policy.reserveBytes = 0
    change(&policy)
    return try ReceivedFolder(path: path, policy: policy)
  }

  static func file(_ name: String, _ size: Int, modified: Int64? = 1_700_000_000, from sender: UInt8 = 1)
    -> ReceivingTerms
  {
    ReceivingTerms(
      sender: Array(repeating: sender, count: 32), senderName: "Anna", name: name,
      content: .file(sizeBytes: UInt64(size), modifiedAtUnixSeconds: modified))
  }

  static func folder(_ name: String, entries: UInt32, bytes: Int, key: [UInt8] = [1]) -> ReceivingTerms {
    ReceivingTerms(
      sender: Array(repeating: 1, count: 32), senderName: "Anna", name: name,
      content: .folder(entryCount: entries, sizeBytes: UInt64(bytes)), contentKey: key)
  }

  /// What is there besides the private folder.
  func visibleNames() throws -> [String] { try names(in: path).filter { $0 != ".partial" } }

  func partialNames() throws -> [String] { try names(in: "\(path)/.partial") }

  func content(_ name: String) throws -> [UInt8] { try Files.read("\(path)/\(name)", maximumBytes: 1 << 26) }
}

func names(in path: String) throws -> [String] {
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

func write(_ bytes: [UInt8], to path: String) throws { try Files.replace(path, with: bytes, mode: 0o644) }

func pattern(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
  var random = SplitMix64(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
}

extension TransferSink {
  func write(_ bytes: some Collection<UInt8>) throws {
    try Array(bytes).withUnsafeBytes { try write($0) }
  }

  /// Sends one whole file entry.
  func send(_ path: [String], _ bytes: [UInt8], index: UInt32, isExecutable: Bool = false) throws {
    let entry = try #require(
      TransferEntry(
        path: path, kind: .file(sizeBytes: UInt64(bytes.count), isExecutable: isExecutable),
        modifiedAtUnixSeconds: 1_700_000_000))
    try begin(entry, index: index, at: 0)
    try write(bytes)
    try complete()
  }

  func sendFolder(_ path: [String], index: UInt32) throws {
    try begin(try #require(TransferEntry(path: path, kind: .folder)), index: index, at: 0)
    try complete()
  }

  func readBack(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var offset = 0
    while offset < count {
      let got = try bytes.withUnsafeMutableBytes {
        try readBack(at: UInt64(offset), into: UnsafeMutableRawBufferPointer(rebasing: $0[offset...]))
      }
      if got == 0 { break }
      offset += got
    }
    return Array(bytes[..<offset])
  }
}

/// Moves everything from a source to a sink, as a connection does, and stops after so many bytes.
///
/// - Returns: whether it came to the end.
func transfer(from source: any TransferSource, to sink: any TransferSink, stoppingAfter limit: Int = .max)
  throws -> Bool
{
  let start = try sink.position()
  var index = start.entryIndex
  var offset = start.offsetBytes
  var left = limit
  var buffer = [UInt8](repeating: 0, count: 10_007)
  while let entry = try source.open(entry: index) {
    var skipped: UInt64 = 0
    while skipped < offset {
      let most = min(UInt64(buffer.count), offset - skipped)
      let count = try buffer.withUnsafeMutableBytes {
        try source.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<Int(most)]))
      }
      #expect(count > 0)
      if count == 0 { return false }
      skipped += UInt64(count)
    }
    try sink.begin(entry, index: index, at: offset)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
      if count == 0 { break }
      if left < count {
        try sink.write(buffer[..<left])
        return false
      }
      try sink.write(buffer[..<count])
      left -= count
    }
    try sink.complete()
    index += 1
    offset = 0
  }
  try sink.finish()
  return true
}
