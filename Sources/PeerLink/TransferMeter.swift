import PeerProtocol
import Synchronization

/// What a worker thread and the loop tell each other about one bulk connection, without waiting.
final class TransferMeter: Sendable {
  /// Content that is there (receiver) or handed to the kernel (sender), resumed prefix included.
  let contentBytes = Atomic<UInt64>(0)
  /// Every byte in either direction, so that silence shows.
  let movedBytes = Atomic<UInt64>(0)
  /// This side has stopped reading because its application takes no more: the silence is its own.
  let isHeldBack = Atomic<Bool>(false)
  /// The worker ends as soon as it sees this.
  let isStopped = Atomic<Bool>(false)
  private let disposalCode = Atomic<UInt8>(0)

  /// Set before `isStopped` when the transfer is over: the worker disposes of the disk's end, and keeps a partial result if this
  /// is true. Nil while another connection may go on.
  var disposal: Bool? {
    get {
      switch disposalCode.load(ordering: .acquiring) {
      case 1: false
      case 2: true
      default: nil
      }
    }
    set {
      let code: UInt8 = newValue.map { $0 ? 2 : 1 } ?? 0
      disposalCode.store(code, ordering: .releasing)
    }
  }
}

/// How the work on one bulk connection ended.
enum TransferPumpEnd: Error, Equatable, Sendable {
  /// The receiver has everything in its place; or both directions of a stream have ended.
  case finished
  /// The sender has sent everything, and the receiver closed.
  case sentAll
  /// The network broke; a new connection may go on.
  case broken(String)
  /// The transfer cannot go on.
  case failed(TransferReason, String)
  /// The loop asked for it.
  case stopped
}
