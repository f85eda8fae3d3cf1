import Configuration
import Geodesy
import Glibc
import ServiceRuntime
import SimulatedVehicle

/// Lets a simulated vehicle live in real time at the ends of its lines.
final class Simulation {
  private let loop: EventLoop
  private var vehicle: SimulatedVehicle
  private let serialPort: SimulatedSerialPort?
  private let server: LoopbackServer?
  private var tick: RepeatingTimer?
  private var signals: SignalWatch?
  private let beginning: ContinuousClock.Instant
  private var reportedLoss = 0
  private var nextLossReport: ContinuousClock.Instant

  /// - Throws: `SystemError` when a line cannot be made.
  init(_ invocation: SimulatorInvocation, on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    beginning = loop.now
    nextLossReport = beginning
    vehicle = SimulatedVehicle(configuration: invocation.vehicleConfiguration, at: beginning)
    var serialPort: SimulatedSerialPort?
    if let link = invocation.link { serialPort = try SimulatedSerialPort(linkPath: link, on: loop) }
    self.serialPort = serialPort
    do {
      var server: LoopbackServer?
      if let port = invocation.tcpPort { server = try LoopbackServer(port: port, on: loop) }
      self.server = server
    } catch {
      serialPort?.close()
      throw error
    }
    for scheduled in invocation.faults {
      loop.schedule(after: .seconds(scheduled.afterSeconds)) { [weak self] in
        self?.say("fault \(scheduled.fault.rawValue)")
        self?.vehicle.inject(scheduled.fault.fault)
      }
    }
  }

  /// Until a signal ends it.
  func run(link: String?) throws(SystemError) {
    signals = try SignalWatch([SIGINT, SIGTERM], on: loop) { [loop] _ in loop.stop() }
    serialPort?.onBytes = { [weak self] in self?.receive($0) }
    server?.onBytes = { [weak self] in self?.receive($0) }
    if let link, let serialPort { say("serial port \(link) (\(serialPort.devicePath))") }
    if let server { say("listening on tcp://127.0.0.1:\(server.port)") }
    tick = loop.repeating(every: .milliseconds(20)) { [weak self] in self?.advance() }
    loop.run()
    tick?.cancel()
    serialPort?.close()
    server?.close()
    say("stopped")
  }

  private func receive(_ bytes: [UInt8]) {
    vehicle.receive(bytes)
    // At once, so that an acknowledgement does not wait for the next step.
    advance()
  }

  private func advance() {
    let bytes = vehicle.advance(to: loop.now)
    serialPort?.write(bytes)
    server?.write(bytes)
    for event in vehicle.takeEvents() { say(event.description, at: event.seconds) }
    reportLoss()
  }

  /// At most one line in ten seconds.
  private func reportLoss() {
    let loss = (serialPort?.lostByteCount ?? 0) + (server?.lostByteCount ?? 0)
    guard loss > reportedLoss, loop.now >= nextLossReport else { return }
    nextLossReport = loop.now.advanced(by: .seconds(10))
    say("\(loss - reportedLoss) bytes lost: nobody reads them in time")
    reportedLoss = loss
  }

  private func say(_ text: String) { say(text, at: vehicle.state.seconds) }

  /// One line, written at once: who reads a pipe waits for it.
  private func say(_ text: String, at seconds: Double) {
    let tenths = Int(seconds * 100)
    let hundredths = tenths % 100
    let whole = String(tenths / 100)
    let padding = String(repeating: " ", count: max(0, 6 - whole.count))
    var line =
      "[\(padding)\(whole).\(hundredths < 10 ? "0" : "")\(hundredths)] \(text.escapingControlCharacters)\n"
    // When nobody reads, there is nobody to tell.
    _ = line.withUTF8 { Glibc.write(1, $0.baseAddress, $0.count) }
  }
}

extension SimulatorInvocation {
  var vehicleConfiguration: SimulatedVehicle.Configuration {
    let place = home.coordinate
    guard
      let coordinate = Coordinate(latitude: place.latitudeDegrees, longitude: place.longitudeDegrees)
    else { preconditionFailure("the command line let \(home) through") }
    var configuration = SimulatedVehicle.Configuration(
      home: coordinate, homeAltitudeMSLMeters: home.altitudeMSLMeters)
    switch autopilot {
    case .ardupilot: configuration.autopilot = .arduPilot
    case .px4: configuration.autopilot = .px4
    }
    configuration.speedup = speedup
    if fastStart { configuration.startFast() }
    configuration.unixTimeSeconds = Double(time(nil))
    return configuration
  }
}

extension SimulatedFault {
  fileprivate var fault: Fault {
    switch self {
    case .noGPS: .noGPS
    case .refuseArm: .refuseArm("Compass not calibrated")
    case .dropAcknowledgements: .dropAcknowledgements
    case .batteryLow: .batteryLow
    case .restartInFlight: .restartInFlight
    case .noise: .noise
    case .pilotTakesOver: .pilotTakesOver
    case .silent: .silent
    }
  }
}
