import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct IdentityTests {
  private let directory: TemporaryDirectory
  private var state: String { "\(directory.path)/state/deep" }
  private var keyPath: String { "\(state)/identity.key" }
  private var certificatePath: String { "\(state)/identity.crt" }

  init() throws { directory = try TemporaryDirectory() }

  private func load() throws -> Identity {
    try Identity.loadOrCreate(directory: state, commonName: "Drone")
  }

  @Test func theFirstStartMakesAnIdentityAndLaterOnesKeepIt() throws {
    let first = try load()
    #expect(directory.mode(of: "state/deep") == 0o700)
    #expect(directory.mode(of: "state/deep/identity.key") == 0o600)
    #expect(directory.mode(of: "state/deep/identity.crt") == 0o644)
    #expect(try load().peerID == first.peerID)
    let other = try Identity.loadOrCreate(directory: "\(directory.path)/other", commonName: "Drone")
    #expect(other.peerID != first.peerID)
  }

  @Test(arguments: ["", "Drone", "Drohne über 😀 Köln", "two\nlines", String(repeating: "ü", count: 200)])
  func anyNameGivesACertificate(name: String) throws {
    _ = try Identity.loadOrCreate(directory: state, commonName: name)
  }

  @Test func aKeyThatOthersCanReadIsRefused() throws {
    _ = try load()
    for mode in [UInt32(0o644), 0o640, 0o604, 0o660] {
      chmod(keyPath, mode)
      #expect(throws: IdentityError.keyReadableByOthers(path: keyPath, mode: mode)) { try load() }
    }
    chmod(keyPath, 0o400)
    _ = try load()
  }

  @Test func aDirectoryThatAnybodyMayWriteIsRefused() throws {
    _ = try load()
    chmod(state, 0o777)
    #expect(throws: IdentityError.directoryWritableByOthers(path: state)) { try load() }
  }

  @Test(arguments: [0, 1, 40, 100])
  func aCutOffKeyIsCalledDamaged(count: Int) throws {
    _ = try load()
    let key = try Files.read(keyPath, maximumBytes: 1000)
    try Files.replace(keyPath, with: Array(key.prefix(count)), mode: 0o600)
    let error = #expect(throws: IdentityError.self) { try load() }
    #expect(error?.description.hasPrefix("\(keyPath) is damaged (") == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test(arguments: [0, 1, 40, 300])
  func aCutOffCertificateIsCalledDamaged(count: Int) throws {
    _ = try load()
    let certificate = try Files.read(certificatePath, maximumBytes: 1000)
    try Files.replace(certificatePath, with: Array(certificate.prefix(count)), mode: 0o644)
    let error = #expect(throws: IdentityError.self) { try load() }
    #expect(error?.description.hasPrefix("\(certificatePath) is damaged (") == true)
  }

  @Test func damageAnywhereNeverGivesAnotherIdentity() throws {
    let id = try load().peerID
    let certificate = try Files.read(certificatePath, maximumBytes: 1000)
    var refused = 0
    for seed in UInt64(0)..<200 {
      var random = SplitMix64(seed: seed)
      var changed = certificate
      changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
      try Files.replace(certificatePath, with: changed, mode: 0o644)
      do { #expect(try load().peerID == id, "seed \(seed)") } catch { refused += 1 }
    }
    #expect(refused > 150)
  }

  @Test func aKeyAndACertificateThatDoNotMatchAreRefused() throws {
    _ = try load()
    let other = "\(directory.path)/other"
    _ = try Identity.loadOrCreate(directory: other, commonName: "Drone")
    let foreign = try Files.read("\(other)/identity.crt", maximumBytes: 1000)
    try Files.replace(certificatePath, with: foreign, mode: 0o644)
    #expect(throws: IdentityError.mismatch(keyPath: keyPath, certificatePath: certificatePath)) {
      try load()
    }
  }

  @Test func aMissingCertificateIsNotReplacedByAnotherIdentity() throws {
    _ = try load()
    unlink(certificatePath)
    #expect(throws: IdentityError.certificateMissing(path: certificatePath, keyPath: keyPath)) {
      try load()
    }
  }

  @Test func aFirstStartThatLostPowerBeginsAnew() throws {
    _ = try load()
    unlink(keyPath)
    let second = try load()
    #expect(try load().peerID == second.peerID)
  }

  @Test func aHugeFileIsRefused() throws {
    _ = try load()
    try Files.replace(keyPath, with: [UInt8](repeating: 65, count: 100_000), mode: 0o600)
    #expect(throws: IdentityError.unreadable(SystemError("read \(keyPath)", code: EFBIG))) { try load() }
  }

  @Test func aPlaceThatCannotBeMadeIsNamed() throws {
    try Files.replace("\(directory.path)/file", with: [], mode: 0o600)
    let error = #expect(throws: IdentityError.self) {
      try Identity.loadOrCreate(directory: "\(directory.path)/file/state", commonName: "x")
    }
    #expect(error?.description.contains("\(directory.path)/file") == true)
  }

  @Test func startsAtTheSameTimeAgreeOnOneIdentity() throws {
    for round in 0..<10 {
      let loop = try EventLoop()
      let path = "\(directory.path)/race\(round)"
      var ids: [String] = []
      let receiver = try loop.receive(String.self, capacity: 8) { ids.append($0) }
      let inbox = receiver.inbox
      let workers = try (0..<4).map { number in
        try WorkerThread(name: "start \(number)") {
          do {
            inbox.send(try Identity.loadOrCreate(directory: path, commonName: "Drone").peerID.hex)
          } catch {
            inbox.send("\(error)")
          }
        }
      }
      #expect(loop.runUntil { ids.count == 4 })
      for worker in workers { worker.join() }
      #expect(Set(ids).count == 1, "\(ids)")
      #expect(ids.first?.count == 64)
      receiver.close()
    }
  }

  @Test func digestAndRandomBytesAreWhatTheySay() {
    // FIPS 180-4 example: SHA-256 of "abc".
    #expect(sha256(Array("abc".utf8)).prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
    #expect(sha256([]).prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    #expect(randomBytes(0).isEmpty)
    #expect(randomBytes(32).count == 32)
    #expect(randomBytes(32) != randomBytes(32))
  }
}
