import Glibc
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Testing

@testable import PeerLink

/// One side of a pairing, with what its operator saw.
final class PairingSide {
  private(set) var events: [PairingEvent] = []
  private(set) var stored: [PeerID: String] = [:]
  var storeFailure: SystemError?
  /// What the operator does with digits, at once; nil to wait.
  var answer: Bool?
  fileprivate var reply: ((Bool) -> Void)?

  func store(_ id: PeerID, _ name: String) throws {
    if let storeFailure { throw storeFailure }
    stored[id] = name
  }

  func note(_ event: PairingEvent) {
    events.append(event)
    if case .compare = event, let answer { reply?(answer) }
  }

  var digits: [PairingCode] {
    events.compactMap { if case .compare(let code, _) = $0 { code } else { nil } }
  }
  var ends: [PairingEnd] {
    events.compactMap { if case .attemptEnded(let end, _, _) = $0 { end } else { nil } }
  }
  var closure: PairingWindow.Closure? {
    events.compactMap { if case .closed(let closure) = $0 { closure } else { nil } }.first
  }
  var hasAlarm: Bool {
    ends.contains { if case .failed(let failure, _) = $0 { failure.isAlarming } else { false } }
  }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct PairingTests {
  private let loop: EventLoop
  private let host: Node
  private let inviterIdentity: Identity
  private let code: PairingCode

  init() throws {
    // As the programs do: a side that leaves while the other one writes is part of these tests.
    SignalWatch.ignoreBrokenPipes()
    loop = try EventLoop()
    host = try Node("laptop", port: 0, on: loop)
    inviterIdentity = try Node.freshIdentity("Drone")
    code = try #require(PairingCode("123456"))
  }

  private func open(
    _ key: PairingKey, _ side: PairingSide, duration: Duration = .seconds(30), attempts: Int = 3,
    on node: Node? = nil
  ) throws -> PairingHost {
    let pairing = try #require(
      PairingHost.open(
        on: (node ?? host).transceiver, key: key, duration: duration, attempts: attempts, store: side.store))
    side.reply = { [weak pairing] in pairing?.answer(isSame: $0) }
    pairing.onEvent = { side.note($0) }
    return pairing
  }

  private func invite(
    _ key: PairingKey, _ side: PairingSide, to endpoint: PeerEndpoint? = nil, identity: Identity? = nil,
    duration: Duration = .seconds(30), attempts: Int = 1
  ) throws -> PairingInviter {
    let inviter = PairingInviter(
      PairingInviter.Configuration(
        name: "Drone", serviceType: "_drone-test._tcp", choice: .endpoint(endpoint ?? host.endpoint),
        key: key, duration: duration, attempts: attempts),
      identity: identity ?? inviterIdentity, store: side.store, loop: loop, logger: host.log.logger)
    side.reply = { [weak inviter] in inviter?.answer(isSame: $0) }
    inviter.onEvent = { side.note($0) }
    try inviter.start()
    return inviter
  }

