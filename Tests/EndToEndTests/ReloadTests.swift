import Glibc
import JSONText
import ServiceRuntime
import TestSupport
import Testing

extension EndToEndTests {
  @Test func aReloadTakesAllOrNothingAndTheStatusTells() throws {
    let world = try World()
    try world.startSimulator()
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/navigator.conf"
    func write(_ text: String) throws {
      let always = "serial = \(world.link):115200\nstate = \(world.navigatorState)\n"
      try Files.replace(path, with: Array((always + text).utf8), mode: 0o600)
    }
    func status() throws -> JSON {
      let finished = try world.runNavigator("status", "--json")
      #expect(finished.code == 0)
      return try JSON.parse(Array(finished.text.utf8), limits: JSON.Limits())
    }
    try write("follow-height = 3 m\n")
    let navigator = try Running(.navigator, ["run", "--config", path], in: world.place)
    defer { navigator.stop() }
    #expect(navigator.says("autopilot connected"), "\(navigator.lines)")

    try write("follow-height = 5 m\nlog-level = info\n")
    navigator.signal(SIGHUP)
    #expect(navigator.says("configuration changed: follow-height = 5 m (was 3 m); log-level = info"))
    try write("follow-height = 4 m\nname = Crow\n")
    navigator.signal(SIGHUP)
    #expect(navigator.says("\(path):4: name: cannot become Crow while running"), "\(navigator.lines)")
    #expect(navigator.says("the configuration was not changed: the one before stays in force"))

    let now = try status()
    #expect(now["configuration"]?["follow-height"]?.string == "5 m")
    #expect(now["lastReload"]?.string?.hasPrefix("refused: \(path):4: name") == true)
    #expect(now["armed"]?.bool == false)
    #expect(now["inAir"]?.bool == false)
    #expect(now["line"]?["device"]?.string == world.link)
    #expect(now["line"]?["baud"]?.integer == 115_200)
    #expect(now["line"]?["open"]?.bool == true)
    #expect(now["line"]?["checksumErrors"]?.integer == 0)
    #expect(now["processID"]?.integer == Int64(navigator.processID))
    #expect((now["logs"]?.array?.first?["bytes"]?.integer ?? 0) > 0)
    let text = try world.runNavigator("status").text
    #expect(text.contains("configuration.follow-height: 5 m"), "\(text)")

    navigator.signal(SIGTERM)
    #expect(navigator.exitCode() == 0)
    #expect(try world.runNavigator("status", "--json").code == 3)
  }
}
