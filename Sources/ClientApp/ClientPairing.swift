public import Configuration
import PeerAdministration
import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

/// A pairing that the operator of this client accepts, until it succeeds, fails for good or its time is over.
public final class ClientPairing {
  private let host: PairingHost
  private var narrator: PairingNarrator
  private let store: TrustStore
  private let onReply: (ControlReply) -> Void
  private let onNotice: (PairingNotice) -> Void
  private let onEnd: () -> Void

  /// - Returns: nil while another pairing is under way.
  fileprivate init?(
    _ options: ClientPairOptions, of service: ClientService, onReply: @escaping (ControlReply) -> Void,
    onNotice: @escaping (PairingNotice) -> Void, onEnd: @escaping () -> Void
  ) {
    let store = TrustStore(directory: service.settings.stateDirectory)
    let code = options.code.flatMap { PairingCode($0) }
    guard
      let host = PairingHost.open(
        on: service.transceiver, key: code.map { .code($0) } ?? .compare, duration: options.timeout,
        // A typed code is the same in the next attempt, and would use up the vehicle's.
        attempts: code == nil ? PairingWindow.maximumAttempts : 1,
        store: { id, name in try store.add(id, name: name) })
    else { return nil }
    self.host = host
    self.store = store
    self.onReply = onReply
    self.onNotice = onNotice
    self.onEnd = onEnd
    narrator = PairingNarrator(
      PairingNarrator.Words(
        peer: "vehicle",
        otherCommand: code == nil ? "drone-navigator pair" : "drone-navigator pair --accept-for 2m",
        untrustCommand: service.settings.untrustCommand))
    host.onEvent = { [weak self] event in self?.take(event) }
  }

  public func answer(isSame: Bool) { host.answer(isSame: isSame) }
  public func cancel() { host.close() }

  private func take(_ event: PairingEvent) {
    let trusted = (try? store.load()) ?? TrustList()
    for notice in narrator.take(event, trusted: trusted) {
      onReply(.pairing(notice))
      onNotice(notice)
    }
    if let code = narrator.exitCode {
      onEnd()
      onReply(.end(code, error: nil))
    }
  }
}

extension ClientService {
  /// Accepts a vehicle to be paired; the last reply is `.end`.
  ///
  /// - Returns: nil when it ended at once.
  @discardableResult
  public func pair(
    _ options: ClientPairOptions, onReply: @escaping (ControlReply) -> Void
  ) -> ClientPairing? {
    let pairing = ClientPairing(
      options, of: self, onReply: onReply,
      onNotice: { [weak self] notice in
        switch notice {
        case .line(let text): self?.console?.line("pairing: \(shown(text))")
        case .alarm(let text): self?.console?.line("pairing: WARNING: \(shown(text))")
        case .question, .withdrawn: break
        }
      }, onEnd: { [weak self] in self?.pairing = nil })
    guard let pairing else {
      onReply(.end(.serviceUnavailable, error: "pairing is under way already"))
      return nil
    }
    self.pairing = pairing
    let duration = options.timeout.inSeconds
    let text =
      "'\(settings.name)' (\(settings.id.short)) accepts pairing for \(Int(duration)) s; on the vehicle: drone-navigator pair"
      + (options.code == nil ? "" : " --accept-for 2m")
    onReply(.pairing(.line(text)))
    console?.line("pairing: accepted for \(Int(duration)) s")
    if let advertisingProblem {
      onReply(
        .pairing(
          .line(
            "not advertised: \(advertisingProblem); a vehicle reaches it with --connect HOST:PORT at \(transceiver.localAddress?.description ?? "")"
          )))
    }
    return pairing
  }
}
