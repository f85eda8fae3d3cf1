import SecureTransport
import TestSupport
import Testing

/// What a stranger on the link can send. None of it may end an association that stands.
@Suite(.timeLimit(.minutes(1)))
struct DTLSAttackTests {
  @Test func garbageOfEveryLengthAndTypeIsDropped() throws {
    let pair = try DTLSPair.established()
    var random = SplitMix64(seed: 3)
    var count: UInt64 = 0
    for type in UInt8(20)...25 {
      for length in 0...300 {
        var datagram = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        giveHeader(&datagram, type: type, epoch: length % 3, &random)
        if length % 2 == 0 { pair.giveServer(datagram) } else { pair.giveClient(datagram) }
        count += 1
      }
      try expectAlive(pair, type)
    }
    #expect(pair.client.droppedDatagrams + pair.server.droppedDatagrams == count)
    #expect(pair.atServer.count == 6 && pair.atClient.count == 6)
  }

  @Test func garbageDuringTheHandshakeDelaysItAtMost() throws {
    for seed in UInt64(0)..<12 {
      var random = SplitMix64(seed: seed)
      let pair = try DTLSPair(seed: seed)
      for _ in 0..<40 {
        var datagram = (0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let type = UInt8(20 + random.next() % 6)
        giveHeader(&datagram, type: type, epoch: Int(random.next() % 3), &random)
        if random.next() % 2 == 0 { pair.giveServer(datagram) } else { pair.giveClient(datagram) }
      }
      #expect(pair.run { pair.isEstablished }, "seed \(seed)")
      try expectAlive(pair, 1)
    }
  }

  /// Fatal and warning, every description; as plain text and as if protected.
  @Test func forgedAlertsEndNothing() throws {
    let pair = try DTLSPair.established()
    for level in UInt8(1)...2 {
      for description in UInt8(0)...120 {
        for epoch in 0...2 {
          let alert = record(type: 21, epoch: epoch, [level, description])
          pair.giveServer(alert)
          pair.giveClient(alert)
        }
      }
    }
    try expectAlive(pair, 1)
    let fresh = try DTLSPair()
    for _ in 0..<20 {
      fresh.giveServer(record(type: 21, epoch: 0, [2, 40]))
      fresh.giveClient(record(type: 21, epoch: 0, [2, 40]))
    }
    fresh.deliver()
    #expect(fresh.isEstablished)
  }

  @Test func replaysOfEverythingBringNothing() throws {
    let pair = try DTLSPair.established()
    for number in UInt8(0)..<100 {
      pair.fromClient([try pair.client.send([number])])
      pair.fromServer([try pair.server.send([number])])
    }
    pair.deliver()
    #expect(pair.atServer.count == 100 && pair.atClient.count == 100)
    let (toServer, toClient) = (pair.sentToServer, pair.sentToClient)
    for _ in 0..<2 {
      for datagram in toServer { pair.giveServer(datagram) }
      for datagram in toClient { pair.giveClient(datagram) }
      // Reflected.
      for datagram in toServer { pair.giveClient(datagram) }
      for datagram in toClient { pair.giveServer(datagram) }
    }
    #expect(pair.atServer.count == 100 && pair.atClient.count == 100)
    try expectAlive(pair, 200)
    #expect(pair.server.droppedDatagrams == UInt64(2 * (toServer.count + toClient.count)))
    #expect(pair.sentToServer.count == toServer.count + 1 && pair.sentToClient.count == toClient.count + 1)
  }

  @Test func replaysDuringTheHandshakeNeverStopIt() throws {
    for seed in UInt64(0)..<8 {
      let pair = try DTLSPair(DTLSPair.Channel(loss: 20), seed: seed)
      #expect(
        pair.run {
          for datagram in pair.sentToServer.suffix(4) { pair.giveServer(datagram) }
          for datagram in pair.sentToClient.suffix(4) { pair.giveClient(datagram) }
          return pair.isEstablished
        }, "seed \(seed)")
      pair.channel.loss = 0
      try expectAlive(pair, 1)
    }
  }

  @Test func changedDatagramsAreDroppedWherever() throws {
    let pair = try DTLSPair.established()
    for position in 0..<60 {
      var datagram = try pair.client.send([UInt8](repeating: 0x55, count: 31))
      datagram[position] ^= 0x10
      pair.giveServer(datagram)
    }
    for length in 0..<60 {
      pair.giveServer(Array(try pair.client.send([UInt8](repeating: 5, count: 31)).prefix(length)))
    }
    #expect(pair.atServer.isEmpty)
    try expectAlive(pair, 1)
  }

  /// A server that is finished, but has not heard its client since, hears a stranger's hello.
  @Test func aForgedHelloDoesNotDisplaceTheClient() throws {
    let pair = try DTLSPair.established()
    let stranger = try DTLSEngine(
      role: .client, key: [UInt8](repeating: 1, count: 32), timing: DTLSPair.timing)
    for hello in stranger.start() { pair.giveServer(hello) }
    #expect(pair.server.isEstablished)
    try expectAlive(pair, 1)
    // Now it has heard its client: no more answers to strangers.
    let other = try DTLSEngine(role: .client, key: DTLSPair.key, timing: DTLSPair.timing)
    let count = pair.sentToClient.count
    for hello in other.start() { pair.giveServer(hello) }
    #expect(pair.sentToClient.count == count)
    try expectAlive(pair, 2)
  }

  @Test func aFloodOfHellosDoesNotKeepTheClientOut() throws {
    let pair = try DTLSPair()
    for _ in 0..<200 {
      let stranger = try DTLSEngine(
        role: .client, key: [UInt8](repeating: 1, count: 32), timing: DTLSPair.timing)
      for hello in stranger.start() { pair.giveServer(hello) }
    }
    #expect(pair.run { pair.isEstablished })
    try expectAlive(pair, 1)
  }

  private func expectAlive(_ pair: DTLSPair, _ number: UInt8) throws {
    pair.deliver()
    pair.giveServer(try send(pair.client, number, pair))
    pair.giveClient(try send(pair.server, number, pair, toServer: false))
    #expect(pair.atServer.last == [number, 99] && pair.atClient.last == [number, 99])
    #expect(!pair.clientClosed && !pair.serverClosed)
  }

  private func send(_ engine: DTLSEngine, _ number: UInt8, _ pair: DTLSPair, toServer: Bool = true) throws
    -> [UInt8]
  {
    let datagram = try engine.send([number, 99])
    if toServer { pair.sentToServer.append(datagram) } else { pair.sentToClient.append(datagram) }
    return datagram
  }

  /// Makes the start of garbage look like a record; the length is right in half of the cases.
  private func giveHeader(_ datagram: inout [UInt8], type: UInt8, epoch: Int, _ random: inout SplitMix64) {
    let length = random.next() % 2 == 0 ? max(0, datagram.count - 13) : Int(random.next() % 400)
    let header: [UInt8] = [
      type, 254, 253, 0, UInt8(epoch), 0, 0, 0, 1, UInt8(truncatingIfNeeded: random.next()), 7,
      UInt8(length >> 8), UInt8(length & 255),
    ]
    for (index, byte) in header.enumerated() where index < datagram.count { datagram[index] = byte }
  }

  private func record(type: UInt8, epoch: Int, _ content: [UInt8]) -> [UInt8] {
    [type, 254, 253, 0, UInt8(epoch), 0, 0, 0, 2, 0, 1, 0, UInt8(content.count)] + content
  }
}
