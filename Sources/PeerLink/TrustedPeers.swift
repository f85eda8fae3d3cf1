public import PeerProtocol
public import SecureTransport
public import ServiceRuntime

/// The trust file of a state directory, read anew whenever it changes.
public final class TrustedPeers: PeerTrust {
  /// Called after each change, when `isTrusted` already answers by the new file.
  public var onChange: (() -> Void)?
  private let watch: TrustFileWatch

  /// - Throws: `TrustError` when the file or its directory cannot be read or watched.
  public init(directory: String, loop: EventLoop, logger: Logger) throws(TrustError) {
    watch = try TrustFileWatch(TrustStore(directory: directory), on: loop)
    for problem in watch.list.problems { logger.warning("\(problem)") }
    watch.onChange = { [weak self] change in
      for problem in change.list.problems { logger.warning("\(problem)") }
      self?.onChange?()
    }
    watch.onError = { error in logger.warning("\(error)") }
  }

  /// All of them at this moment.
  public var list: TrustList { watch.list }
  public var count: Int { watch.list.peers.count }
  public func isTrusted(_ id: PeerID) -> Bool { watch.list.contains(id) }
  public func name(of id: PeerID) -> String? { watch.list.name(of: id) }
}
