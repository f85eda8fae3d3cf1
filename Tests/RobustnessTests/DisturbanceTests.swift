import Glibc
import JSONText
import TestSupport
import Testing

extension RobustnessTests {
  /// What happens to a link and to its hosts in the field.
  struct DisturbanceTests {
    @Test func aSuspendedClientIsMissedAndComesBack() throws {
      let field = try Field()
      try field.start()
      let navigator = field.vehicles[0].navigator
      let before = try field.residentBytes(navigator.processID)
      field.client?.signal(SIGSTOP)
      // The vehicle does not wait for whoever does not read.
      #expect(navigator.says("disconnected from Ann", within: .seconds(15)), "\(field.story)")
      sleep(18)
      let after = try field.residentBytes(navigator.processID)
      #expect(after - before < 8 << 20, "\(before) \(after)")
      field.client?.signal(SIGCONT)
      try field.requireVehicles(1, within: .seconds(10))
      let stop = try field.run("stop")
      #expect(stop.code == 0, "\(stop)\n\(field.story)")
    }

    @Test func aSuspendedNavigatorIsMissedAndComesBack() throws {
      let field = try Field()
      try field.start()
      field.vehicles[0].navigator.signal(SIGSTOP)
      #expect(field.client?.says("disconnected: Drone", within: .seconds(15)) == true, "\(field.story)")
      // It waits for the vehicle as long as its caller does, and no longer.
      let unheard = try field.run("stop", "--timeout", "1")
      #expect(unheard.code == 4, "\(unheard)")
      field.vehicles[0].navigator.signal(SIGCONT)
      try field.requireVehicles(1, within: .seconds(10))
      let stop = try field.run("stop")
      #expect(stop.code == 0, "\(stop)\n\(field.story)")
      // The one that was given while nobody listened does not act later.
      #expect(field.obeyedCount("stop") == 1, "\(field.log())")
    }

    @Test func aChangedAddressIsFoundAgain() throws {
      let field = try Field(hasDiscovery: true)
      try field.start()
      try field.network.hosts[0].changeAddress(to: "10.77.0.50/24")
      let isBack = try field.waits(.seconds(40)) { try field.run("stop", "--timeout", "2").code == 0 }
      #expect(isBack, "\(field.story)")
      try field.network.hosts[1].changeAddress(to: "10.77.0.51/24")
      let isBackAgain = try field.waits(.seconds(40)) { try field.run("stop", "--timeout", "2").code == 0 }
      #expect(isBackAgain, "\(field.story)")
    }

    @Test func aSessionOutlivesAvahi() throws {
      let field = try Field(hasDiscovery: true)
      try field.start()
      for host in field.network.hosts {
        try host.killDaemon()
        try host.killBus()
      }
      sleep(3)
      #expect(try field.run("stop").code == 0)
      #expect(field.disconnections() == 0, "\(field.story)")
      for host in field.network.hosts {
        try host.startBus()
        try host.startDaemon()
      }
      // And the next one is found by the daemons that came back.
      try field.restartNavigator(0)
      #expect(field.client?.says("disconnected: Drone", within: .seconds(20)) == true, "\(field.story)")
      try field.requireVehicles(1)
    }

