import SecureTransport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DTLSEngineTests {
  @Test func twoEndsWithOneKeyAgreeWithoutWaiting() throws {
    let pair = try DTLSPair.established()
    #expect(pair.isEstablished)
    #expect(pair.clientFinished == 1 && pair.serverFinished == 1)
    #expect(pair.client.nextTimeout() == nil && pair.server.nextTimeout() == nil)
    pair.fromClient([try pair.client.send([1, 2, 3]), try pair.client.send([4])])
    pair.fromServer([try pair.server.send([5])])
    pair.deliver()
    #expect(pair.atServer == [[1, 2, 3], [4]])
    #expect(pair.atClient == [[5]])
    #expect(pair.client.droppedDatagrams == 0 && pair.server.droppedDatagrams == 0)
  }

  @Test func nothingIsSentBeforeTheHandshake() throws {
    let client = try DTLSEngine(role: .client, key: DTLSPair.key)
    #expect(throws: DTLSError.notEstablished) { try client.send([1]) }
    #expect(client.start().count == 1)
    #expect(throws: DTLSError.notEstablished) { try client.send([1]) }
    let wait = try #require(client.nextTimeout())
    #expect(wait > .zero && wait <= .milliseconds(100))
    let server = try DTLSEngine(role: .server, key: DTLSPair.key)
    #expect(server.start().isEmpty && server.nextTimeout() == nil && server.handleTimeout().isEmpty)
  }

  @Test(arguments: [512, 576, 1200, 1500])
  func noDatagramIsLongerThanTheLinkAllows(linkMTU: Int) throws {
    let pair = try DTLSPair.established(linkMTU: linkMTU)
    #expect(pair.isEstablished)
    let largest = [UInt8](repeating: 1, count: pair.client.maximumPayloadBytes)
    pair.fromClient([try pair.client.send(largest)])
    pair.fromServer([try pair.server.send(largest)])
    #expect(pair.sentToServer.last?.count == linkMTU - 48)
    pair.deliver()
    #expect(pair.atServer == [largest] && pair.atClient == [largest])
    #expect((pair.sentToServer + pair.sentToClient).allSatisfy { $0.count <= linkMTU - 48 })
    let error = DTLSError.payloadSize(maximumBytes: largest.count)
    #expect(throws: error) { try pair.client.send(largest + [1]) }
    #expect(throws: error) { try pair.client.send([]) }
    // Neither harmed anything.
    pair.fromClient([try pair.client.send([9])])
    pair.deliver()
    #expect(pair.atServer.last == [9])
  }

  @Test func theDefaultLinkCarriesElevenHundredBytes() throws {
    #expect(try DTLSEngine(role: .client, key: DTLSPair.key).maximumPayloadBytes >= 1100)
  }

  @Test(arguments: [
    DTLSPair.Channel(loss: 30), DTLSPair.Channel(repetition: 50, reordering: 50),
    DTLSPair.Channel(loss: 30, repetition: 20, reordering: 30), DTLSPair.Channel(loss: 60, reordering: 10),
  ])
  func aBadChannelDelaysTheHandshakeAndNeverStopsIt(channel: DTLSPair.Channel) throws {
    for seed in UInt64(0)..<(channel.loss > 50 ? 4 : 12) {
      let pair = try DTLSPair(channel, seed: seed)
      #expect(pair.run { pair.isEstablished }, "seed \(seed)")
      var sent: [[UInt8]] = []
      for number in UInt8(0)..<50 {
        sent.append([number, 1])
        pair.fromClient([try pair.client.send([number, 1])])
        if number % 5 == 0 { pair.deliver() }
      }
      pair.deliver()
      // Some may be missing, none comes twice, none is changed.
      #expect(Set(pair.atServer).count == pair.atServer.count, "seed \(seed)")
      #expect(Set(pair.atServer).isSubset(of: Set(sent)), "seed \(seed)")
      #expect(pair.atServer.count > 5, "seed \(seed)")
      #expect(!pair.clientClosed && !pair.serverClosed, "seed \(seed)")
    }
  }

  @Test func aLongInterruptionInTheMiddleOfTheHandshakeIsSurvived() throws {
    // Whatever was the last datagram that got through.
    for count in 0..<5 {
      let pair = try DTLSPair()
      var passed = 0
      pair.channel.loss = count == 0 ? 100 : 0
      if count == 0 { pair.lose() }
      let finished = pair.run(within: .milliseconds(700)) {
        passed += 1
        if passed > count { pair.channel.loss = 100 }
        return false
      }
      #expect(!finished)
      pair.channel.loss = 0
      #expect(pair.run { pair.isEstablished }, "after \(count)")
      pair.fromServer([try pair.server.send([1])])
      pair.fromClient([try pair.client.send([2])])
      pair.deliver()
      #expect(pair.atClient == [[1]] && pair.atServer == [[2]], "after \(count)")
    }
  }

  @Test func aClientThatBeginsAnewReachesAServerThatIsFinished() throws {
    let pair = try DTLSPair()
    pair.lose()
    pair.channel.loss = 100
    let hello = try #require(pair.sentToServer.first)
    pair.giveServer(hello)
    for datagram in pair.sentToClient { pair.giveClient(datagram) }
    for datagram in pair.sentToServer.dropFirst() { pair.giveServer(datagram) }
    // The server's last flight is lost.
    #expect(pair.server.isEstablished && !pair.client.isEstablished)
    let random = hello[27..<59]
    #expect(
      pair.run(within: .seconds(2)) {
        pair.sentToServer.last.map { $0.count > 59 && $0[27..<59] != random && $0[13] == 1 } == true
      })
    pair.channel.loss = 0
    // What the finished server says meanwhile means nothing to the new try.
    pair.fromServer([try pair.server.send([2])])
    #expect(pair.run { pair.isEstablished })
    pair.fromClient([try pair.client.send([3])])
    pair.deliver()
    #expect(pair.atServer == [[3]] && pair.atClient.isEmpty)
    #expect(pair.serverFinished == 1 && pair.clientFinished == 1)
  }

  @Test func aWrongKeyNeverFinishes() throws {
    let other = [UInt8](repeating: 8, count: DTLSEngine.keyBytes)
    let pair = try DTLSPair(serverKey: other)
    #expect(!pair.run(within: .seconds(1)) { pair.client.isEstablished || pair.server.isEstablished })
    #expect(!pair.clientClosed && !pair.serverClosed)
    #expect(throws: DTLSError.notEstablished) { try pair.client.send([1]) }
    // It goes on trying, at a bounded rate.
    #expect(pair.sentToServer.count > 5 && pair.sentToServer.count < 500)
  }

  @Test func aFarewellEndsBothSides() throws {
    let pair = try DTLSPair.established()
    pair.fromClient([try pair.client.send([1])])
    pair.fromClient(pair.client.close())
    #expect(pair.client.close().isEmpty)
    pair.deliver()
    #expect(pair.atServer == [[1]])
    #expect(pair.serverClosed && pair.server.isClosed && !pair.server.isEstablished)
    #expect(throws: DTLSError.closed) { try pair.server.send([1]) }
    #expect(throws: DTLSError.closed) { try pair.client.send([1]) }
    #expect(pair.client.nextTimeout() == nil && pair.client.handleTimeout().isEmpty)
    #expect(pair.server.receive([1, 2, 3]).closed)
  }

  @Test func anUnfinishedEngineHasNobodyToTell() throws {
    let client = try DTLSEngine(role: .client, key: DTLSPair.key)
    _ = client.start()
    #expect(client.close().isEmpty)
    #expect(client.nextTimeout() == nil)
  }
}
