/// Packets under way, by the time of their arrival; of two with the same time the earlier one first.
///
/// A binary heap over numbers; the bytes stay where they were read, in slots of one block of memory.
struct DeliveryQueue: ~Copyable {
  struct Delivery {
    let arrival: Int64
    let order: UInt64
    let slot: Int
    let byteCount: Int
    let direction: Direction
  }

  /// An Ethernet frame of 1500 bytes with its header, and what a larger MTU may need.
  static let slotByteCount = 2048
  /// 20 ms at 200,000 packets a second, or two seconds at 2000.
  static let slotCount = 16_384

  private var heap: [Delivery] = []
  private var free: [Int]
  private var nextOrder: UInt64 = 0
  private let memory: UnsafeMutableRawBufferPointer

  init() {
    heap.reserveCapacity(Self.slotCount)
    free = Array((0..<Self.slotCount).reversed())
    memory = .allocate(byteCount: Self.slotCount * Self.slotByteCount, alignment: 64)
  }

  deinit { memory.deallocate() }

  var nextArrival: Int64? { heap.first?.arrival }

  /// A slot to read into, or nil when too much is under way. Give it back by `release`, or queue it.
  mutating func takeSlot() -> Int? { free.popLast() }
  mutating func release(_ slot: Int) { free.append(slot) }

  func bytes(of slot: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(
      rebasing: memory[slot * Self.slotByteCount..<(slot + 1) * Self.slotByteCount])
  }

  mutating func queue(_ slot: Int, _ byteCount: Int, _ direction: Direction, arrival: Int64) {
    nextOrder += 1
    heap.append(
      Delivery(
        arrival: arrival, order: nextOrder, slot: slot, byteCount: byteCount, direction: direction))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(child, parent) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out the next packet when its time has come. Its slot stays taken.
  mutating func next(dueAt now: Int64) -> Delivery? {
    guard let first = heap.first, first.arrival <= now else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
        least = child
      }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].arrival, heap[left].order) < (heap[right].arrival, heap[right].order)
  }
}
