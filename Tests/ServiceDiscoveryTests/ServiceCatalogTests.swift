import TestSupport
import Testing

@testable import ServiceDiscovery

@Suite struct ServiceCatalogTests {
  private func key(_ name: String, interface: Int32 = 2, networkProtocol: Int32 = 0) -> ServiceCatalog.Key {
    .init(interface: interface, networkProtocol: networkProtocol, name: name, domain: "local")
  }

  private func resolution(_ last: UInt8, id: String? = nil, port: UInt16 = 9) -> ServiceCatalog.Resolution {
    .init(
      hostName: "h.local", endpoint: .init(address: .v4([10, 0, 0, last]), port: port),
      txt: id.map { ["id": $0] } ?? [:])
  }

  private func add(
    _ catalog: inout ServiceCatalog, _ key: ServiceCatalog.Key, _ resolution: ServiceCatalog.Resolution
  ) {
    let answer1 = catalog.saw(key)
    #expect(answer1)
    let answer2 = catalog.resolved(key, as: resolution)
    #expect(answer2)
  }

  @Test func entryShowsOnlyOnceResolved() {
    var catalog = ServiceCatalog()
    let answer3 = catalog.saw(key("Drone"))
    #expect(answer3)
    #expect(catalog.services.isEmpty)
    let answer4 = catalog.resolved(key("Drone"), as: resolution(1))
    #expect(answer4)
    let answer5 = catalog.resolved(key("Drone"), as: resolution(1))
    #expect(!answer5)
    #expect(catalog.services.keys.sorted() == ["Drone.local"])
  }

  @Test func interfacesMakeOneServiceUntilTheLastGoes() {
    var catalog = ServiceCatalog()
    for interface in Int32(1)...3 {
      add(&catalog, key("Drone", interface: interface), resolution(UInt8(interface)))
    }
    #expect(catalog.services["Drone.local"]?.addresses.count == 3)
    for interface in Int32(1)...2 {
      let changed = catalog.removed(key("Drone", interface: interface))
      #expect(changed)
    }
    #expect(catalog.services.count == 1)
    let answer6 = catalog.removed(key("Drone", interface: 3))
    #expect(answer6)
    #expect(catalog.services.isEmpty)
  }

  @Test func namesWithOneIDAreOneServiceUnderItsLatestName() {
    var catalog = ServiceCatalog()
    add(&catalog, key("Drone"), resolution(1, id: "abc"))
    add(&catalog, key("Drone #2"), resolution(1, id: "abc", port: 10))
    #expect(catalog.services.keys.sorted() == ["abc"])
    #expect(catalog.services["abc"]?.instanceName == "Drone #2")
    #expect(catalog.services["abc"]?.addresses.map(\.port) == [10, 9])
  }

  @Test func whatIsNotSeenAgainAfterARestartIsGone() {
    var catalog = ServiceCatalog()
    add(&catalog, key("Stays"), resolution(1))
    add(&catalog, key("Leaves"), resolution(2))
    catalog.markUnconfirmed()
    #expect(catalog.services.count == 2)
    let answer7 = catalog.saw(key("Stays"))
    #expect(answer7)
    let answer8 = catalog.dropUnconfirmed()
    #expect(answer8)
    #expect(catalog.services.keys.sorted() == ["Stays.local"])
    let answer9 = catalog.dropUnconfirmed()
    #expect(!answer9)
  }

  @Test func expiredRecordsHideTheServiceUntilItAnswersAgain() {
    var catalog = ServiceCatalog()
    add(&catalog, key("Drone"), resolution(1))
    let answer10 = catalog.unresolved(key("Drone"))
    #expect(answer10)
    let answer11 = catalog.unresolved(key("Drone"))
    #expect(!answer11)
    #expect(catalog.services.isEmpty)
    let answer12 = catalog.resolved(key("Drone"), as: resolution(1))
    #expect(answer12)
    #expect(catalog.services.count == 1)
  }

