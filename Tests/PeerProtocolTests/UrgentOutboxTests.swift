import TestSupport
import Testing

@testable import PeerProtocol

@Suite struct UrgentOutboxTests {
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private func message(_ sequence: UInt32, class messageClass: UInt8 = 1, bytes: Int = 4) -> MessageFrame {
    MessageFrame(
      messageClass: messageClass, sequence: sequence, senderClockMilliseconds: 7,
      payload: [UInt8](repeating: 0, count: bytes)[...])
  }

  @Test func copiesGoOutAtTheDocumentedTimes() {
    var outbox = UrgentOutbox()
    #expect(outbox.add(message(1), replacing: nil, at: start) == .added)
    var times: [Int] = []
    for time in 0...300 where outbox.takeDue(at: at(time)) != [] { times.append(time) }
    #expect(times == [0, 10, 20, 70, 120, 170, 220, 270])
    #expect(outbox.nextDue == at(320))
    outbox.received(.init(messageClass: 1, sequence: 1))
    #expect(outbox.isEmpty && outbox.nextDue == nil)
    #expect(outbox.takeDue(at: at(1000)) == [])
  }

  @Test func everyCopyIsTheFirstOne() {
    var outbox = UrgentOutbox()
    _ = outbox.add(message(1), replacing: 5, at: start)
    for time in [0, 10, 20, 5000] {
      let copies = outbox.takeDue(at: at(time))
      #expect(copies.map(\.message) == [message(1)] && copies.map(\.key) == [5])
    }
  }

  @Test func aLateTurnDoesNotMakeABurst() {
    var outbox = UrgentOutbox()
    _ = outbox.add(message(1), replacing: nil, at: start)
    #expect(outbox.takeDue(at: at(1000)).count == 1)
    #expect(outbox.takeDue(at: at(1000)) == [])
    #expect(outbox.nextDue == at(1020))
  }

  @Test func onlyTheReceiptOfTheMessageEndsIt() {
    var outbox = UrgentOutbox()
    _ = outbox.add(message(1), replacing: nil, at: start)
    outbox.received(.init(messageClass: 1, sequence: 2))
    outbox.received(.init(messageClass: 2, sequence: 1))
    #expect(outbox.count == 1)
  }

  @Test func aNewerOneTakesThePlaceOfAnOlder() {
    var outbox = UrgentOutbox()
    _ = outbox.add(message(1), replacing: 7, at: start)
    _ = outbox.add(message(2), replacing: 8, at: start)
    _ = outbox.add(message(1, class: 2), replacing: 7, at: start)
    _ = outbox.add(message(3), replacing: 7, at: at(5))
    #expect(outbox.takeDue(at: at(5)).map(\.message) == [message(2), message(1, class: 2), message(3)])
  }

  @Test func itIsBounded() {
    var outbox = UrgentOutbox()
    for sequence in UInt32(1)...64 {
      #expect(outbox.add(message(sequence), replacing: 100 + UInt64(sequence), at: start) == .added)
    }
    #expect(outbox.add(message(65), replacing: nil, at: start) == .full)
    #expect(outbox.add(message(65), replacing: 164, at: start) == .added, "it takes another one's place")
    #expect(outbox.count == 64)
    // Many at once go out in portions.
    #expect(outbox.takeDue(at: start).count == 16)
    outbox.removeAll()
    #expect(outbox.isEmpty)
  }

  @Test func noNumberLeavesTheReceiversWindow() {
    var outbox = UrgentOutbox()
    _ = outbox.add(message(10), replacing: nil, at: start)
    #expect(outbox.add(message(10 + 1023), replacing: nil, at: start) == .added)
    #expect(outbox.add(message(10 + 1024), replacing: nil, at: start) == .full)
    #expect(outbox.add(message(10 + 1024, class: 2), replacing: nil, at: start) == .added)
  }

  @Test func whatIsTooLongForADatagramGoesOverControlOnly() {
    var outbox = UrgentOutbox()
    _ = outbox.add(message(1, bytes: 1101), replacing: nil, at: start)
    #expect(outbox.takeDue(at: at(1000)) == [])
    #expect(outbox.nextDue == nil)
    #expect(outbox.firstOwedToControl?.message.sequence == 1)
  }

  @Test func controlGetsEachOnceAndAfterABreakAgain() {
    var outbox = UrgentOutbox()
    for sequence in UInt32(1)...2 { _ = outbox.add(message(sequence), replacing: nil, at: start) }
    var sent: [UInt32] = []
    while let copy = outbox.firstOwedToControl {
      sent.append(copy.message.sequence)
      outbox.sentOverControl()
    }
    outbox.received(.init(messageClass: 1, sequence: 1))
    outbox.controlLost()
    while let copy = outbox.firstOwedToControl {
      sent.append(copy.message.sequence)
      outbox.sentOverControl()
    }
    #expect(sent == [1, 2, 2])
  }
}

