import Testing

@testable import PeerConnectivity

@Suite(.timeLimit(.minutes(1))) struct EventChannelTests {
  @Test func deliversInOrderToAWaitingReaderAndEnds() async {
    let channel = EventChannel(BoundedQueue<Int>(capacity: 10_000))
    let reader = Task {
      var received: [Int] = []
      for await number in PeerEvents(source: channel) { received.append(number) }
      return received
    }
    for number in 0..<5000 { channel.update { $0.append(number) } }
    channel.finish()
    #expect(await reader.value == Array(0..<5000))
  }

  @Test func whatWaitsIsReadAfterTheEndAndNothingIsAdded() async {
    let channel = EventChannel(BoundedQueue<Int>(capacity: 10))
    channel.update { $0.append(1) }
    channel.finish()
    #expect(!channel.update { $0.append(2) })
    #expect(await channel.next() == 1)
    #expect(await channel.next() == nil)
  }

  @Test func aCancelledReaderStopsAtOnceAndTakesNothing() async {
    let channel = EventChannel(BoundedQueue<Int>(capacity: 10))
    let reader = Task { await channel.next() }
    while !channel.hasWaiter { await Task.yield() }
    reader.cancel()
    #expect(await reader.value == nil)
    channel.update { $0.append(1) }
    #expect(await channel.next() == 1)
  }

  @Test func severalReadersShareTheEvents() async {
    let channel = EventChannel(BoundedQueue<Int>(capacity: 1000))
    let total = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var count = 0
          while await channel.next() != nil { count += 1 }
          return count
        }
      }
      for number in 0..<1000 { channel.update { $0.append(number) } }
      channel.finish()
      return await group.reduce(0, +)
    }
    #expect(total == 1000)
  }

  @Test func aSlowReaderOfStatesSeesTheNewest() async {
    let channel = EventChannel(NewestQueue<Int>())
    for number in 0..<1000 { channel.update { $0.put(number) } }
    channel.finish()
    #expect(await channel.next() == 999)
    #expect(await channel.next() == nil)
  }
}
