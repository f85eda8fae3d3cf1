import CLinux
import Glibc
public import JSONText
public import ServiceRuntime

/// Passes packets between two Ethernet ports, each at the time that its `LinkDirection` decides.
public final class LinkRelay {
  /// Called when a port is gone, because its namespace is.
  public var onEnd: (() -> Void)?

  private let ports: [Direction: EthernetPort]
  private let outputs: (aToB: Int32, bToA: Int32)
  private var aToB: LinkDirection
  private var bToA: LinkDirection
  private var queue = DeliveryQueue()
  private let timer: Int32
  private var armedFor: Int64?
  private var watches: [DescriptorWatch] = []

  /// Packets read at once, before those that are due have their turn again.
  private static let batch = 64

  public init(
    a: EthernetPort, b: EthernetPort, seed: UInt64, on loop: EventLoop
  ) throws(SystemError) {
    ports = [.aToB: a, .bToA: b]
    outputs = (aToB: b.descriptor, bToA: a.descriptor)
    aToB = LinkDirection(seed: seed)
    // Far from the other one, so that the two do not lose the same packets.
    bToA = LinkDirection(seed: ~seed)
    timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    if timer < 0 { throw SystemError.current("timerfd_create") }
    for (direction, port) in ports {
      watches.append(
        try loop.watch(port.descriptor, for: .readable) { [weak self] readiness in
          if readiness.contains(.hangUp) { self?.end() } else { self?.read(direction, port.descriptor) }
        })
    }
    watches.append(try loop.watch(timer, for: .readable) { [weak self] _ in self?.timerRan() })
  }

  deinit {
    for watch in watches { watch.cancel() }
    Glibc.close(timer)
  }

  /// Does what a line says.
  ///
  /// - Returns: the answer.
  public func perform(_ command: LinkCommand) -> JSON {
    switch command {
    case .change(let change, let directions):
      if directions.contains(.aToB) { aToB.impairment.apply(change) }
      if directions.contains(.bToA) { bToA.impairment.apply(change) }
      return ["event": "changed"]
    case .counters:
      return [
        "event": "counters", Direction.aToB.rawValue: aToB.counters.json,
        Direction.bToA.rawValue: bToA.counters.json,
      ]
    }
  }

  private func end() {
    for watch in watches { watch.cancel() }
    watches = []
    onEnd?()
  }

  private func read(_ direction: Direction, _ descriptor: Int32) {
    for _ in 0..<Self.batch {
      guard let slot = queue.takeSlot() else {
        // Read all the same: otherwise the kernel would keep it and change what the link's delay is.
        var nowhere: UInt64 = 0
        guard Glibc.read(descriptor, &nowhere, 8) > 0 else { break }
        fail(direction)
        continue
      }
      let bytes = queue.bytes(of: slot)
      let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
      guard count > 0 else {
        queue.release(slot)
        break
      }
      let frame = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      let (kind, isLowerEffort) = (PacketKind(frame: frame), PacketKind.isLowerEffort(frame: frame))
      let now = monotonicNanoseconds()
      let fate =
        direction == .aToB
        ? aToB.enter(byteCount: count, kind: kind, isLowerEffort: isLowerEffort, at: now)
        : bToA.enter(byteCount: count, kind: kind, isLowerEffort: isLowerEffort, at: now)
      switch fate {
      case .lost, .blocked, .cut, .overflowed: queue.release(slot)
      case .arrives(let arrival, let again):
        if let again, let second = queue.takeSlot() {
          queue.bytes(of: second).copyMemory(from: UnsafeRawBufferPointer(bytes))
          queue.queue(second, count, direction, arrival: again)
        }
        queue.queue(slot, count, direction, arrival: arrival)
      }
    }
    deliver()
  }

  private func timerRan() {
    var count: UInt64 = 0
    _ = Glibc.read(timer, &count, 8)
    armedFor = nil
    deliver()
  }

  private func deliver() {
    var now = monotonicNanoseconds()
    while let delivery = queue.next(dueAt: now) {
      let bytes = queue.bytes(of: delivery.slot)
      let output = delivery.direction == .aToB ? outputs.aToB : outputs.bToA
      let written = Glibc.write(output, bytes.baseAddress, delivery.byteCount)
      queue.release(delivery.slot)
      now = monotonicNanoseconds()
      if written == delivery.byteCount {
        count(delivery, lateness: now - delivery.arrival)
      } else {
        fail(delivery.direction)
      }
    }
    arm()
  }

  private func count(_ delivery: DeliveryQueue.Delivery, lateness: Int64) {
    func count(_ counters: inout LinkDirection.Counters) {
      counters.delivered += 1
      counters.deliveredByteCount += delivery.byteCount
      counters.worstLatenessNanoseconds = max(counters.worstLatenessNanoseconds, lateness)
    }
    if delivery.direction == .aToB { count(&aToB.counters) } else { count(&bToA.counters) }
  }

  private func fail(_ direction: Direction) {
    if direction == .aToB { aToB.counters.failed += 1 } else { bToA.counters.failed += 1 }
  }

  private func arm() {
    guard let next = queue.nextArrival, next != armedFor else { return }
    armedFor = next
    var setting = itimerspec()
    setting.it_value.tv_sec = Int(next / 1_000_000_000)
    setting.it_value.tv_nsec = Int(next % 1_000_000_000)
    timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }
}

private func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension LinkDirection.Counters {
  var json: JSON {
    let numbers: KeyValuePairs<String, Int> = [
      "received": received, "delivered": delivered, "deliveredBytes": deliveredByteCount, "lost": lost,
      "duplicated": duplicated, "blocked": blocked, "cut": cut, "overflowed": overflowed, "failed": failed,
      "worstLatenessMicroseconds": Int(worstLatenessNanoseconds / 1000),
    ]
    return .object(JSON.Object(numbers.map { .init(key: $0.key, value: .integer(Int64($0.value))) }))
  }
}
