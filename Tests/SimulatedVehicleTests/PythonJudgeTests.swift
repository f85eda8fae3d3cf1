import Foundation
import Testing

/// `pymavlink` (PyPI), the reference implementation of the protocol, flies the built program over its port.
@Suite(.timeLimit(.minutes(1)))
struct PythonJudgeTests {
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
    if (try? run(["-c", "import pymavlink"]).status) == 0 { return true }
    print(
      "skipped: pymavlink is not installed for \(interpreter); install it with pip, or set DRONE_TEST_PYTHON")
    return false
  }()

  /// Opens the port with what Python itself has, so that `pyserial` need not be there.
  private static let flight = """
    import os, select, sys, time, tty
    from pymavlink.dialects.v20 import ardupilotmega as mav

    descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(descriptor)
    link = mav.MAVLink(None, srcSystem=255, srcComponent=190)
    link.robust_parsing = False
    waiting = []

    def receive(kind, accept=lambda m: True, seconds=15):
        end = time.time() + seconds
        while time.time() < end:
            while waiting:
                message = waiting.pop(0)
                if message.get_type() == kind and accept(message): return message
            if select.select([descriptor], [], [], 0.1)[0]:
                # A frame that is not as the reference wants it raises here.
                waiting.extend(link.parse_buffer(os.read(descriptor, 4096)) or [])
        sys.exit(f"no {kind} within {seconds} s")

    def send(message): os.write(descriptor, message.pack(link))

    def command(number, *parameters):
        values = list(parameters) + [0] * (7 - len(parameters))
        send(link.command_long_encode(1, 1, number, 0, *values))
        return receive('COMMAND_ACK', lambda m: m.command == number).result

    def check(condition, text):
        if not condition: sys.exit(text)

    heartbeat = receive('HEARTBEAT')
    check(heartbeat.autopilot == 3 and heartbeat.type == 2, f"heartbeat {heartbeat}")
    check(command(176, 1, 4) == 0, "guided mode refused")
    check(command(400, 1) == 4, "arming before the estimate not refused")
    text = receive('STATUSTEXT', lambda m: m.text.startswith('Arm: '))
    check(text.text == 'Arm: Need Position Estimate', text.text)
    for number in (1, 2, 24, 30, 32, 33, 62, 74, 87, 147, 193, 245):
        check(command(511, number, 200000) == 0, f"interval of {number} refused")
    receive('EKF_STATUS_REPORT', lambda m: m.flags == 831)
    check(command(400, 1) == 0, "arming refused")
    check(command(22, 0, 0, 0, 0, 0, 0, 10) == 0, "take-off refused")
    up = receive('GLOBAL_POSITION_INT', lambda m: m.relative_alt > 9900)
    receive('EXTENDED_SYS_STATE', lambda m: m.landed_state == 2)
    send(link.set_position_target_global_int_encode(
        0, 1, 1, 6, 0x0DF8, up.lat + 3000, up.lon, 10, 0, 0, 0, 0, 0, 0, 0, 0))
    receive('POSITION_TARGET_GLOBAL_INT', lambda m: m.coordinate_frame == 0 and abs(m.lat_int - up.lat - 3000) < 2)
    receive('GLOBAL_POSITION_INT', lambda m: abs(m.lat - up.lat - 3000) < 10)
    check(command(176, 1, 17) == 0, "brake refused")
    check(command(176, 1, 9) == 0, "land refused")
    receive('HEARTBEAT', lambda m: m.custom_mode == 9 and not m.base_mode & 128)
    print('flown')
    """

  @Test(.enabled(if: isInstalled)) func `pymavlink flies a mission over the port`() throws {
    let simulator = try RunningSimulator(["--speedup", "20"])
    let appeared = simulator.wait { simulator.device != nil }
    try #require(appeared)
    let (status, output) = try Self.run(["-c", Self.flight, simulator.link])
    #expect(status == 0 && output == "flown\n", "\(output)\n\(simulator.output)")
  }
}
