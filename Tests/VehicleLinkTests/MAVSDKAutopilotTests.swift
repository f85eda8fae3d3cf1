import Geodesy
import Glibc
import ServiceRuntime
import TestSupport
import Testing
import Vehicle

@testable import VehicleLink

private let python = getenv("DRONE_TEST_PYTHON").map { String(cString: $0) } ?? "python3"

private let canRun: Bool = {
  let script = "import mavsdk.plugins.action_server, pymavlink; print('there')"
  if let process = try? ChildProcess([python, "-c", script]),
    process.readLine(within: .seconds(20)) == "there"
  {
    return true
  }
  print("skipped: mavsdk 4 and pymavlink are not installed for \(python); install them with pip")
  return false
}()

/// MAVSDK (PyPI `mavsdk` 4) on the other side: its server plug-ins take the commands and tell the telemetry, so that
/// what goes out and what comes in is packed and read by code that is not ours.
///
/// MAVSDK calls itself a generic autopilot, and nothing can change that; so the kind of autopilot and its mode are
/// written into its heartbeats on the way. It moves when its plug-ins are told to.
@Suite(.enabled(if: canRun, "needs mavsdk for DRONE_TEST_PYTHON"), .timeLimit(.minutes(1)))
struct MAVSDKAutopilotTests {
  private static let autopilot = """
    import os, select, sys, time, tty
    from mavsdk import ComponentType, Configuration, Mavsdk
    from mavsdk.plugins.action_server import ActionServer, AllowableFlightModes
    from mavsdk.plugins.telemetry_server import (Battery, GpsInfo, Heading, FixType, LandedState, Position, RawGps,
                                                 StatusText, StatusTextType, TelemetryServer, VelocityNed, VtolState)
    from pymavlink.dialects.v20 import common

    master, slave = os.openpty()
    tty.setraw(slave)
    print(os.ttyname(slave), flush=True)

    TAKEOFF, HOLD = 2, 3
    state = {'mode': HOLD, 'height': 0.0, 'wanted': 0.0}
    reader = common.MAVLink(None)
    reader.robust_parsing = True

    def outgoing(data):
        for message in reader.parse_buffer(data) or []:
            frame = message.get_msgbuf()
            if message.get_type() == 'HEARTBEAT':
                own = common.MAVLink(None, srcSystem=1, srcComponent=1)
                own.seq = message.get_seq()
                frame = common.MAVLink_heartbeat_message(2, 12, message.base_mode | 1, 4 << 16 | state['mode'] << 24, 4, 3).pack(own)
            try: os.write(master, frame)
            except OSError: pass

    sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.AUTOPILOT))
    sdk.subscribe_raw_bytes_to_be_sent(outgoing)
    sdk.add_any_connection('raw://')
    component = sdk.server_component_by_type(ComponentType.AUTOPILOT)
    action, telemetry = ActionServer(component), TelemetryServer(component)

    def told(name):
        def handle(result, value, *_):
            print('told', name, result, value, flush=True)
            if name == 'takeoff': state.update(mode=TAKEOFF, wanted=10.0)
        return handle
    action.subscribe_arm_disarm(told('arm'))
    action.subscribe_takeoff(told('takeoff'))
    action.subscribe_flight_mode_change(told('mode'))
    action.set_armable(True, False)
    action.set_disarmable(True, False)
    action.set_allow_takeoff(True)
    action.set_allowable_flight_modes(AllowableFlightModes(True, True, True))

    home = (47.397742, 8.545594, 488.0)
    next_report, begin = 0, time.monotonic()
    os.set_blocking(master, False)
    def report():
        height = state['height']
        flying = height > 0.1
        telemetry.publish_home(Position(*home, 0.0))
        telemetry.publish_position(Position(home[0], home[1], home[2] + height, height), VelocityNed(0.0, 0.0, 0.0), Heading(90.0))
        telemetry.publish_extended_sys_state(VtolState.UNDEFINED, LandedState.IN_AIR if flying else LandedState.ON_GROUND)
        gps = RawGps(0, home[0], home[1], home[2], 0.7, 0.9, 0.0, 0.0, 0.0, 1.0, 1.0, 0.5, 1.0, 0.0)
        telemetry.publish_raw_gps(gps, GpsInfo(14, FixType.FIX_3D))
        telemetry.publish_sys_status(Battery(12.4, 83.0), True, True, True, True, True)
        telemetry.publish_status_text(StatusText(StatusTextType.INFO, 'Ready for takeoff!'))

    while time.monotonic() - begin < 50:
        if select.select([master], [], [], 0.02)[0]:
            try: sdk.pass_received_raw_bytes(os.read(master, 4096))
            except OSError: pass
        now = time.monotonic()
        if now < next_report: continue
        next_report = now + 0.1
        way = state['wanted'] - state['height']
        state['height'] += max(-2.0, min(2.0, way))
        if state['mode'] == TAKEOFF and abs(way) < 0.1: state['mode'] = HOLD
        report()
    """

