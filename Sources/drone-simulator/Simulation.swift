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
  private var furtherPorts: [FurtherPort] = []
  private var tick: RepeatingTimer?
  private var signals: SignalWatch?
  private let beginning: ContinuousClock.Instant
  private let home: Coordinate
  private var reportedLoss = 0
  private var nextLossReport: ContinuousClock.Instant

  /// - Throws: `SystemError` when a line cannot be made.
  init(_ invocation: SimulatorInvocation, on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    beginning = loop.now
    nextLossReport = beginning
    let configuration = invocation.vehicleConfiguration
    home = configuration.home
    vehicle = SimulatedVehicle(configuration: configuration, at: beginning)
    var serialPort: SimulatedSerialPort?
    if let link = invocation.link { serialPort = try SimulatedSerialPort(linkPath: link, on: loop) }
    self.serialPort = serialPort
    do {
      var server: LoopbackServer?
      if let port = invocation.tcpPort { server = try LoopbackServer(port: port, on: loop) }
      self.server = server
      for endpoint in invocation.also {
        let port = try FurtherPort(endpoint, number: vehicle.addPort(), on: loop)
        furtherPorts.append(port)
        say(port.description(of: endpoint))
      }
    } catch {
      serialPort?.unplug()
      throw error
    }
    for scheduled in invocation.faults {
      loop.schedule(after: .seconds(scheduled.afterSeconds)) { [weak self] in
        self?.begin(scheduled.fault)
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
    for port in furtherPorts {
      port.onBytes = { [weak self] in self?.receive($0, at: port.number) }
    }
    tick = loop.repeating(every: .milliseconds(20)) { [weak self] in self?.advance() }
    loop.run()
    tick?.cancel()
    serialPort?.unplug()
    server?.close()
    for port in furtherPorts { port.close() }
    say("stopped")
  }

  private func begin(_ fault: SimulatedFault) {
    say("fault \(fault.rawValue)")
    if let fault = fault.fault { vehicle.inject(fault) } else { unplug() }
  }

  /// The cable is out for a second. The vehicle flies on, and who looks on at a further port sees it.
  private func unplug() {
    serialPort?.unplug()
    server?.dropClients()
    loop.schedule(after: .seconds(1)) { [weak self] in
      guard let self, let serialPort else { return }
      do throws(SystemError) {
        try serialPort.plugIn()
        say("plugged in again (\(serialPort.devicePath))")
      } catch {
        say("cannot be plugged in again: \(error)")
      }
    }
  }

  private func receive(_ bytes: [UInt8], at port: Int = 0) {
    vehicle.receive(bytes, at: port)
    // At once, so that an acknowledgement does not wait for the next step.
    advance()
  }

  private func advance() {
    let bytes = vehicle.advance(to: loop.now)
    serialPort?.write(bytes)
    server?.write(bytes)
    for port in furtherPorts { port.write(vehicle.takeBytes(of: port.number)) }
    let place = self.place
    for event in vehicle.takeEvents() {
      say(event.description + (event.isMovement ? place : ""), at: event.seconds)
    }
    reportLoss()
  }

  /// Where the vehicle is and how fast, for events that are about its flight.
  private var place: String {
    let state = vehicle.state
    let distance = state.coordinate.distanceMeters(to: home)
    func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    return " at \(tenths(state.altitudeAboveHomeMeters)) m above home, \(tenths(distance)) m from it,"
      + " \(tenths(state.groundSpeedMetersPerSecond)) m/s"
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

extension VehicleEvent {
  /// Whether it matters where the vehicle was.
  fileprivate var isMovement: Bool {
    switch kind {
    case .modeChanged, .armed, .disarmed, .tookOff, .landed, .crashed, .failsafe, .failsafeCleared: true
    case .booted, .rebooting, .homeSet, .statusText: false
    }
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
  /// What it is to the vehicle; nil for what happens to the cable.
  fileprivate var fault: Fault? {
    switch self {
    case .noGPS: .noGPS
    case .refuseArm: .refuseArm("Compass not calibrated")
    case .dropAcknowledgements: .dropAcknowledgements
    case .batteryLow: .batteryLow
    case .restartInFlight: .restartInFlight
    case .noise: .noise
    case .pilotTakesOver: .pilotTakesOver
    case .silent: .silent
    case .unplug: nil
    }
  }
}
