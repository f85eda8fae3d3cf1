import PeerProtocol
import SecureTransport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TLSEngineTests {
  @Test(arguments: [1, 7, 1000, Int.max])
  func twoPeersAgreeWhateverThePortions(portion: Int) throws {
    let (one, other) = (try Identities.fresh(), try Identities.fresh())
    let pair = try EnginePair(
      client: one, server: other, clientPolicy: .exactly(other.peerID), serverPolicy: .exactly(one.peerID),
      portion: portion)
    #expect(pair.client.peerID == nil)
    pair.pump()
    #expect(pair.clientFinished && pair.serverFinished)
    #expect(pair.client.peerID == other.peerID)
    #expect(pair.server.peerID == one.peerID)
    try pair.sendFromClient(Array("takeoff".utf8))
    try pair.sendFromServer(Array("accepted".utf8))
    pair.pump()
    #expect(pair.atServer == Array("takeoff".utf8))
    #expect(pair.atClient == Array("accepted".utf8))
    #expect(pair.clientError == nil && pair.serverError == nil)
  }

  @Test func aServerWaitsForTheFirstBytes() throws {
    let server = try TLSEngine(identity: try Identities.fresh(), role: .server, policy: .any)
    #expect(try server.start().isEmpty)
    let received = try server.receive([])
    #expect(received.output.isEmpty && received.plaintext.isEmpty && !received.closed)
  }

  @Test func anyPeerIsAcceptedWhereTheApplicationDecides() throws {
    let pair = try EnginePair.established()
    #expect(pair.clientFinished && pair.serverFinished)
    #expect(pair.client.peerID != nil && pair.client.peerID != pair.server.peerID)
  }

  @Test func aClientRefusesAnotherServerThanTheExpectedOne() throws {
    let (one, other, third) = (try Identities.fresh(), try Identities.fresh(), try Identities.fresh())
    let pair = try EnginePair(client: one, server: other, clientPolicy: .exactly(third.peerID))
    pair.pump()
    #expect(pair.clientError == .wrongPeer(expected: third.peerID, got: other.peerID))
    #expect(pair.serverError == .alert("bad certificate"))
    #expect(!pair.clientFinished && !pair.serverFinished)
    #expect(pair.client.peerID == nil && pair.server.peerID == nil)
  }

  @Test func aServerRefusesAnotherClientAndTheClientLearnsItLater() throws {
    let (one, other, third) = (try Identities.fresh(), try Identities.fresh(), try Identities.fresh())
    let pair = try EnginePair(client: one, server: other, serverPolicy: .exactly(third.peerID))
    pair.pump()
    #expect(pair.serverError == .wrongPeer(expected: third.peerID, got: one.peerID))
    #expect(!pair.serverFinished)
    // TLS 1.3: the client is content before the server has judged it.
    #expect(pair.clientFinished)
    #expect(pair.clientError == .alert("bad certificate"))
    #expect(throws: TLSError.self) { try pair.client.send([1]) }
  }

  @Test func theErrorIsOneLineWithCause() throws {
    let (one, other) = (try Identities.fresh().peerID, try Identities.fresh().peerID)
    #expect(
      TLSError.wrongPeer(expected: one, got: other).description
        == "the peer's certificate is not the expected one: got \(other.short).., expected \(one.short)..")
  }

  @Test(arguments: ForeignPeer.unsuitable)
  func aClientWithAnUnsuitableCertificateIsRefused(kind: ForeignPeer.Kind) throws {
    let server = try TLSEngine(identity: try Identities.fresh(), role: .server, policy: .any)
    let foreign = try ForeignPeer(kind, isServer: false)
    #expect(foreign.converse(with: server) == kind.expectedError)
    #expect(server.peerID == nil)
  }

  @Test(arguments: ForeignPeer.unsuitable.filter { $0 != .noCertificate })
  func aServerWithAnUnsuitableCertificateIsRefused(kind: ForeignPeer.Kind) throws {
    let client = try TLSEngine(identity: try Identities.fresh(), role: .client, policy: .any)
    let foreign = try ForeignPeer(kind, isServer: true)
    #expect(foreign.converse(with: client) == kind.expectedError)
    #expect(client.peerID == nil)
  }

  @Test func aForeignImplementationWithASuitableCertificateIsAccepted() throws {
    let server = try TLSEngine(identity: try Identities.fresh(), role: .server, policy: .any)
    let foreign = try ForeignPeer(.suitable, isServer: false)
    #expect(foreign.converse(with: server) == nil)
    #expect(server.peerID != nil)
  }

  @Test(arguments: [
    Array("GET / HTTP/1.1\r\nHost: vehicle\r\n\r\n".utf8), Array("SSH-2.0-OpenSSH_9.2\r\n".utf8),
    [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64),
  ])
  func whatIsNotTLSIsCalledSo(bytes: [UInt8]) throws {
    for role in [TLSEngine.Role.server, .client] {
      let engine = try TLSEngine(identity: try Identities.fresh(), role: role, policy: .any)
      _ = try engine.start()
      #expect(throws: TLSError.notTLS) { try engine.receive(bytes) }
      #expect(throws: TLSError.notTLS) { try engine.receive([1]) }
    }
  }

  @Test func aFarewellEndsTheStreamCleanly() throws {
    let pair = try EnginePair.established()
    try pair.sendFromClient([1, 2, 3])
    pair.deliverToServer(pair.client.close())
    #expect(!pair.server.wasClosedCleanly)
    pair.pump()
    #expect(pair.atServer == [1, 2, 3])
    #expect(pair.server.wasClosedCleanly)
    #expect(!pair.client.wasClosedCleanly)
    #expect(try pair.server.receive([9, 9]).closed)
    #expect(throws: TLSError.closed) { try pair.client.send([1]) }
    #expect(pair.client.close().isEmpty)
    // The other direction is still open.
    try pair.sendFromServer([4])
    pair.pump()
    #expect(pair.atClient == [4])
  }

  @Test func anEndWithoutFarewellIsNotClean() throws {
    let pair = try EnginePair.established()
    let ciphertext = try pair.client.send([UInt8](repeating: 7, count: 100))
    pair.deliverToServer(Array(ciphertext.dropLast()))
    pair.pump()
    #expect(pair.atServer.isEmpty)
    #expect(!pair.server.wasClosedCleanly)
  }

  @Test func whatArrivedBeforeAFailureCounts() throws {
    let pair = try EnginePair.established()
    let peer = pair.server.peerID
    var ciphertext = try pair.client.send([1, 2, 3])
    ciphertext += [23, 3, 3, 0, 20] + [UInt8](repeating: 0, count: 20)
    let received = try pair.server.receive(ciphertext)
    #expect(received.plaintext == [1, 2, 3])
    let failure = try #require(received.failure)
    // The alert for the peer.
    #expect(!received.output.isEmpty)
    #expect(throws: failure) { try pair.server.receive([1]) }
    #expect(throws: failure) { try pair.server.send([1]) }
    #expect(peer != nil && pair.server.peerID == peer)
  }

  @Test func theExporterIsEqualOnBothSidesAndDependsOnEverything() throws {
    let pair = try EnginePair.established()
    let label = "EXPORTER-drone-control"
    let secret = try pair.client.export(label: label, context: [1], length: 32)
    #expect(try pair.server.export(label: label, context: [1], length: 32) == secret)
    #expect(secret.count == 32)
    #expect(try pair.server.export(label: label, context: [2], length: 32) != secret)
    #expect(try pair.server.export(label: label + "2", context: [1], length: 32) != secret)
    #expect(try EnginePair.established().client.export(label: label, context: [1], length: 32) != secret)
  }

  @Test func nothingIsSentOrExportedBeforeTheHandshake() throws {
    let engine = try TLSEngine(identity: try Identities.fresh(), role: .client, policy: .any)
    #expect(throws: TLSError.notEstablished) { try engine.send([1]) }
    #expect(throws: TLSError.notEstablished) { try engine.export(label: "x", context: [], length: 32) }
    #expect(engine.close().isEmpty)
    #expect(throws: TLSError.closed) { try engine.receive([1]) }
  }

  @Test(arguments: [0, 1, 16_384, 16_385, 3_000_000])
  func dataOfAnySizeArrivesWhole(count: Int) throws {
    let pair = try EnginePair.established(portion: 60_000)
    var random = SplitMix64(seed: UInt64(count))
    let data = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    try pair.sendFromServer(data)
    pair.pump()
    #expect(pair.atClient == data)
  }

  @Test func changedBytesAreNeverAcceptedAndNeverFatal() throws {
    let (one, other) = (try Identities.fresh(), try Identities.fresh())
    for seed in UInt64(0)..<400 {
      var random = SplitMix64(seed: seed)
      let pair = try EnginePair(client: one, server: other)
      pair.pump()
      let data = [UInt8](repeating: 0x55, count: 1 + Int(random.next() % 2000))
      var ciphertext = try pair.client.send(data)
      // The version in a record's header is not authenticated and ignored (RFC 8446, section 5.1).
      let position = Int(random.next() % UInt64(ciphertext.count - 5)) + 5
      ciphertext[position] ^= UInt8(truncatingIfNeeded: random.next()) | 1
      pair.deliverToServer(ciphertext)
      pair.pump()
      #expect(pair.atServer.isEmpty, "seed \(seed)")
      #expect(pair.serverError != nil, "seed \(seed)")
    }
  }

  @Test func changedHandshakesNeverCrash() throws {
    let (one, other) = (try Identities.fresh(), try Identities.fresh())
    var failures = 0
    for seed in UInt64(0)..<600 {
      var random = SplitMix64(seed: seed)
      let client = try TLSEngine(identity: one, role: .client, policy: .any)
      let server = try TLSEngine(identity: other, role: .server, policy: .any)
      var toServer = try client.start()
      if seed % 2 == 0 { mutate(&toServer, &random) }
      var toClient: [UInt8] = []
      for _ in 0..<4 {
        do throws(TLSError) { toClient = try server.receive(toServer).output } catch {
          failures += 1
          toClient = server.takeOutput()
        }
        if seed % 2 == 1 { mutate(&toClient, &random) }
        do throws(TLSError) { toServer = try client.receive(toClient).output } catch {
          failures += 1
          toServer = client.takeOutput()
        }
      }
    }
    #expect(failures > 400)
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    for _ in 0..<(1 + Int(random.next() % 4)) where !bytes.isEmpty {
      let position = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes[position] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.remove(at: position)
      default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: position)
      }
    }
  }
}