  @Test func `two people who see the same digits end with trust on both sides`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let window = try open(.compare, atHost)
    let inviter = try invite(.compare, atInviter)
    #expect(loop.runUntil(.seconds(10)) { !atHost.digits.isEmpty && !atInviter.digits.isEmpty })
    #expect(atHost.digits == atInviter.digits)
    inviter.answer(isSame: true)
    loop.run(for: .milliseconds(200))
    #expect(atHost.stored.isEmpty && atInviter.stored.isEmpty, "one confirmation is not enough")
    window.answer(isSame: true)
    #expect(loop.runUntil(.seconds(5)) { atHost.closure != nil && atInviter.closure != nil })
    #expect(atHost.closure == .paired && atInviter.closure == .paired)
    #expect(atHost.stored == [inviterIdentity.peerID: "Drone"])
    #expect(atInviter.stored == [host.id: "laptop"])
  }

  @Test func `the same code pairs without anybody at the vehicle`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let inviter = try invite(.code(code), atInviter, attempts: 3)
    loop.run(for: .milliseconds(300))
    #expect(atInviter.closure == nil, "it waits for a window")
    let window = try open(.code(code), atHost, attempts: 1)
    #expect(loop.runUntil(.seconds(10)) { atHost.closure != nil && atInviter.closure != nil })
    #expect(atHost.closure == .paired && atInviter.closure == .paired)
    #expect(atHost.stored == [inviterIdentity.peerID: "Drone"])
    #expect(atInviter.stored == [host.id: "laptop"])
    withExtendedLifetime((window, inviter)) {}
  }

  @Test func `a host that takes the connection and says nothing does not keep the window open`() throws {
    var silent: [TCPConnection] = []
    let listener = try TCPListener(on: .loopbackV4(port: 0), loop: loop)
    listener.onAccept = { silent.append($0) }
    let side = PairingSide()
    let inviter = try invite(
      .code(code), side, to: PeerEndpoint(host: "127.0.0.1", port: listener.localAddress.port),
      duration: .milliseconds(500))
    #expect(loop.runUntil(.seconds(5)) { side.closure != nil })
    #expect(side.closure == .timedOut && silent.count == 1)
    withExtendedLifetime((inviter, listener)) {}
  }

  @Test func `three wrong codes close the window with an alarm each`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let window = try open(.code(code), atHost)
    let wrong = try #require(PairingCode("123457"))
    for attempt in 1...3 {
      let side = PairingSide()
      let inviter = try invite(.code(wrong), side)
      #expect(loop.runUntil(.seconds(5)) { side.closure != nil && atHost.ends.count == attempt })
      #expect(side.closure == .exhausted)
      #expect(side.hasAlarm)
      withExtendedLifetime(inviter) {}
    }
    #expect(atHost.closure == .exhausted && atHost.hasAlarm)
    let right = try invite(.code(code), atInviter, duration: .seconds(2))
    #expect(loop.runUntil(.seconds(5)) { atInviter.closure != nil })
    #expect(atInviter.closure == .timedOut, "the right code comes too late")
    #expect(atHost.stored.isEmpty && atInviter.stored.isEmpty)
    withExtendedLifetime((window, right)) {}
  }

  @Test func `a no alarms both sides and stores nothing`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    atHost.answer = false
    atInviter.answer = true
    let window = try open(.compare, atHost)
    let inviter = try invite(.compare, atInviter)
    #expect(loop.runUntil(.seconds(10)) { atInviter.closure != nil && !atHost.ends.isEmpty })
    #expect(atHost.hasAlarm && atInviter.hasAlarm)
    #expect(atHost.stored.isEmpty && atInviter.stored.isEmpty)
    #expect(atHost.closure == nil, "two attempts are left")
    withExtendedLifetime((window, inviter)) {}
  }

  /// A real one: TLS ends at it on both sides, with a certificate of its own, and it follows the protocol on both.
  @Test func `somebody in between makes the two screens differ`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let (middleAsHost, middleAsInviter) = (PairingSide(), PairingSide())
    for side in [middleAsHost, middleAsInviter] { side.answer = true }
    let middle = try Node("laptop", port: 0, on: loop)
    let window = try open(.compare, atHost)
    let trap = try open(.compare, middleAsHost, on: middle)
    let mimic = try invite(.compare, middleAsInviter, identity: middle.identity)
    let inviter = try invite(.compare, atInviter, to: middle.endpoint)
    #expect(loop.runUntil(.seconds(10)) { !atHost.digits.isEmpty && !atInviter.digits.isEmpty })
    let (here, there) = (try #require(atHost.digits.first), try #require(atInviter.digits.first))
    #expect(here != there)
    window.answer(isSame: here == there)
    inviter.answer(isSame: here == there)
    #expect(loop.runUntil(.seconds(5)) { !atHost.ends.isEmpty && !atInviter.ends.isEmpty })
    #expect(atHost.hasAlarm && atInviter.hasAlarm)
    #expect(atHost.stored.isEmpty && atInviter.stored.isEmpty)
    #expect(middleAsHost.stored.isEmpty && middleAsInviter.stored.isEmpty)
    withExtendedLifetime((trap, mimic)) {}
  }

  /// It passes every frame on unchanged between its two TLS connections.
  @Test(arguments: [PairingMethod.compare, .code])
  func `somebody in between who only passes on gets nowhere`(_ method: PairingMethod) throws {
    let key: PairingKey = method == .compare ? .compare : .code(code)
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let middle = try Node.freshIdentity("middle")
    let window = try open(key, atHost)
    var legs: [(RawPeer, RawPeer)] = []
    let listener = try RawPeer.listen(identity: middle, on: loop) { fromInviter in
      guard let toHost = try? RawPeer.dial(self.host, identity: middle, on: loop) else { return }
      legs.append((fromInviter, toHost))
    }
    let inviter = try invite(key, atInviter, to: .init(host: "127.0.0.1", port: listener.localAddress.port))
    var passed = (0, 0)
    let relay = loop.repeating(every: .milliseconds(10)) {
      guard let (one, other) = legs.first else { return }
      while passed.0 < one.frames.count {
        other.send(one.frames[passed.0])
        passed.0 += 1
      }
      while passed.1 < other.frames.count {
        one.send(other.frames[passed.1])
        passed.1 += 1
      }
    }
    #expect(loop.runUntil(.seconds(10)) { !atHost.ends.isEmpty && !atInviter.ends.isEmpty })
    #expect(passed.0 >= 3 && passed.1 >= 2)
    #expect(atHost.hasAlarm && atInviter.hasAlarm)
    #expect(atHost.stored.isEmpty && atInviter.stored.isEmpty)
    relay.cancel()
    withExtendedLifetime((window, inviter)) {}
  }

  @Test func `without a window a stranger is turned away as ever`() throws {
    let atInviter = PairingSide()
    let inviter = try invite(.compare, atInviter, duration: .milliseconds(1500))
    #expect(loop.runUntil(.seconds(5)) { atInviter.closure != nil })
    #expect(atInviter.closure == .timedOut)
    #expect(
      atInviter.ends.first
        == .failed(.refused(.closed, "unknown identity \(inviterIdentity.peerID.hex)"), peerMayTrust: false))
    #expect(host.events.contains(.stranger(inviterIdentity.peerID)))
    withExtendedLifetime(inviter) {}
  }

  @Test func `a peer that is trusted already may pair again`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    host.trust.ids = [inviterIdentity.peerID]
    let early = try invite(.code(code), PairingSide(), duration: .milliseconds(500))
    loop.run(for: .milliseconds(300))
    early.cancel()
    let window = try open(.code(code), atHost)
    let inviter = try invite(.code(code), atInviter)
    #expect(loop.runUntil(.seconds(5)) { atHost.closure == .paired && atInviter.closure == .paired })
    withExtendedLifetime((window, inviter)) {}
  }

  @Test func `the window closes in time and takes nobody after that`() throws {
    let atHost = PairingSide()
    let window = try open(.compare, atHost, duration: .milliseconds(300))
    #expect(host.transceiver.announcesPairing)
    #expect(PairingHost.open(on: host.transceiver, key: .compare, store: { _, _ in }) == nil)
    #expect(loop.runUntil(.seconds(3)) { atHost.closure == .timedOut })
    #expect(!host.transceiver.announcesPairing)
    let again = PairingHost.open(on: host.transceiver, key: .compare, store: { _, _ in })
    #expect(again != nil)
    withExtendedLifetime((window, again)) {}
  }

  @Test func `a second peer is told that the first one is being decided about`() throws {
    let (atHost, first, second) = (PairingSide(), PairingSide(), PairingSide())
    let window = try open(.compare, atHost)
    let one = try invite(.compare, first)
    #expect(loop.runUntil(.seconds(5)) { !first.digits.isEmpty })
    let other = try invite(
      .compare, second, identity: try Node.freshIdentity("other"), duration: .seconds(2))
    #expect(loop.runUntil(.seconds(5)) { second.closure != nil })
    #expect(second.ends.first == .failed(.refused(.busy, ""), peerMayTrust: false))
    #expect(atHost.digits.count == 1)
    withExtendedLifetime((window, one, other)) {}
  }

  @Test func `different methods are explained and use up nothing`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let window = try open(.code(code), atHost)
    let inviter = try invite(.compare, atInviter)
    #expect(loop.runUntil(.seconds(5)) { atInviter.closure != nil })
    #expect(atInviter.ends == [.failed(.refused(.otherMethod, "it has a code"), peerMayTrust: false)])
    guard case .attemptEnded(.failed(.otherMethod(.compare), _), let peer, 3) = atHost.events.last else {
      Issue.record("\(atHost.events)")
      return
    }
    #expect(peer?.name == "Drone")
    withExtendedLifetime((window, inviter)) {}
  }

  @Test func `a peer with our own identity is turned away`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let window = try open(.compare, atHost)
    let inviter = try invite(.compare, atInviter, identity: host.identity)
    #expect(loop.runUntil(.seconds(5)) { atInviter.closure != nil })
    #expect(atHost.ends.isEmpty)
    withExtendedLifetime((window, inviter)) {}
  }

  @Test func `a disk that is full leaves a half pairing that both know of`() throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    atHost.storeFailure = SystemError("write the trust file", code: ENOSPC)
    let window = try open(.code(code), atHost)
    let inviter = try invite(.code(code), atInviter)
    #expect(loop.runUntil(.seconds(5)) { atInviter.closure != nil && !atHost.ends.isEmpty })
    #expect(atInviter.closure == .halfPaired)
    guard case .failed(.notStored, peerMayTrust: true) = atHost.ends.first else {
      Issue.record("\(atHost.ends)")
      return
    }
    withExtendedLifetime((window, inviter)) {}
  }

  @Test(arguments: [true, false])
  func `giving up on one side ends the other`(_ byHost: Bool) throws {
    let (atHost, atInviter) = (PairingSide(), PairingSide())
    let window = try open(.compare, atHost)
    let inviter = try invite(.compare, atInviter)
    #expect(loop.runUntil(.seconds(5)) { !atHost.digits.isEmpty && !atInviter.digits.isEmpty })
    if byHost { window.close() } else { inviter.cancel() }
    #expect(loop.runUntil(.seconds(5)) { !atHost.ends.isEmpty && !atInviter.ends.isEmpty })
    #expect(atHost.stored.isEmpty && atInviter.stored.isEmpty)
    #expect((byHost ? atHost : atInviter).closure == .cancelled)
  }

  /// Whoever stays silent, or says something else, holds one place for seconds and no more.
  @Test func `garbage in a window ends that connection and leaves the window`() throws {
    let atHost = PairingSide()
    let window = try open(.compare, atHost)
    let hello = PairingFrame.hello(PairingHello(method: .compare, name: "x\u{1B}[2J"))
    for frame in [
      ControlFrame.purpose(type: 31, payload: []), .purpose(type: 24, payload: [1]), .ping(number: 1),
      .purpose(type: 29, payload: []),
    ] {
      let raw = try RawPeer.dial(host, identity: try Node.freshIdentity(), on: loop)
      raw.send(.purpose(type: hello.type, payload: hello.payload[...]))
      raw.send(frame)
      #expect(loop.runUntil(.seconds(5)) { raw.saidFarewell || raw.isGone })
    }
    #expect(atHost.ends.count == 4 && atHost.closure == nil)
    for event in atHost.events {
      guard case .attemptEnded(.failed(.brokeProtocol, _), let peer, 3) = event else {
        Issue.record("\(event)")
        continue
      }
      #expect(peer?.name == "x[2J", "control characters never reach a terminal")
    }
    withExtendedLifetime(window) {}
  }
}