  @Test func itTakesOffWithAnAutopilotMadeOfMAVSDKAndTellsItsRefusal() throws {
    let process = try ChildProcess([python, "-c", Self.autopilot], environment: ["PYTHONUNBUFFERED": "1"])
    defer { process.stop() }
    let loop = try EventLoop()
    let opener = TerminalOpener()
    opener.path = process.readLine(within: .seconds(20))
    let link = VehicleLink(loop: loop, logger: .silent, opener: opener)
    defer { link.stop() }
    var outcomes: [UInt32: ActionProgress] = [:]
    link.onProgress = { ticket, _, progress in if progress.isFinal { outcomes[ticket] = progress } }
    link.isGroundStationAlive = { true }
    link.start()
    let isReady = loop.runUntil(.seconds(20)) {
      link.state.isReadyToArm == true && link.state.coordinate != nil && link.state.home != nil
        && link.state.satellites != nil && link.state.batteryVolts != nil
    }
    try #require(isReady, "\(link.state)")
    let state = link.state
    #expect(state.autopilot == .px4 && state.kind == .multicopter && state.modeName == "AUTO.LOITER")
    #expect(state.coordinate == Coordinate(latitude: 47.397742, longitude: 8.545594))
    #expect(state.home == state.coordinate)
    #expect(state.altitudeMSLMeters == 488 && state.altitudeAboveHomeMeters == 0)
    #expect(state.headingDegrees == 90 && state.gpsFixType == 3 && state.satellites == 14)
    #expect(abs(try #require(state.batteryVolts) - 12.4) < 0.01)
    #expect(state.landed == .onGround && state.isArmed == false)

    link.perform(.takeoff(altitudeAboveHomeMeters: 10), ticket: 1)
    #expect(loop.runUntil(.seconds(20)) { outcomes[1] != nil })
    #expect(outcomes[1] == .accepted, "\(link.state)")
    #expect(loop.runUntil(.seconds(20)) { (link.state.altitudeAboveHomeMeters ?? 0) > 9.5 })
    #expect(link.state.isArmed == true)
    #expect(loop.runUntil { link.state.landed == .inAir && link.state.modeName == "AUTO.LOITER" })

    // Its plug-ins know the modes and refuse to be landed by them: that has to be told.
    link.perform(.land, ticket: 2)
    #expect(loop.runUntil(.seconds(20)) { outcomes[2] != nil })
    guard case .refused(let reason)? = outcomes[2] else {
      Issue.record("not refused: \(String(describing: outcomes[2]))")
      return
    }
    #expect(reason.contains("temporarily rejected"))

    var told: [String] = []
    while told.count < 3, let line = process.readLine(within: .seconds(5)) {
      if line.hasPrefix("told ") { told.append(line) }
    }
    // The names that its plug-ins have for what our bytes said; 6 is LAND.
    #expect(told.first == "told arm 1 ArmDisarm(arm=True, force=False)")
    #expect(told.contains { $0.hasPrefix("told takeoff") })
    #expect(told.contains { $0.hasPrefix("told mode") && $0.hasSuffix(" 6") })
  }
}
