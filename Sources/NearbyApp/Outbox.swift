import PeerConnectivity
import Synchronization

/// Messages for one peer, in order: a slow peer makes nobody else wait, and what it cannot keep up with is told.
final class Outbox: Sendable {
  /// Messages that wait because the peer is slow.
  static let capacity = 64

  let peer: Peer
  private let messages = EventQueue<[UInt8]>(capacity: Outbox.capacity)
  private let isDone = Atomic<Bool>(false)

  init(to peer: Peer) { self.peer = peer }

  /// - Returns: false when the peer is so slow that the message is not taken.
  func put(_ message: [UInt8]) -> Bool { messages.offer(message) }

  /// Takes no more; what is there is still sent. Idempotent.
  func finish() { messages.finish() }

  /// Whether all that was taken has been sent or has failed.
  var isEmptied: Bool { isDone.load(ordering: .acquiring) }

  /// Sends until it is finished.
  func run(_ meeting: Meeting) async {
    while let message = await messages.next() {
      do throws(SendError) {
        try await meeting.session.send(message, to: [peer])
      } catch {
        await meeting.queue.put(.notDelivered(peer, "\(error)"))
      }
    }
    isDone.store(true, ordering: .releasing)
  }

  /// Waits until these are emptied, a bounded time.
  static func drain(_ outboxes: some Collection<Outbox>) async {
    for outbox in outboxes { outbox.finish() }
    let deadline = ContinuousClock.now.advanced(by: .seconds(2))
    while outboxes.contains(where: { !$0.isEmptied }), ContinuousClock.now < deadline {
      do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
    }
  }
}
