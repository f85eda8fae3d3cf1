import Configuration
import Glibc
import MAVLinkServices
import SecureTransport
import ServiceRuntime
import VehicleLink

extension DroneNavigator {
  /// `check`: what `run` would need, and what the flight controller does by itself when something fails.
  ///
  /// Reads and changes nothing. The device is opened without touching its modem lines, on which some boards restart, and not at all
  /// while another program has it.
  static func check(_ configuration: NavigatorConfiguration, _ loop: EventLoop) -> ExitCode {
    var isFine = true
    func report(_ what: String, _ problem: String?) {
      if problem != nil { isFine = false }
      _ = print("\(what): \(problem ?? "ok")".escapingControlCharacters)
    }
    report("configuration", nil)
    switch configuration.serial {
    case .device(let path, let baud):
      report("device \(path)", deviceProblem(path))
      // A start and a stop bit around each byte.
      _ = print("line at \(baud) baud: \(StreamRequests(bytesPerSecond: baud / 10).plan)")
    case .tcp, .udp: report("flight controller \(configuration.serial?.description ?? "")", nil)
    case nil: report("device", "no --serial given")
    }
    report("state directory \(configuration.stateDirectory)", stateProblem(configuration.stateDirectory))
    report("trusted clients", trustProblem(configuration.stateDirectory))
    if isFine, let problem = checkFailsafe(configuration, loop) { report("flight controller", problem) }
    return isFine ? .accepted : .configuration
  }

  /// Prints a line for each failsafe of the flight controller.
  ///
  /// - Returns: why it cannot be asked.
  private static func checkFailsafe(_ configuration: NavigatorConfiguration, _ loop: EventLoop) -> String? {
    guard let endpoint = configuration.serial else { return nil }
    let logger = Logger.standardError(program: "drone-navigator", level: .error)
    var problem: String?
    do {
      let signing = try configuration.signingKeyPath.map {
        try SerialSigning.make(keyPath: $0, stateDirectory: configuration.stateDirectory, logger: logger)
      }
      let opener = try FlightControllerOpener(endpoint, loop: loop)
      FailsafeCheck(opener, signing: signing, on: loop) { outcome in
        switch outcome {
        case .failed(let reason): problem = reason
        case .report(let answer):
          let report = FailsafeReport(answer, sendsGCSHeartbeat: configuration.sendsGCSHeartbeat)
          for line in report.lines {
            _ = print("\(line.isWarning ? "warning: " : "")\(line.text)".escapingControlCharacters)
          }
        }
        loop.stop()
      }.start()
      if problem == nil { loop.run() }
    } catch { problem = "\(error)" }
    return problem
  }

  private static func deviceProblem(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return
        "\(SystemError.current("look at \(path)").reason); run waits for it; ls /dev/serial/by-id shows what is plugged in"
    }
    guard status.st_mode & S_IFMT == S_IFCHR, isTerminalDevice(path) else {
      return "not a serial device; ls /dev/serial/by-id shows what is plugged in"
    }
    guard access(path, R_OK | W_OK) == 0 else {
      let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? String(status.st_gid)
      return
        "\(SystemError.current("open").reason); add the user to group \(group): sudo usermod -aG \(group) USER"
    }
    return nil
  }

  /// The kernel lists every serial device below `/sys/class/tty`; pseudo-terminals of simulators are not there.
  private static func isTerminalDevice(_ path: String) -> Bool {
    guard let resolved = realpath(path, nil) else { return false }
    defer { free(resolved) }
    let real = String(cString: resolved)
    return real.hasPrefix("/dev/pts/")
      || access("/sys/class/tty/\(real.split(separator: "/").last ?? "")", F_OK) == 0
  }

  private static func stateProblem(_ path: String) -> String? {
    if access(path, W_OK | X_OK) == 0 { return nil }
    // It is made at the first run, so only its parent has to be writable.
    if errno == ENOENT, access(Files.parent(of: path), W_OK | X_OK) == 0 { return nil }
    return SystemError.current("write").reason
  }

  private static func trustProblem(_ directory: String) -> String? {
    do throws(TrustError) {
      let list = try TrustStore(directory: directory).load()
      if let problem = list.problems.first { return "\(problem)" }
      return list.peers.isEmpty ? "none; add one with drone-navigator trust ID" : nil
    } catch { return "\(error)" }
  }
}
