import FileTransfer
import Glibc
import PeerProtocol
import ServiceRuntime
import TestSupport
import Testing

/// A file system of 8 MiB in memory that goes away with the test.
final class SmallDisk {
  static let sizeBytes = 8 << 20
  let directory: TemporaryDirectory
  var path: String { directory.path }

  /// - Returns: nil where this process may not mount.
  init?() throws {
    directory = try TemporaryDirectory()
    guard mount("tmpfs", directory.path, "tmpfs", 0, "size=8m,nr_inodes=64") == 0 else {
      print("skipped: cannot mount a small file system: \(SystemError.current("mount"))")
      return nil
    }
  }

  deinit { umount2(directory.path, Int32(MNT_DETACH)) }
}

@Suite(.timeLimit(.minutes(1))) struct DiskFullTests {
  private func folder(_ disk: SmallDisk, reserve: UInt64 = 0) throws -> ReceivedFolder {
    var policy = ReceivingPolicy()
    policy.reserveBytes = reserve
    return try ReceivedFolder(path: disk.path, policy: policy)
  }

  @Test func whatCannotFitIsRefusedAtOnce() throws {
    guard let disk = try SmallDisk() else { return }
    let folder = try folder(disk, reserve: 1 << 20)
    let size = SmallDisk.sizeBytes - (1 << 20) + 4096
    let error = #expect(throws: ReceivingError.self) { try folder.sink(for: ReceiverBench.file("a", size)) }
    guard case .noRoom = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try names(in: "\(disk.path)/.partial").isEmpty)
  }

  @Test func aDiskThatBecomesFullEndsTheTransferAndNothingIsLeft() throws {
    guard let disk = try SmallDisk() else { return }
    let folder = try folder(disk)
    let size = 6 << 20
    let sink = try folder.sink(for: ReceiverBench.file("a", size))
    try sink.begin(
      try #require(TransferEntry(path: [], kind: .file(sizeBytes: UInt64(size), isExecutable: false))),
      index: 0, at: 0)
    let block = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<2 { try sink.write(block) }
    // Another program takes the room.
    try write([UInt8](repeating: 2, count: 4 << 20), to: "\(disk.path)/other")
    #expect(reason { for _ in 0..<4 { try sink.write(block) } } == .noSpace)
    sink.abandon(isResumable: false)
    #expect(try names(in: "\(disk.path)/.partial").isEmpty)
    #expect(try names(in: disk.path) == [".partial", "other"])
  }

  @Test func afterRoomWasMadeTheTransferGoesOn() throws {
    guard let disk = try SmallDisk() else { return }
    let size = 6 << 20
    let entry = try #require(
      TransferEntry(path: [], kind: .file(sizeBytes: UInt64(size), isExecutable: false)))
    let block = [UInt8](repeating: 1, count: 1 << 20)
    let first = try folder(disk).sink(for: ReceiverBench.file("a", size))
    try first.begin(entry, index: 0, at: 0)
    try write([UInt8](repeating: 2, count: 4 << 20), to: "\(disk.path)/other")
    #expect(reason { for _ in 0..<6 { try first.write(block) } } == .noSpace)
    first.abandon(isResumable: true)
    // Too early: the rest does not fit yet, and what is there stays.
    #expect(throws: ReceivingError.self) { try folder(disk).sink(for: ReceiverBench.file("a", size)) }
    unlink("\(disk.path)/other")
    let second = try folder(disk).sink(for: ReceiverBench.file("a", size))
    let offset = try second.position().offsetBytes
    #expect(offset > 3 << 20)
    try second.begin(entry, index: 0, at: offset)
    try second.write([UInt8](repeating: 1, count: size - Int(offset)))
    try second.complete()
    try second.finish()
    #expect(try names(in: disk.path) == [".partial", "a from Anna"])
  }

  @Test func aFolderOfMoreFilesThanTheDiskTakesEndsCleanly() throws {
    guard let disk = try SmallDisk() else { return }
    let folder = try folder(disk)
    let sink = try folder.sink(for: ReceiverBench.folder("f", entries: 100, bytes: 100))
    #expect(
      reason { for number in UInt32(0)..<100 { try sink.send(["\(number)"], [1], index: number) } }
        == .noSpace)
    sink.abandon(isResumable: false)
    #expect(try names(in: "\(disk.path)/.partial").isEmpty)
  }

  @Test func theReserveIsKeptDuringTheTransfer() throws {
    guard let disk = try SmallDisk() else { return }
    let folder = try folder(disk, reserve: 2 << 20)
    let sink = try folder.sink(for: ReceiverBench.folder("f", entries: 2, bytes: 4 << 20))
    let block = [UInt8](repeating: 1, count: 2 << 20)
    try sink.send(["a"], block, index: 0)
    try write([UInt8](repeating: 2, count: 3 << 20), to: "\(disk.path)/other")
    #expect(reason { try sink.send(["b"], block, index: 1) } == .noSpace)
    sink.abandon(isResumable: false)
    #expect(try names(in: "\(disk.path)/.partial").isEmpty)
  }
}
