import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime

/// The paired peers of a node and its policy; confined to the node's loop.
final class NodeTrust: PeerTrust {
  private enum Store {
    /// For this run only.
    case memory([PeerProtocol.PeerID: String])
    case file(TrustStore, TrustFileWatch)
  }

  /// Told after each change of the paired peers.
  var onChange: (() -> Void)?

  private let policy: TrustPolicy
  private var store: Store

  /// - Parameter directory: nil keeps the paired peers in memory.
  init(policy: TrustPolicy, directory: String?, loop: EventLoop, logger: Logger) throws(PeerNodeError) {
    self.policy = policy
    guard let directory else {
      store = .memory([:])
      return
    }
    let file = TrustStore(directory: directory)
    let watch: TrustFileWatch
    do throws(TrustError) { watch = try TrustFileWatch(file, on: loop) } catch {
      throw .state(error.description)
    }
    store = .file(file, watch)
    for problem in watch.list.problems { logger.warning("\(problem)") }
    watch.onChange = { [weak self] change in
      for problem in change.list.problems { logger.warning("\(problem)") }
      self?.onChange?()
    }
    watch.onError = { error in logger.warning("\(error)") }
  }

  deinit { cancel() }

  /// No call of the handler follows. Idempotent.
  func cancel() {
    onChange = nil
    if case .file(_, let watch) = store { watch.cancel() }
  }

  var paired: [(id: PeerProtocol.PeerID, name: String)] {
    switch store {
    case .memory(let names): names.sorted { $0.key < $1.key }.map { (id: $0.key, name: $0.value) }
    case .file(_, let watch): watch.list.peers.map { (id: $0.id, name: $0.name) }
    }
  }

  func isPaired(_ id: PeerProtocol.PeerID) -> Bool {
    switch store {
    case .memory(let names): names[id] != nil
    case .file(_, let watch): watch.list.contains(id)
    }
  }

  func add(_ id: PeerProtocol.PeerID, name: String) throws(PeerNodeError) {
    switch store {
    case .memory(var names):
      names[id] = sanitizedPeerName(name)
      store = .memory(names)
      onChange?()
    case .file(let file, let watch):
      do throws(TrustError) {
        try file.add(id, name: name)
        // Not by the watch alone: trust that was given counts from the next line on.
        watch.check()
      } catch { throw .state(error.description) }
    }
  }

  func remove(_ id: PeerProtocol.PeerID) throws(PeerNodeError) {
    switch store {
    case .memory(var names):
      guard names.removeValue(forKey: id) != nil else { return }
      store = .memory(names)
      onChange?()
    case .file(let file, let watch):
      do throws(TrustError) {
        try file.remove(id)
        watch.check()
      } catch { throw .state(error.description) }
    }
  }

  func isTrusted(_ id: PeerProtocol.PeerID) -> Bool { verdict(on: id) == .trusted }

  func verdict(on id: PeerProtocol.PeerID) -> PeerVerdict {
    switch policy.verdict(Peer.ID(id), isPaired(id)) {
    case .trust: .trusted
    case .ask: .ask
    case .refuse: .refuse
    }
  }
}