@Suite struct ReliableLogTests {
  private func message(_ number: Int, bytes: Int = 100) -> MessageFrame {
    MessageFrame(
      messageClass: 1, sequence: UInt32(number), senderClockMilliseconds: 0,
      payload: [UInt8](repeating: 0, count: bytes)[...])
  }

  private func written(_ log: inout ReliableLog) -> [UInt32] {
    var result: [UInt32] = []
    while let next = log.next {
      result.append(next.sequence)
      log.wroteNext()
    }
    return result
  }

  @Test func messagesAreWrittenOnceInOrder() {
    var log = ReliableLog()
    for number in 1...3 { log.append(message(number)) }
    #expect(written(&log) == [1, 2, 3])
    #expect(written(&log) == [])
    log.append(message(4))
    #expect(written(&log) == [4])
    #expect(log.count == 4 && log.byteCount == 400)
  }

  @Test func acknowledgedMessagesAreForgotten() {
    var log = ReliableLog()
    for number in 1...300 { log.append(message(number)) }
    _ = written(&log)
    for count in [1, 1, 150, 299, 300] as [UInt64] {
      #expect(log.acknowledge(count) == true)
      #expect(log.byteCount == Int(300 - count) * 100)
    }
    #expect(log.isEmpty && log.count == 300)
  }

  @Test func impossibleAcknowledgementsAreRefused() {
    var log = ReliableLog()
    for number in 1...3 { log.append(message(number)) }
    #expect(log.acknowledge(1) == false, "nothing was written yet")
    _ = written(&log)
    #expect(log.acknowledge(2) == true)
    #expect(log.acknowledge(1) == false)
    #expect(log.acknowledge(4) == false)
    #expect(log.acknowledge(3) == true)
  }

  @Test(arguments: 0...5) func afterABreakItGoesOnWhereThePeerWas(received: UInt64) {
    var log = ReliableLog()
    for number in 1...5 { log.append(message(number)) }
    _ = written(&log)
    #expect(log.resume(from: received) == true)
    #expect(written(&log) == Array(1...5).dropFirst(Int(received)).map { UInt32($0) })
  }

  @Test func thePeerCannotBeWhereItWasNot() {
    var log = ReliableLog()
    for number in 1...5 { log.append(message(number)) }
    _ = written(&log)
    #expect(log.acknowledge(3) == true)
    #expect(log.resume(from: 2) == false)
    #expect(log.resume(from: 6) == false)
  }

  @Test func itIsBounded() {
    var log = ReliableLog()
    #expect(log.hasRoom(for: 2 << 20), "one message fits always")
    var taken = 0
    while log.hasRoom(for: 1000) {
      log.append(message(taken + 1, bytes: 1000))
      taken += 1
    }
    #expect(taken == 1048)
    var small = ReliableLog()
    var count = 0
    while small.hasRoom(for: 0) {
      small.append(message(1, bytes: 0))
      count += 1
    }
    #expect(count == 16_384, "empty messages cost memory too")
  }

  @Test func aReceiverThatIsBehindAcknowledgesNothingAndNoticesWhoGoesOn() {
    var count = ReliableCount()
    count.isHeld = true
    for _ in 0..<100 {
      let isDue = count.received(payloadBytes: 10_000)
      #expect(!isDue)
    }
    #expect(!count.owesAcknowledge && !count.isOverrun)
    for _ in 0..<110 { _ = count.received(payloadBytes: 10_000) }
    #expect(count.isOverrun)
    count.isHeld = false
    #expect(count.owesAcknowledge && !count.isOverrun && count.count == 210)
    // Many small ones cost room as well.
    count.told()
    count.isHeld = true
    for _ in 0..<40_000 { _ = count.received(payloadBytes: 1) }
    #expect(count.isOverrun)
  }

  @Test func acknowledgementsAreOwedByCountAndBytes() {
    var count = ReliableCount()
    #expect(!count.owesAcknowledge)
    for number in 1...31 { #expect(count.received(payloadBytes: 1) == false, "\(number)") }
    #expect(count.owesAcknowledge)
    #expect(count.received(payloadBytes: 1) == true)
    count.told()
    #expect(!count.owesAcknowledge)
    #expect(count.received(payloadBytes: 65_536) == true)
    #expect(count.count == 33)
  }
}
