import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import TestSupport
import Testing

@testable import PeerLink

/// What a connection is for is said by its first frame.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PurposeTests {
  private let loop: EventLoop
  private let friend: Identity
  private let host: Node

  init() throws {
    loop = try EventLoop()
    friend = try Node.freshIdentity("friend")
    host = try Node("host", trusting: [friend.peerID], port: 0, on: loop)
  }

  private final class Taken {
    var connections: [FramedConnection] = []
    var frames: [ControlFrame] = []
  }

  private func register(_ type: UInt8, admitsStrangers: Bool) -> Taken {
    let taken = Taken()
    host.transceiver.purposes[type] = Purpose(admitsStrangers: admitsStrangers) { connection, frame in
      taken.connections.append(connection)
      taken.frames.append(frame)
    }
    return taken
  }

  @Test func aRegisteredPurposeTakesTheConnection() throws {
    let taken = register(16, admitsStrangers: false)
    let raw = try RawPeer.dial(host, identity: friend, on: loop)
    raw.send(.purpose(type: 16, payload: [1, 2]))
    #expect(loop.runUntil(.seconds(2)) { !taken.frames.isEmpty })
    #expect(taken.frames == [.purpose(type: 16, payload: [1, 2])])
    #expect(taken.connections.first?.peerID == friend.peerID)
    #expect(raw.frames.isEmpty && host.events.isEmpty, "nothing is said before the purpose is known")
    taken.connections.first?.send(.purpose(type: 17, payload: [3]))
    #expect(loop.runUntil(.seconds(2)) { raw.frames == [.purpose(type: 17, payload: [3])] })
    // It has no session, so no time limit of a session either.
    loop.run(for: .milliseconds(300))
    #expect(taken.connections.first?.isOpen == true)
  }

  @Test func aConnectionIsGivenAwayWithAllThatBelongsToIt() throws {
    let taken = register(16, admitsStrangers: false)
    let raw = try RawPeer.dial(host, identity: friend, on: loop)
    raw.send(ControlFrame.purpose(type: 16, payload: []).encoded + [9, 9, 9])
    #expect(loop.runUntil(.seconds(2)) { !taken.frames.isEmpty })
    loop.run(for: .milliseconds(50))
    let connection = try #require(taken.connections.first)
    let detached = try #require(connection.detach())
    #expect(connection.isEnded && connection.detach() == nil)
    #expect(detached.unreadPlaintext == [9, 9, 9] && detached.unsentCiphertext.isEmpty)
    let record = try detached.engine.send(ControlFrame.pong(number: 4).encoded)
    #expect(write(detached.descriptor, record, record.count) == record.count)
    #expect(loop.runUntil(.seconds(2)) { raw.frames == [.pong(number: 4)] })
    close(detached.descriptor)
    #expect(loop.runUntil(.seconds(2)) { raw.isGone })
  }

  @Test func aConnectionMayBeGivenAwayWithinItsFirstFrame() throws {
    var detached: DetachedConnection?
    host.transceiver.purposes[20] = Purpose { connection, _ in detached = connection.detach() }
    let raw = try RawPeer.dial(host, identity: friend, on: loop)
    raw.send(ControlFrame.purpose(type: 20, payload: []).encoded + [7])
    #expect(loop.runUntil(.seconds(2)) { detached != nil })
    #expect(detached?.unreadPlaintext == [7])
    close(try #require(detached).descriptor)
  }

  @Test func aStrangerMayComeOnlyForWhatAdmitsStrangers() throws {
    let bulk = register(16, admitsStrangers: false)
    let pairing = register(24, admitsStrangers: true)
    let stranger = try Node.freshIdentity()
    let first = try RawPeer.dial(host, identity: stranger, on: loop)
    first.send(.purpose(type: 24, payload: [1]))
    #expect(loop.runUntil(.seconds(2)) { pairing.frames == [.purpose(type: 24, payload: [1])] })
    #expect(first.frames.isEmpty && host.events.isEmpty)
    let refusal = ControlFrame.decline(.untrusted, text: "unknown identity \(stranger.peerID.hex)")
    for frame in [ControlFrame.purpose(type: 16, payload: []), .hello(Hello(runID: 1, name: "x"))] {
      let raw = try RawPeer.dial(host, identity: stranger, on: loop)
      raw.send(frame)
      #expect(loop.runUntil(.seconds(2)) { raw.saidFarewell })
      #expect(raw.frames == [refusal])
    }
    #expect(bulk.frames.isEmpty)
    #expect(host.events == [.stranger(stranger.peerID), .stranger(stranger.peerID)])
  }

  static let misfits: [ControlFrame] = [
    .purpose(type: 17, payload: []), .ping(number: 1), .accept, .invitation(timeLimitSeconds: 1, context: []),
    .message(MessageFrame(messageClass: 1, sequence: 1, senderClockMilliseconds: 0, payload: [])),
    .relayed([1]), .acknowledge(count: 1), .resumed(received: 1),
    .datagramOffer(DatagramOffer(association: 1, port: 1)),
  ]

  @Test(arguments: misfits) func aFirstFrameWithoutAPlaceIsSentAway(frame: ControlFrame) throws {
    let raw = try RawPeer.dial(host, identity: friend, on: loop)
    raw.send(frame)
    #expect(loop.runUntil(.seconds(2)) { raw.saidFarewell })
    #expect(raw.frames == [.goodbye(.protocolError, text: "a frame that has no place here")])
  }

  @Test func whoSaysNothingIsSentAwayInTime() throws {
    var limits = AdmissionLimits()
    limits.session.introduction = .milliseconds(300)
    let host = try Node("host", trusting: [friend.peerID], port: 0, limits: limits, on: loop)
    let raw = try RawPeer.dial(host, identity: friend, on: loop)
    #expect(loop.runUntil(.seconds(2)) { raw.saidFarewell })
    #expect(raw.frames == [.goodbye(.other, text: "no introduction in time")])
  }
}
