import TestSupport
import Testing

@testable import LinkImpairment

struct DeliveryQueueTests {
  @Test func packetsLeaveByTimeAndThenByOrder() {
    var generator = SplitMix64(seed: 3)
    var queue = DeliveryQueue()
    var expected: [(Int64, Int)] = []
    for number in 0..<2000 {
      let arrival = Int64.random(in: 0..<300, using: &generator)
      expected.append((arrival, number))
      // The number of bytes serves as the packet's name.
      queue.queue(queue.takeSlot() ?? -1, number, .aToB, arrival: arrival)
    }
    expected.sort { $0 < $1 }
    #expect(queue.next(dueAt: -1) == nil)
    var taken: [(Int64, Int)] = []
    for now in Int64(0)..<300 {
      while let delivery = queue.next(dueAt: now) {
        #expect(delivery.arrival == now)
        taken.append((delivery.arrival, delivery.byteCount))
        queue.release(delivery.slot)
      }
    }
    #expect(taken.map(\.1) == expected.map(\.1))
    #expect(queue.nextArrival == nil)
  }

  @Test func thereIsABound() {
    var queue = DeliveryQueue()
    for _ in 0..<DeliveryQueue.slotCount { #expect(queue.takeSlot() != nil) }
    #expect(queue.takeSlot() == nil)
    queue.release(5)
    #expect(queue.takeSlot() == 5)
  }
}