  @Test func floodIsBoundedAndKeepsWhatWasKnown() {
    var catalog = ServiceCatalog()
    add(&catalog, key("Drone"), resolution(1, id: "mine"))
    for number in 0..<5000 where catalog.saw(key("x\(number)")) {
      _ = catalog.resolved(key("x\(number)"), as: resolution(2, id: "x\(number)"))
    }
    #expect(catalog.count == ServiceCatalog.maximumEntries)
    #expect(catalog.services.count == ServiceCatalog.maximumServices)
    #expect(catalog.services["mine"] != nil)
    var crowd = ServiceCatalog()
    for number in Int32(1)...40 {
      add(&crowd, key("Drone", interface: number), resolution(UInt8(number)))
    }
    #expect(crowd.services["Drone.local"]?.addresses.count == ServiceCatalog.maximumEndpoints)
  }

  @Test func addressesAreInOrderOfTrying() {
    var catalog = ServiceCatalog()
    let global = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
    let linkLocal = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    let addresses: [[UInt8]] = [linkLocal, [169, 254, 1, 1], [127, 0, 0, 1], global, [10, 0, 0, 1]]
    for (number, bytes) in addresses.enumerated() {
      let address = NetworkAddress(bytes: bytes, interface: 7, isLocal: true)
      guard let address else {
        Issue.record("\(bytes) refused")
        continue
      }
      add(
        &catalog, key("Drone", interface: Int32(number)),
        .init(hostName: "h", endpoint: .init(address: address, port: 1), txt: [:]))
    }
    #expect(
      catalog.services["Drone.local"]?.addresses.map { "\($0.address)" }
        == ["10.0.0.1", "2001:db8::1", "127.0.0.1", "169.254.1.1", "fe80::1%7"])
  }

  @Test(arguments: [
    [0, 0, 0, 0], [127, 0, 0, 1], [224, 0, 0, 251], [255, 255, 255, 255], [1, 2, 3],
    [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 15) + [1],
    [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1],
    [0xFF, 2] + [UInt8](repeating: 0, count: 14),
  ])
  func addressOfAnotherHostIsRefused(_ bytes: [UInt8]) {
    #expect(NetworkAddress(bytes: bytes, interface: 2, isLocal: false) == nil)
  }

  @Test func hostileTextIsLeftOutOrEscaped() {
    let strings: [[UInt8]] = [
      Array("ID=abc".utf8), Array("id=second".utf8), Array("flag".utf8), Array("empty=".utf8),
      Array("=x".utf8),
      Array("esc=\u{1B}[2J".utf8), [0x61, 0x3D, 0xFF, 0xFE], [], Array("eq=a=b".utf8),
    ]
    #expect(
      ServiceCatalog.attributes(of: strings) == ["id": "abc", "flag": "", "empty": "", "eq": "a=b"])
    var catalog = ServiceCatalog()
    add(&catalog, key("a\u{1B}[2Jb"), resolution(1))
    #expect(catalog.services.values.first?.instanceName == "a\\u{1b}[2Jb")
  }

  @Test func randomStringsNeverBreakTheRules() {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<2000 {
      let strings = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        (0..<Int.random(in: 0...300, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
      }
      let attributes = ServiceCatalog.attributes(of: strings)
      #expect(attributes.count <= ServiceCatalog.maximumAttributes)
      #expect(attributes.keys.allSatisfy { ServiceDescription.isValidKey($0) })
      #expect(attributes.values.allSatisfy { !$0.unicodeScalars.contains(where: \.isControl) })
    }
  }

  @Test func changesAreSaidOnceAndInOrder() {
    var catalog = ServiceCatalog()
    add(&catalog, key("A"), resolution(1))
    add(&catalog, key("B"), resolution(2))
    let before = catalog.services
    let answer13 = catalog.removed(key("A"))
    #expect(answer13)
    let answer14 = catalog.resolved(key("B"), as: resolution(3))
    #expect(answer14)
    add(&catalog, key("C"), resolution(4))
    let events = ServiceCatalog.changes(from: before, to: catalog.services)
    #expect(events.count == 3)
    #expect(events.first == .lost(id: "A.local"))
    #expect(events.dropFirst().first == catalog.services["B.local"].map { .updated($0) })
    #expect(events.last == catalog.services["C.local"].map { .found($0) })
    #expect(ServiceCatalog.changes(from: catalog.services, to: catalog.services).isEmpty)
  }
}
