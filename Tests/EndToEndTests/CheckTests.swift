import TestSupport
import Testing

extension EndToEndTests {
  @Test(arguments: [
    ("ardupilot", "warning: loss of the ground station for 5 s: nothing happens (FS_GCS_ENABLE = 0)"),
    ("px4", "warning: loss of the ground station for 10 s: nothing happens (NAV_DLL_ACT = 0)"),
  ])
  func checkSaysWhatTheFlightControllerDoesByItself(autopilot: String, expected: String) throws {
    let world = try World()
    try world.startSimulator("--autopilot", autopilot)
    let check = try world.runNavigator("check", "--serial", world.link)
    #expect(check.code == 0, "\(check.text)")
    #expect(check.text.contains(expected), "\(check.text)")
    #expect(check.text.contains("loss of radio control: "), "\(check.text)")
  }

  @Test func checkSaysThatNoFlightControllerSpeaks() throws {
    let world = try World()
    let terminal = try PseudoTerminal()
    let check = try world.runNavigator("check", "--serial", terminal.path)
    #expect(check.code == 78)
    #expect(check.text.contains("flight controller: no MAVLink on \(terminal.path)"), "\(check.text)")
  }
}
