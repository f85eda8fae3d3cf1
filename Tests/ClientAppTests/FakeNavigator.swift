import PeerLink
import PeerProtocol
import RemoteControl
import SecureTransport
import ServiceRuntime
import TestSupport

/// Trusts whom the test says.
final class TestTrust: PeerTrust {
  var ids: Set<PeerID> = []
  func isTrusted(_ id: PeerID) -> Bool { ids.contains(id) }
}

/// A vehicle's side of the session: it notes each frame and answers as the test says.
final class FakeNavigator {
  let id: PeerID
  let trust = TestTrust()
  private(set) var frames: [RemoteControlCommand] = []
  private(set) var ends: [SessionEnd] = []
  private(set) var isConnected = false
  /// The receipts for a frame; sent at once.
  var answer: (RemoteControlCommand) -> [CommandReceipt] = { FakeNavigator.receipts($0, .accepted) }
  private let transceiver: PeerTransceiver
  private let state: TemporaryDirectory

  init(_ name: String, dialling port: UInt16, on loop: EventLoop) throws {
    state = try TemporaryDirectory()
    let identity = try Identity.loadOrCreate(directory: state.path, commonName: name)
    id = identity.peerID
    transceiver = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: name, serviceType: "_client-test._tcp", endpoints: [PeerEndpoint(host: "127.0.0.1", port: port)]
      ),
      identity: identity, trust: trust, loop: loop, logger: .silent)
    transceiver.onConnected = { [weak self] _ in self?.isConnected = true }
    transceiver.onDisconnected = { [weak self] _, end in
      self?.isConnected = false
      self?.ends.append(end)
    }
    transceiver.onMessage = { [weak self] peer, message in self?.received(message, peer) }
  }

  func start() throws { try transceiver.start() }
  func stop() { transceiver.stop() }

  func disconnect() { for peer in transceiver.connectedPeers { transceiver.disconnect(peer.id) } }

  func tell(_ messageClass: RemoteControlMessageClass, _ payload: [UInt8]) {
    for peer in transceiver.connectedPeers {
      _ = transceiver.send(messageClass.rawValue, payload, to: peer.id)
    }
  }

  /// Received and a final receipt for the verb that a frame asks for; none for a periodic frame.
  static func receipts(
    _ frame: RemoteControlCommand, _ stage: CommandReceipt.Stage, reason: String = ""
  ) -> [CommandReceipt] {
    guard let verb = verb(frame), let sequence = frame.sequence else { return [] }
    return [.received, stage].map {
      CommandReceipt(sequence: sequence, stage: $0, verb: verb, reason: $0.isFinal ? reason : "")
    }
  }

  static func verb(_ frame: RemoteControlCommand) -> String? {
    if frame.stop { return "stop" }
    if frame.land { return "land" }
    if frame.returnToLaunch { return "return" }
    if frame.takeoff { return "takeoff" }
    if frame.reset { return "reset" }
    if frame.takeControl { return "take-control" }
    if frame.handOver { return "hand-over" }
    if frame.keep { return "keep" }
    return frame.engage ? "goto" : nil
  }

  private func received(_ message: ReceivedMessage, _ peer: Peer) {
    guard message.messageClass == RemoteControlMessageClass.command.rawValue,
      let frame = try? RemoteControlCommand(encoded: Array(message.payload))
    else { return }
    frames.append(frame)
    for receipt in answer(frame) {
      _ = transceiver.send(RemoteControlMessageClass.receipt.rawValue, receipt.encoded(), to: peer.id)
    }
  }
}
