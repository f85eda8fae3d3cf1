import ClientApp
import Configuration
import Geodesy
import PeerLink
import PeerProtocol
import RemoteControl
import SecureTransport
import ServiceRuntime
import Sockets
import TestSupport
import Testing

/// A client and navigators on one loop, connected over the loopback.
final class ClientBench {
  let loop: EventLoop
  let service: ClientService
  let trust = TestTrust()
  let id: PeerID
  let port: UInt16
  private(set) var replies: [ControlReply] = []
  private let transceiver: PeerTransceiver
  private let state: TemporaryDirectory
  private var navigators: [FakeNavigator] = []

  init(position: (any PositionSource)? = nil, isForOneCommand: Bool = false) throws {
    loop = try EventLoop()
    state = try TemporaryDirectory()
    let identity = try Identity.loadOrCreate(directory: state.path, commonName: "Ann")
    id = identity.peerID
    // A type of its own: should the network be a real one, nobody takes this for a client.
    transceiver = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: "Ann", serviceType: "_client-test._tcp", listenAddress: .loopbackV4(port: 0)),
      identity: identity, trust: trust, loop: loop, logger: .silent)
    service = ClientService(
      settings: ClientService.Settings(
        name: "Ann", id: identity.peerID, stateDirectory: state.path, trustCommand: "drone-client trust",
        processID: 1, isForOneCommand: isForOneCommand),
      transceiver: transceiver, position: position, console: nil, loop: loop, logger: .silent)
    try service.start()
    port = transceiver.localAddress?.port ?? 0
  }

  var socketPath: String { ClientService.socketPath(in: state.path) }

  /// A navigator that both sides trust, connected unless told otherwise.
  func navigator(_ name: String = "Drone", connected: Bool = true) throws -> FakeNavigator {
    let navigator = try FakeNavigator(name, dialling: port, on: loop)
    navigator.trust.ids = [id]
    trust.ids.insert(navigator.id)
    navigators.append(navigator)
    try navigator.start()
    if connected { #expect(run { navigator.isConnected && self.connected.contains(name) }) }
    return navigator
  }

  private var connected: [String] { service.status.vehicles.filter(\.isConnected).map(\.label.name) }

  func perform(_ verb: VehicleVerb, _ selection: VehicleSelection = .only, timeout: Duration = .seconds(10)) {
    var options = VehicleCommandOptions(verb)
    options.vehicle = selection
    options.timeout = timeout
    replies = []
    service.perform(options) { self.replies.append($0) }
  }

  var end: (code: ExitCode, error: String?)? {
    for case .end(let code, let error) in replies { return (code, error) }
    return nil
  }

  var outcomes: [CommandOutcome] {
    replies.compactMap { reply in if case .outcome(let outcome) = reply { outcome } else { nil } }
  }

  /// Runs the loop until something holds.
  func run(_ limit: Duration = .seconds(10), until condition: () -> Bool) -> Bool {
    let deadline = loop.now.advanced(by: limit)
    while !condition() {
      if loop.now > deadline { return false }
      loop.runOnce(waitingAtMost: .milliseconds(20))
    }
    return true
  }

  deinit {
    for navigator in navigators { navigator.stop() }
    service.stop()
  }
}

