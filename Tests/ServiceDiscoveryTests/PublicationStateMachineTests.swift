import Testing

@testable import ServiceDiscovery

@Suite struct PublicationStateMachineTests {
  private func next(_ name: String) -> String? { name + "+" }

  @Test func runningDaemonGetsTheServiceOnce() {
    var machine = PublicationStateMachine(name: "Drone")
    let action1 = machine.daemonRuns()
    #expect(action1 == .register(name: "Drone"))
    let action2 = machine.daemonRuns()
    #expect(action2 == .nothing)
    let action3 = machine.established()
    #expect(action3 == .report(.publishing(name: "Drone")))
    let action4 = machine.established()
    #expect(action4 == .nothing)
  }

  @Test func hostNameChangeWithdrawsAndRegistersAnew() {
    var machine = PublicationStateMachine(name: "Drone")
    let action5 = machine.daemonPauses()
    #expect(action5 == .nothing)
    _ = machine.daemonRuns()
    _ = machine.established()
    let action6 = machine.daemonPauses()
    #expect(action6 == .withdraw)
    let action7 = machine.daemonRuns()
    #expect(action7 == .register(name: "Drone"))
  }

  @Test func renamesEndAtTheCapAndStartAfreshOnRetry() {
    var machine = PublicationStateMachine(name: "D")
    _ = machine.daemonRuns()
    var name = "D"
    for _ in 0..<PublicationStateMachine.maximumRenames {
      name += "+"
      let action8 = machine.collided(alternative: next)
      #expect(action8 == .register(name: name))
    }
    let end = machine.collided(alternative: next)
    guard case .giveUp = end else {
      Issue.record("no end of renames")
      return
    }
    let action9 = machine.collided(alternative: next)
    #expect(action9 == .nothing)
    let action10 = machine.established()
    #expect(action10 == .nothing)
    let action11 = machine.retry()
    #expect(action11 == .register(name: "D"))
  }

  @Test func publishedNameCanBeLostLater() {
    var machine = PublicationStateMachine(name: "Drone")
    _ = machine.daemonRuns()
    _ = machine.established()
    let action12 = machine.collided(alternative: next)
    #expect(action12 == .register(name: "Drone+"))
    let action13 = machine.established()
    #expect(action13 == .report(.publishing(name: "Drone+")))
  }

  @Test func stuckProbingStartsOver() {
    var machine = PublicationStateMachine(name: "Drone")
    let action14 = machine.registrationTimedOut()
    #expect(action14 == .nothing)
    _ = machine.daemonRuns()
    let action15 = machine.registrationTimedOut()
    #expect(action15 == .startOver(reason: "the daemon did not finish registering"))
    let action16 = machine.daemonRuns()
    #expect(action16 == .register(name: "Drone"))
    _ = machine.established()
    let action17 = machine.registrationTimedOut()
    #expect(action17 == .nothing)
  }

  @Test func refusalIsTriedAgainByTheDaemonsRestartToo() {
    var machine = PublicationStateMachine(name: "Drone")
    _ = machine.daemonRuns()
    let action18 = machine.refused(reason: "no")
    #expect(action18 == .giveUp(reason: "no"))
    let action19 = machine.daemonRuns()
    #expect(action19 == .nothing)
    machine.daemonGone()
    let action20 = machine.retry()
    #expect(action20 == .nothing)
    let action21 = machine.daemonRuns()
    #expect(action21 == .register(name: "Drone"))
  }

  @Test func lateAnswerOfAGoneDaemonMeansNothing() {
    var machine = PublicationStateMachine(name: "Drone")
    _ = machine.daemonRuns()
    machine.daemonGone()
    let action22 = machine.established()
    #expect(action22 == .nothing)
    let action23 = machine.collided(alternative: next)
    #expect(action23 == .nothing)
  }
}
