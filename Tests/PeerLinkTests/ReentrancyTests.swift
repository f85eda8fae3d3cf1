import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

@testable import PeerLink

/// Handlers that act on the transceiver from within.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ReentrancyTests {
  enum Moment: CaseIterable, Sendable { case connected, message, disconnected, dialFailure }
  enum Action: CaseIterable, Sendable { case send, disconnect, stop, distrust, flood }

  struct Trial: Sendable, CustomTestStringConvertible {
    let moment: Moment
    let action: Action
    let atHost: Bool
    var testDescription: String { "\(action) when \(moment) at the \(atHost ? "host" : "inviter")" }
  }

  static let trials = Moment.allCases.flatMap { moment in
    Action.allCases.flatMap { action in
      // A host dials nobody.
      (moment == .dialFailure ? [false] : [true, false]).map {
        Trial(moment: moment, action: action, atHost: $0)
      }
    }
  }

  @Test(arguments: trials) func handlersMayActFromWithin(trial: Trial) throws {
    let pair = try NodePair()
    let (actor, other) = trial.atHost ? (pair.host, pair.inviter) : (pair.inviter, pair.host)
    var acted = 0
    actor.onEvent = { [unowned actor] event in
      let isMoment =
        switch (event, trial.moment) {
        case (.connected, .connected), (.message, .message), (.disconnected, .disconnected),
          (.dialFailure, .dialFailure):
          true
        default: false
        }
      guard isMoment, acted < 5 else { return }
      acted += 1
      switch trial.action {
      case .send: _ = actor.transceiver.send(1, [1], to: other.id)
      case .disconnect: actor.transceiver.disconnect(other.id)
      case .stop: actor.transceiver.stop()
      case .distrust:
        actor.trust.ids = []
        actor.transceiver.trustChanged()
      case .flood:
        for _ in 0..<50 {
          _ = actor.transceiver.send(1, [UInt8](repeating: 1, count: 60_000), to: other.id)
        }
      }
    }
    other.onEvent = { [unowned other, id = actor.id] event in
      guard case .connected = event else { return }
      _ = other.transceiver.send(2, [1, 2, 3], to: id)
      if trial.moment == .disconnected { other.transceiver.disconnect(id) }
    }
    if trial.moment == .dialFailure { other.trust.ids = [] }
    #expect(pair.loop.runUntil { acted > 0 })
    pair.loop.run(for: .milliseconds(60))
    pair.host.transceiver.stop()
    pair.inviter.transceiver.stop()
    _ = pair.loop.runUntil(.milliseconds(100)) {
      [pair.host, pair.inviter].allSatisfy {
        $0.peers.isEmpty && $0.transceiver.connections.allSatisfy(\.isEnded)
      }
    }
    // Each told once, in turn: never two ends, never an end without a beginning.
    for node in [actor, other] {
      var isConnected = false
      for event in node.events {
        switch event {
        case .connected:
          #expect(!isConnected)
          isConnected = true
        case .disconnected:
          #expect(isConnected)
          isConnected = false
        case .message, .stranger, .dialFailure: break
        }
      }
      #expect(!isConnected, "\(node.events.suffix(3))")
      #expect(node.peers.isEmpty)
    }
  }

  /// The end of the old session is told while the new one takes its place.
  @Test func stoppingWhileAPeerIsReplacedLeavesNoSession() throws {
    let loop = try EventLoop()
    let friend = try Node.freshIdentity()
    let host = try Node("host", trusting: [friend.peerID], port: 0, on: loop)
    let first = try RawPeer.connect(host, identity: friend, on: loop)
    host.onEvent = { [unowned host] event in
      if case .disconnected = event { host.transceiver.stop() }
    }
    let second = try RawPeer.connect(host, identity: friend, on: loop)
    #expect(loop.runUntil(.seconds(2)) { second.isGone || second.saidFarewell })
    #expect(host.ends == [.disconnected(.replaced)])
    #expect(host.peers.isEmpty)
    #expect(host.connections == 1)
    #expect(loop.runUntil(.seconds(2)) { first.isGone || first.saidFarewell })
  }

  @Test func aTransceiverMayBeLetGoFromWithin() throws {
    let loop = try EventLoop()
    let friend = try Node.freshIdentity()
    var host: Node? = try Node("host", trusting: [friend.peerID], port: 0, on: loop)
    weak let transceiver = host?.transceiver
    let raw = try RawPeer.connect(try #require(host), identity: friend, on: loop)
    host?.onEvent = { event in
      if case .message = event { host = nil }
    }
    let message = MessageFrame(messageClass: 1, sequence: 1, senderClockMilliseconds: 0, payload: [1])
    raw.send(ControlFrame.message(message).encoded + ControlFrame.message(message).encoded)
    #expect(loop.runUntil(.seconds(2)) { raw.isGone })
    #expect(transceiver == nil)
  }
}
