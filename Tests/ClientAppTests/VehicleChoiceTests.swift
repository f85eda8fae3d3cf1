import ClientApp
import Configuration
import PeerProtocol
import ServiceRuntime
import Testing

@Suite struct VehicleChoiceTests {
  static let one = VehicleLabel(id: peer(0xA1), name: "Drone")
  static let two = VehicleLabel(id: peer(0xB2), name: "Drone")
  static let kite = VehicleLabel(id: peer(0xC3), name: "Kite")

  static let lost = VehicleLabel(id: peer(0xD5), name: "Kit2")

  struct Case: Sendable {
    let verb: VehicleVerb
    let selection: VehicleSelection
    let connected: [VehicleLabel]
    /// The chosen vehicles, or how the choice fails.
    let chosen: [VehicleLabel]?
    var code = ExitCode.accepted
  }

  static let cases = [
    Case(verb: .land, selection: .only, connected: [], chosen: nil, code: .noVehicle),
    Case(verb: .stop, selection: .all, connected: [], chosen: nil, code: .noVehicle),
    Case(verb: .land, selection: .only, connected: [kite], chosen: [kite]),
    Case(verb: .land, selection: .only, connected: [one, kite], chosen: nil, code: .usage),
    Case(verb: .stop, selection: .only, connected: [one, kite], chosen: [one, kite]),
    Case(verb: .land, selection: .all, connected: [one, kite], chosen: [one, kite]),
    Case(verb: .land, selection: .named("Kite"), connected: [one, kite], chosen: [kite]),
    Case(verb: .stop, selection: .named("Kite"), connected: [one, kite], chosen: [kite]),
    Case(verb: .stop, selection: .named("Kit"), connected: [one, kite], chosen: nil, code: .usage),
    Case(verb: .land, selection: .named("kite"), connected: [one, kite], chosen: [kite]),
    Case(verb: .land, selection: .named("Drone"), connected: [one, two], chosen: nil, code: .usage),
    Case(verb: .stop, selection: .named("Drone"), connected: [one, two, kite], chosen: [one, two]),
    Case(verb: .land, selection: .named("B2B2B2"), connected: [one, two], chosen: [two]),
    Case(verb: .land, selection: .named("b2b2"), connected: [one, two], chosen: [two]),
    Case(verb: .land, selection: .named("b2b"), connected: [one, two], chosen: nil, code: .usage),
    Case(verb: .land, selection: .named("d4d4d4"), connected: [one, two], chosen: nil, code: .usage),
    // Known, but not there: no mistake of the one who types.
    Case(verb: .land, selection: .named("Kit2"), connected: [one], chosen: nil, code: .noVehicle),
    Case(verb: .land, selection: .named("d5d5"), connected: [one], chosen: nil, code: .noVehicle),
  ]

  @Test(arguments: cases) func chooses(item: Case) {
    do throws(RequestFailure) {
      #expect(
        try chooseVehicles(for: item.verb, item.selection, among: item.connected, known: [Self.lost])
          == item.chosen)
    } catch {
      #expect(item.chosen == nil)
      #expect(error.exitCode == item.code)
    }
  }

  @Test func theRefusalNamesTheVehicles() {
    let failure = #expect(throws: RequestFailure.self) {
      try chooseVehicles(for: .land, .only, among: [Self.one, Self.kite])
    }
    #expect(failure?.message.contains("Drone (a1a1a1a1), Kite (c3c3c3c3)") == true)
    let unknown = #expect(throws: RequestFailure.self) {
      try chooseVehicles(for: .land, .named("Kit"), among: [Self.one, Self.kite])
    }
    #expect(
      unknown?.message == "no vehicle is called 'Kit'; connected: Drone (a1a1a1a1), Kite (c3c3c3c3)")
    let ambiguous = #expect(throws: RequestFailure.self) {
      try chooseVehicles(for: .land, .named("Drone"), among: [Self.one, Self.two, Self.kite])
    }
    #expect(
      ambiguous?.message
        == "several connected vehicles answer to 'Drone'; give more digits of the fingerprint: Drone (a1a1a1a1), Drone (b2b2b2b2)"
    )
  }
}