    @Test func everythingWorksWithoutUDP() throws {
      let field = try Field(radio: ["delay 5ms", "drop udp"])
      try field.start()
      for _ in 0..<3 { #expect(try field.run("stop").code == 0) }
      let isTold = try field.waits(.seconds(25)) { try field.datagrams() == "blocked" }
      #expect(isTold, "\(field.story)")
      #expect(try field.run("stop").code == 0)
      // The firewall is opened, and nobody has to do anything.
      try field.network.tellRadio(0, "drop none")
      let isUp = try field.waits(.seconds(25)) { try field.datagrams() == "up" }
      #expect(isUp, "\(field.story)")
      #expect(field.disconnections() == 0, "\(field.story)")
    }

    @Test func halfOfAllPacketsAreEnough() throws {
      let field = try Field(radio: ["delay 20ms"])
      try field.start()
      let isUp = try field.waits { try field.datagrams() == "up" }
      try #require(isUp, "\(field.story)")
      try field.network.tellRadio(0, "loss 50%")
      for _ in 0..<40 {
        let stop = try field.run("stop", "--timeout", "5")
        #expect(stop.code == 0, "\(stop)\n\(field.story)")
      }
      #expect(field.obeyedCount("stop") == 40)
      #expect(field.disconnections() == 0, "\(field.story)")
    }

    @Test func aControlConnectionThatIsBlockedEndsNothing() throws {
      let field = try Field(radio: ["delay 5ms"])
      try field.start()
      let isUp = try field.waits { try field.datagrams() == "up" }
      try #require(isUp, "\(field.story)")
      try field.network.tellRadio(0, "drop tcp")
      for _ in 0..<12 {
        #expect(try field.run("stop", "--timeout", "2").code == 0)
        sleep(1)
      }
      try field.network.tellRadio(0, "drop none")
      sleep(2)
      #expect(try field.run("stop").code == 0)
      #expect(field.disconnections() == 0, "\(field.story)")
    }

    @Test func aSlackCableEndsNothing() throws {
      let field = try Field()
      try field.start()
      for _ in 0..<3 {
        try field.network.setPlugged(0, false)
        sleep(1)
        try field.network.setPlugged(0, true)
        let isUsable = try field.waits(.seconds(5)) { try field.run("stop", "--timeout", "2").code == 0 }
        #expect(isUsable)
      }
      #expect(field.disconnections() == 0, "\(field.story)")
    }

    @Test func repeatedAndReorderedPacketsActOnce() throws {
      let field = try Field(radio: ["delay 10ms", "jitter 40ms", "duplicate 50%", "loss 10%"])
      try field.start()
      for _ in 0..<10 {
        let stop = try field.run("stop")
        #expect(stop.code == 0, "\(stop)")
      }
      #expect(field.obeyedCount("stop") == 10, "\(field.log())")
    }

    @Test func aLongCutIsSurvived() throws {
      let field = try Field(radio: ["delay 20ms"])
      try field.start()
      try field.network.cut(0)
      #expect(field.client?.says("disconnected: Drone", within: .seconds(15)) == true, "\(field.story)")
      try field.network.tellRadio(0, "loss 20%")
      try field.network.restore(0)
      let isBack = try field.waits(.seconds(10)) { try field.run("stop", "--timeout", "2").code == 0 }
      #expect(isBack, "\(field.story)")
    }
  }

  /// More than one vehicle.
  struct ManyPeersTests {
    @Test func eachOfThreeHostsIsReachedAndOneThatIsLostDoesNotDisturb() throws {
      let field = try Field(hosts: 3, hasDiscovery: true)
      try field.startClient()
      for host in 1...3 { try field.addVehicle(on: host, name: "Drone \(host)") }
      try field.requireVehicles(3)
      let stop = try field.run("stop", "--all")
      #expect(stop.code == 0, "\(stop)\n\(field.story)")
      for vehicle in 0..<3 { #expect(field.obeyedCount("stop", vehicle: vehicle) == 1) }

      try field.network.cut(2)
      #expect(try field.run("stop", "--vehicle", "Drone 1").code == 0)
      #expect(try field.run("stop", "--vehicle", "Drone 3").code == 0)
      #expect(field.client?.says("disconnected: Drone 2", within: .seconds(15)) == true, "\(field.story)")
      #expect(field.disconnections() == 1 || field.disconnections() == 2, "\(field.story)")
      try field.network.restore(2)
      try field.requireVehicles(3)
      #expect(try field.run("stop", "--vehicle", "Drone 2").code == 0)
    }

    @Test func aDozenNavigatorsShareAClient() throws {
      let field = try Field(hosts: 2)
      try field.startClient()
      for number in 0..<12 {
        try field.addVehicle(on: 1 + number % 2, name: "Drone \(number)", isBare: true)
      }
      let areThere = try field.waits(.seconds(20)) {
        (try field.status()?["vehicles"]?.array ?? []).count { $0["connected"]?.bool == true } == 12
      }
      #expect(areThere, "\(field.story)")
      #expect(field.disconnections() == 0, "\(field.story)")
    }
  }
}
