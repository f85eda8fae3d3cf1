import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import Synchronization

/// One open transfer of a session: its connection, and the thread on it.
final class TransferRun {
  /// A thread at work.
  struct Pump {
    let tls: BulkTLS
    let meter: TransferMeter

    /// Ends it as soon as it notices, which is at once unless a disk makes it wait.
    func stop() {
      meter.isStopped.store(true, ordering: .relaxed)
      tls.wake()
    }
  }

  let transfer: Transfer
  let id: TransferID
  /// At the inviter: the attempt to connect.
  var dialler: BulkDialler?
  /// At the host: an accepted connection that waits until the thread of the one before has ended.
  var successor: FramedConnection?
  var pump: Pump?
  /// At the inviter: when to dial, nil while connected or not accepted.
  var nextDial: ContinuousClock.Instant?
  var backoff = Backoff(initial: .milliseconds(300), maximum: .seconds(5))
  /// At the sender: everything is sent; the verdict has to come on the control plane until then.
  var verdictDue: ContinuousClock.Instant?
  /// When a byte moved last, or the silence had a good reason.
  var lastActivity: ContinuousClock.Instant
  private var lastMovedBytes: UInt64 = 0

  init(_ transfer: Transfer, _ id: TransferID, at now: ContinuousClock.Instant) {
    self.transfer = transfer
    self.id = id
    lastActivity = now
  }

  /// Looks at what the thread did.
  func sample(at now: ContinuousClock.Instant) {
    guard let meter = pump?.meter else { return }
    let moved = meter.movedBytes.load(ordering: .relaxed)
    if moved != lastMovedBytes || meter.isHeldBack.load(ordering: .relaxed) {
      lastMovedBytes = moved
      lastActivity = now
    }
    let content = meter.contentBytes.load(ordering: .relaxed)
    // 0 is what a new connection starts with, before the two sides know where they are.
    if content > 0 { transfer.advance(to: content) }
  }

  func connected(_ pump: Pump, at now: ContinuousClock.Instant) {
    self.pump = pump
    lastMovedBytes = 0
    lastActivity = now
    nextDial = nil
    verdictDue = nil
  }
}
