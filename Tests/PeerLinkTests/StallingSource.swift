import FileTransfer
import Glibc
import PeerProtocol
import Synchronization

/// A source whose disk stops for a while after so many bytes.
final class StallingSource: TransferSource {
  private enum State {
    case flowing(left: Int)
    case stalling
    case resumed
  }

  private let source: any TransferSource
  private let state: Mutex<State>

  init(_ source: any TransferSource, after bytes: Int) {
    self.source = source
    state = Mutex(.flowing(left: bytes))
  }

  var isStalling: Bool { state.withLock { if case .stalling = $0 { true } else { false } } }

  func goOn() { state.withLock { $0 = .resumed } }

  func open(entry index: UInt32) throws(StorageError) -> TransferEntry? { try source.open(entry: index) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    var most = buffer.count
    state.withLock { state in
      guard case .flowing(let left) = state else { return }
      if left == 0 { state = .stalling } else { most = min(most, left) }
    }
    while isStalling { usleep(1000) }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<most]))
    state.withLock { state in
      if case .flowing(let left) = state { state = .flowing(left: max(0, left - count)) }
    }
    return count
  }

  func close() { source.close() }
}