@Suite(.timeLimit(.minutes(1))) struct ClientServiceTests {
  private static let here = Coordinate(latitude: 52.5, longitude: 13.4)!

  @Test func aFrameASecondCarriesThePosition() throws {
    let bench = try ClientBench(position: FixedPosition(Self.here))
    let drone = try bench.navigator()
    #expect(bench.run { drone.frames.count >= 2 })
    #expect(drone.frames.allSatisfy { $0.coordinate == Self.here && FakeNavigator.verb($0) == nil })
    let numbers = drone.frames.compactMap(\.sequence)
    #expect(numbers == numbers.sorted() && Set(numbers).count == drone.frames.count)
  }

  @Test func withoutPositionAFrameASecondCarriesNone() throws {
    let bench = try ClientBench()
    let drone = try bench.navigator()
    #expect(bench.run { drone.frames.count >= 2 })
    #expect(drone.frames.allSatisfy { $0.coordinate == nil })
  }

  @Test func aCommandIsSentAtOnceAndItsOutcomeTold() throws {
    let bench = try ClientBench(position: FixedPosition(Self.here))
    let drone = try bench.navigator()
    drone.answer = { FakeNavigator.receipts($0, .refused, reason: "Arm: Need Position Estimate") }
    bench.perform(.takeoff(altitudeAboveHomeMeters: 12))
    #expect(bench.run { bench.end != nil })
    #expect(bench.end?.code == .refused)
    #expect(bench.outcomes.map(\.result) == [.refused(reason: "Arm: Need Position Estimate")])
    #expect(
      drone.frames.contains { $0.takeoff && $0.takeoffAltitudeMeters == 12 && $0.coordinate == Self.here })
  }

  @Test func gotoHoldsForLaterFramesUnlessRefused() throws {
    let bench = try ClientBench(position: FixedPosition(Self.here))
    let drone = try bench.navigator()
    let place = LatitudeLongitude(latitudeDegrees: 52.6, longitudeDegrees: 13.5)
    bench.perform(.goto(place))
    #expect(bench.run { bench.end?.code == .accepted })
    let count = drone.frames.count
    #expect(bench.run { drone.frames.count > count })
    #expect(drone.frames.last?.coordinate?.latitude == 52.6)
    drone.answer = { FakeNavigator.receipts($0, .refused, reason: "too far") }
    bench.perform(.goto(LatitudeLongitude(latitudeDegrees: 80, longitudeDegrees: 13.5)))
    #expect(bench.run { bench.end?.code == .refused })
    let next = drone.frames.count
    #expect(bench.run { drone.frames.count > next })
    #expect(drone.frames.last?.coordinate?.latitude == 52.6)
  }

  @Test func followWithoutPositionIsRefusedHere() throws {
    let bench = try ClientBench()
    let drone = try bench.navigator()
    bench.perform(.follow)
    #expect(bench.end?.code == .refused)
    #expect(drone.frames.allSatisfy { !$0.engage })
  }

  @Test func stopGoesToAllAndOtherCommandsAskWhich() throws {
    let bench = try ClientBench()
    let drone = try bench.navigator()
    let kite = try bench.navigator("Kite")
    bench.perform(.land)
    #expect(bench.end?.code == .usage)
    bench.perform(.stop)
    #expect(bench.run { bench.end != nil })
    #expect(bench.end?.code == .accepted && bench.outcomes.count == 2)
    bench.perform(.land, .named("Kite"))
    #expect(bench.run { bench.end?.code == .accepted })
    #expect(drone.frames.contains(where: \.stop) && kite.frames.contains(where: \.stop))
    #expect(!drone.frames.contains(where: \.land) && kite.frames.contains(where: \.land))
  }

  @Test func aDeadVehicleDelaysNoOther() throws {
    let bench = try ClientBench()
    let slow = try bench.navigator("Slow")
    let kite = try bench.navigator("Kite")
    slow.answer = { _ in [] }
    bench.perform(.land, .all, timeout: .milliseconds(500))
    // Both are asked before anything is waited for.
    #expect(bench.run { slow.frames.contains(where: \.land) && kite.frames.contains(where: \.land) })
    #expect(bench.run { bench.outcomes.map(\.vehicle) == ["Kite"] })
    #expect(bench.end == nil)
    #expect(bench.run { bench.end?.code == .noAnswer })
    #expect(bench.outcomes.map(\.vehicle) == ["Kite", "Slow"])
  }

  @Test func controlIsAskedForAnsweredAndRefused() throws {
    let bench = try ClientBench(position: FixedPosition(Self.here))
    let drone = try bench.navigator()
    drone.answer = {
      FakeNavigator.receipts($0, $0.takeControl ? .refused : .accepted, reason: "Bob keeps control")
    }
    bench.perform(.takeControl)
    #expect(bench.run { bench.end?.code == .refused })
    #expect(bench.outcomes.map(\.result) == [.refused(reason: "Bob keeps control")])
    for verb in [VehicleVerb.handOver, .keep] {
      bench.perform(verb)
      #expect(bench.run { bench.end?.code == .accepted })
    }
    // Nothing in them says where to fly.
    let asked = drone.frames.filter { $0.takeControl || $0.handOver || $0.keep }
    #expect(asked.count == 3 && asked.allSatisfy { $0.coordinate == nil })
  }

  @Test func silenceEndsAtTheTimeLimit() throws {
    let bench = try ClientBench()
    let drone = try bench.navigator()
    drone.answer = { Array(FakeNavigator.receipts($0, .accepted).prefix(1)) }
    bench.perform(.land, timeout: .milliseconds(200))
    #expect(bench.run { bench.end?.code == .noAnswer })
    #expect(bench.outcomes.map(\.result) == [.noAnswer])
  }

  @Test func aStopWhoseSessionEndsIsSentAgainWhenItIsBack() throws {
    let bench = try ClientBench()
    let drone = try bench.navigator()
    drone.answer = { [weak drone] frame in
      if frame.stop { drone?.disconnect() }
      return []
    }
    bench.perform(.stop)
    #expect(bench.run { !drone.ends.isEmpty })
    drone.answer = { FakeNavigator.receipts($0, .accepted) }
    #expect(bench.run { bench.end?.code == .accepted })
    #expect(drone.frames.count(where: \.stop) == 2)
  }

  @Test func aLandWhoseSessionEndsIsUnknown() throws {
    let bench = try ClientBench()
    let drone = try bench.navigator()
    drone.answer = { [weak drone] frame in
      if frame.land { drone?.disconnect() }
      return []
    }
    bench.perform(.land)
    #expect(bench.run { bench.end?.code == .noAnswer })
    #expect(bench.run { drone.isConnected })
    #expect(drone.frames.count(where: \.land) == 1)
  }

  @Test func withoutVehicleACommandEndsAtOnce() throws {
    let bench = try ClientBench()
    bench.perform(.takeoff(altitudeAboveHomeMeters: nil))
    #expect(bench.end?.code == .noVehicle)
  }

  @Test func aClientForOneCommandWaitsForTheVehicle() throws {
    let bench = try ClientBench(isForOneCommand: true)
    bench.perform(.land)
    #expect(bench.end == nil)
    let drone = try bench.navigator()
    #expect(bench.run { bench.end?.code == .accepted })
    #expect(drone.frames.contains { $0.land })
    #expect(bench.service.isIdle)
  }

  @Test func aClientForOneCommandStopsEachVehicleAsItConnects() throws {
    let bench = try ClientBench(isForOneCommand: true)
    bench.perform(.stop)
    let drone = try bench.navigator(connected: false)
    let kite = try bench.navigator("Kite", connected: false)
    #expect(bench.run { bench.end != nil })
    #expect(bench.end?.code == .accepted && bench.outcomes.count == 2)
    #expect(drone.frames.count(where: \.stop) == 1 && kite.frames.count(where: \.stop) == 1)
  }

  @Test func aClientForOneCommandRefusesWhatNeedsPositions() throws {
    let bench = try ClientBench(isForOneCommand: true)
    bench.perform(.follow)
    #expect(bench.end?.code == .serviceUnavailable)
  }

  @Test func aClientForOneCommandThatNobodyCanFindGivesUp() throws {
    let bench = try ClientBench(isForOneCommand: true)
    bench.service.advertisingChanged(.hidden(reason: "start avahi-daemon"))
    bench.perform(.land, timeout: .seconds(60))
    #expect(bench.run { bench.end?.code == .serviceUnavailable })
    #expect(bench.end?.error?.contains("start avahi-daemon") == true)
    #expect(bench.service.isIdle)
  }

  @Test func aStrangerGetsNothing() throws {
    let bench = try ClientBench(position: FixedPosition(Self.here))
    let stranger = try FakeNavigator("Drone", dialling: bench.port, on: bench.loop)
    stranger.trust.ids = [bench.id]
    try stranger.start()
    #expect(!bench.run(.seconds(2)) { stranger.isConnected })
    #expect(stranger.frames.isEmpty)
    stranger.stop()
  }

  @Test func statusOfTheVehicleIsShown() throws {
    let bench = try ClientBench(position: FixedPosition(Self.here))
    let drone = try bench.navigator()
    var status = VehicleStatus(isInControl: true)
    status.isArmed = true
    status.coordinate = Coordinate(latitude: 52.501, longitude: 13.4)
    drone.tell(.status, status.encoded())
    #expect(bench.run { bench.service.status.vehicles.first?.status?.isArmed == true })
    let distance = bench.service.status.vehicles.first?.distanceMeters ?? 0
    #expect(abs(distance - 111.2) < 1)
    drone.disconnect()
    #expect(bench.run { bench.service.status.vehicles.first?.isConnected == false })
  }

  @Test func nonsenseFromAVehicleIsIgnored() throws {
    let bench = try ClientBench()
    let drone = try bench.navigator()
    for messageClass in RemoteControlMessageClass.allCases {
      for payload in [[], [0xFF], [UInt8](repeating: 0x41, count: 1024)] { drone.tell(messageClass, payload) }
    }
    bench.perform(.land)
    #expect(bench.run { bench.end?.code == .accepted })
  }
}
