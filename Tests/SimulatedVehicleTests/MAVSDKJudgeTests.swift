import Foundation
import Testing

/// MAVSDK (PyPI `mavsdk` 4, the C++ library itself) as a ground station: a program that PX4's own people fly with has to
/// find in the simulated PX4 what it finds in the real one.
@Suite(.timeLimit(.minutes(1)))
struct MAVSDKJudgeTests {
  private static let interpreter = ProcessInfo.processInfo.environment["DRONE_TEST_PYTHON"] ?? "python3"

  private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [interpreter] + arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private static let isInstalled: Bool = {
    if (try? run(["-c", "import mavsdk.plugins.action"]).status) == 0 { return true }
    print(
      "skipped: mavsdk 4 is not installed for \(interpreter); install it with pip, or set DRONE_TEST_PYTHON")
    return false
  }()

  private static let flight = """
    import sys, time
    from mavsdk import ComponentType, Configuration, Mavsdk
    from mavsdk.plugins.action import Action
    from mavsdk.plugins.telemetry import Telemetry

    sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.GROUND_STATION))
    sdk.add_any_connection(sys.argv[1])
    system = sdk.first_autopilot(10)
    if system is None: sys.exit("no autopilot found")
    action, telemetry = Action(system), Telemetry(system)

    def until(what, accept):
        end = time.time() + 15
        while time.time() < end:
            value = what()
            if accept(value): return value
            time.sleep(0.01)
        sys.exit(f"{what.__name__} stays {value}")

    until(telemetry.health, lambda h: h.is_armable and h.is_global_position_ok and h.is_home_position_ok)
    home = until(telemetry.position, lambda p: abs(p.latitude_deg) > 1)
    action.set_takeoff_altitude(10)
    action.arm()
    until(telemetry.armed, lambda armed: armed)
    action.takeoff()
    until(telemetry.flight_mode, lambda mode: mode.name == 'TAKEOFF')
    until(telemetry.position, lambda p: p.relative_altitude_m > 9.5)
    until(telemetry.flight_mode, lambda mode: mode.name == 'HOLD')
    until(telemetry.landed_state, lambda state: state.name == 'IN_AIR')
    action.goto_location(home.latitude_deg + 0.0003, home.longitude_deg, home.absolute_altitude_m + 12, 0.0)
    until(telemetry.position, lambda p: abs(p.latitude_deg - home.latitude_deg - 0.0003) < 1e-5
          and abs(p.relative_altitude_m - 12) < 0.5)
    action.land()
    until(telemetry.flight_mode, lambda mode: mode.name == 'LAND')
    until(telemetry.landed_state, lambda state: state.name == 'ON_GROUND')
    until(telemetry.armed, lambda armed: not armed)
    print('flown', flush=True)
    sdk.destroy()
    """

  @Test(.enabled(if: isInstalled)) func `MAVSDK flies the simulated PX4 at a further port`() throws {
    let simulator = try RunningSimulator([
      "--autopilot", "px4", "--also", "tcp://127.0.0.1:0", "--speedup", "20", "--fast-start",
    ])
    let prefix = "also listening on tcp://"
    let listens = simulator.wait { simulator.output.contains(prefix) }
    try #require(listens)
    let address = simulator.output.components(separatedBy: prefix)[1].prefix { $0 != "\n" }
    let (status, output) = try Self.run(["-c", Self.flight, "tcpout://\(address)"])
    #expect(status == 0 && output.contains("flown\n"), "\(output)\n\(simulator.output)")
    for event in [
      "armed at", "mode AUTO.TAKEOFF (command)", "mode AUTO.LAND (command)", "landed at", "disarmed at",
    ] {
      #expect(simulator.output.contains(event), "\(simulator.output)")
    }
  }
}
