import TestSupport
import Testing

@testable import PeerConnectivity

@Suite struct SessionEventQueueTests {
  private let one = testPeer(1)
  private let other = testPeer(2)

  @Test func keepsTheOrderOfOnePeersEventsAndOfArrival() {
    var queue = SessionEventQueue()
    queue.add(one, .connecting)
    queue.add(one, connected)
    expect(queue.add(message(one, "a")), .goOn)
    queue.add(other, connected)
    expect(queue.add(message(one, "b", .unreliable)), .goOn)
    expect(queue.add(message(other, "c")), .goOn)
    queue.add(one, .notConnected(.disconnected))
    #expect(
      drain(&queue) == ["1 connected", "1 a", "2 connected", "1 b", "2 c", "1 disconnected"])
  }

  @Test func mergesStatesWithNothingInBetweenAndKeepsTheNewest() {
    var queue = SessionEventQueue()
    for _ in 0..<1000 {
      queue.add(one, connected)
      queue.add(one, .notConnected(.connectionLost("")))
    }
    queue.add(one, .connecting)
    #expect(drain(&queue) == ["1 connecting"])
  }

  @Test func aMergedStateStillTellsOfARestartAndOfLostContinuity() {
    var queue = SessionEventQueue()
    queue.add(one, .connected(isRestarted: true, isResumed: false))
    queue.add(one, .connected(isRestarted: false, isResumed: true))
    #expect(drain(&queue) == ["1 restarted"])
    queue.add(one, .notConnected(.restarted))
    queue.add(one, connected)
    #expect(drain(&queue) == ["1 restarted"])
    queue.add(one, .notConnected(.silent))
    queue.add(one, .connected(isRestarted: false, isResumed: true))
    #expect(drain(&queue) == ["1 resumed"])
  }

  @Test func holdsAPeerThatSendsFasterThanItIsRead() {
    var queue = SessionEventQueue(limits: .init(bytes: 1000, unreliableMessages: 4, offers: 2))
    let text = String(repeating: "x", count: 100 - SessionEventQueue.overhead)
    for _ in 0..<9 { expect(queue.add(message(one, text)), .goOn) }
    expect(queue.add(message(one, text)), .hold)
    expect(queue.add(message(other, text)), .goOn)
    #expect(queue.waitingBytes == 1100)
    // Read on when half of it is taken.
    for _ in 0..<4 { expectNoNote(queue.popFirst()) }
    let fifth = queue.popFirst()
    #expect(fifth?.note == one.id)
    expectNoNote(queue.popFirst())
    _ = drain(&queue)
    #expect(queue.waitingBytes == 0)
  }

  @Test func dropsTheOldestUnreliableMessagesAndCountsThem() {
    var queue = SessionEventQueue(limits: .init(bytes: 1000, unreliableMessages: 3, offers: 2))
    for number in 0..<10 { expect(queue.add(message(one, "\(number)", .unreliable)), .goOn) }
    var dropped: [Int] = []
    while case .message(let message)? = queue.popFirst()?.element {
      dropped.append(message.droppedBefore)
    }
    #expect(dropped == [7, 0, 0])
    expect(queue.add(message(one, "x", .unreliable)), .goOn)
    guard case .message(let last)? = queue.popFirst()?.element else {
      Issue.record("the message is gone")
      return
    }
    #expect(last.droppedBefore == 0)
  }

  @Test func aReconnectingPeerDoesNotFillAQueueThatNobodyReads() {
    var queue = SessionEventQueue(limits: .init(bytes: 1000, unreliableMessages: 3, offers: 2))
    var stored = 0
    for _ in 0..<10_000 {
      queue.add(one, connected)
      // What the node does: after "hold" no more is read, in a new session neither.
      if stored == 0 || queue.waitingBytes < 1000 {
        _ = queue.add(message(one, "hello"))
        stored += 1
      }
      queue.add(one, .notConnected(.left("")))
    }
    #expect(queue.waitingBytes < 1000 + 100)
    // A state at most between two messages, and one at each end.
    #expect(drain(&queue).count <= 3 * stored)
  }

  @Test func takesAsManyOffersAsItHasRoomFor() {
    var queue = SessionEventQueue(limits: .init(bytes: 1000, unreliableMessages: 3, offers: 2))
    let state = PeerSession.Event.state(one, connected)
    let added = [one, one, one, other].map { queue.add(offerOf: $0, state) }
    #expect(added == [true, true, false, true])
    _ = queue.popFirst()
    let again = queue.add(offerOf: one, state)
    #expect(again)
  }

  /// Thousands of small messages are taken in their order without moving all that wait at each step.
  @Test func isFirstInFirstOut() {
    var fifo = Fifo<Int>()
    var (next, expected) = (0, 0)
    var generator = SplitMix64(seed: 7)
    for _ in 0..<20_000 {
      if Bool.random(using: &generator) || Bool.random(using: &generator) {
        fifo.append(next)
        next += 1
      } else if let first = fifo.popFirst() {
        #expect(first == expected)
        expected += 1
      }
      #expect(fifo.count == next - expected)
      #expect(fifo.first == (next == expected ? nil : expected))
    }
  }

  private var connected: PeerSession.State { .connected(isRestarted: false, isResumed: false) }

  private func message(_ peer: Peer, _ text: String, _ mode: PeerMessage.Mode = .reliable) -> PeerMessage {
    PeerMessage(
      peer: peer, bytes: Array(text.utf8), channel: 0, mode: mode, delay: .zero, receivedAt: .now)
  }

  // The macro cannot call what changes its operand.
  private func expect(
    _ outcome: SessionEventQueue.OnMessage, _ expected: SessionEventQueue.OnMessage,
    _ location: SourceLocation = #_sourceLocation
  ) { #expect(outcome == expected, sourceLocation: location) }

  private func expectNoNote(
    _ taken: (element: PeerSession.Event, note: Peer.ID?)?, _ location: SourceLocation = #_sourceLocation
  ) { #expect(taken?.note == nil, sourceLocation: location) }

  private func drain(_ queue: inout SessionEventQueue) -> [String] {
    var texts: [String] = []
    while let event = queue.popFirst()?.element {
      switch event {
      case .message(let message): texts.append("\(message.peer.id.bytes[31]) \(message.text)")
      case .state(let peer, let state):
        let word =
          switch state {
          case .connecting: "connecting"
          case .connected(isRestarted: true, _): "restarted"
          case .connected(_, isResumed: true): "resumed"
          case .connected: "connected"
          case .notConnected(let reason): "\(reason)"
          }
        texts.append("\(peer.id.bytes[31]) \(word)")
      case .resourceOffered, .streamOpened: texts.append("offer")
      }
    }
    return texts
  }
}

@Suite struct BrowserEventQueueTests {
  @Test func tellsTheDifferenceBetweenWhatWasToldAndWhatIs() throws {
    var queue = BrowserEventQueue()
    let info = try DiscoveryInfo(["room": "4"])
    queue.saw(.init(peer: testPeer(1, name: "a"), info: info))
    queue.saw(.init(peer: testPeer(2, name: "b"), info: info))
    #expect(drain(&queue) == [.found(testPeer(1), info), .found(testPeer(2), info)])
    // News that are none.
    queue.saw(.init(peer: testPeer(1, name: "a"), info: info))
    #expect(drain(&queue) == [])
    queue.saw(.init(peer: testPeer(1, name: "a", isTrusted: false), info: info))
    queue.lost(testPeer(2).id)
    #expect(drain(&queue) == [.updated(testPeer(1), info), .lost(testPeer(2))])
  }

  @Test func saysNothingOfAPeerThatCameAndWentMeanwhile() {
    var queue = BrowserEventQueue()
    for _ in 0..<1000 {
      queue.saw(.init(peer: testPeer(1), info: DiscoveryInfo()))
      queue.lost(testPeer(1).id)
    }
    #expect(drain(&queue) == [])
    queue.saw(.init(peer: testPeer(1), info: DiscoveryInfo()))
    _ = queue.popFirst()
    queue.lost(testPeer(1).id)
    queue.saw(.init(peer: testPeer(1), info: DiscoveryInfo()))
    #expect(drain(&queue) == [])
  }

  @Test func tellsTheNewestAvailabilityOnly() {
    var queue = BrowserEventQueue()
    queue.put(availability: .unavailable(reason: "x"))
    queue.put(availability: .available)
    #expect(drain(&queue) == [.available])
  }

  @Test func losesAllAtTheEnd() {
    var queue = BrowserEventQueue()
    for number: UInt8 in 1...3 { queue.saw(.init(peer: testPeer(number), info: DiscoveryInfo())) }
    _ = drain(&queue)
    queue.loseAll()
    #expect(drain(&queue) == [1, 2, 3].map { PeerBrowser.Event.lost(testPeer($0)) })
  }

  @Test func keepsNoMoreThanItsBound() {
    var queue = BrowserEventQueue()
    for number in 0..<1000 {
      let hex = String(repeating: "0", count: 60) + String(number + 4096, radix: 16)
      guard let id = Peer.ID(hex: hex) else { continue }
      queue.saw(.init(peer: Peer(id: id, displayName: "x", isTrusted: false), info: DiscoveryInfo()))
    }
    #expect(queue.current.count == PeerBrowser.maximumPeers)
    #expect(drain(&queue).count == PeerBrowser.maximumPeers)
  }

  private func drain(_ queue: inout BrowserEventQueue) -> [PeerBrowser.Event] {
    var events: [PeerBrowser.Event] = []
    while let event = queue.popFirst()?.element { events.append(event) }
    return events
  }
}
