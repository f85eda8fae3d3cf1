import Configuration
import Glibc
import SecureTransport
import ServiceRuntime

extension DroneNavigator {
  /// `check`: what `run` would need, looked at without opening the device, since opening can restart some boards.
  static func check(_ configuration: NavigatorConfiguration) -> ExitCode {
    var isFine = true
    func report(_ what: String, _ problem: String?) {
      if problem != nil { isFine = false }
      _ = print("\(what): \(problem ?? "ok")".escapingControlCharacters)
    }
    report("configuration", nil)
    switch configuration.serial {
    case .device(let path, _): report("device \(path)", deviceProblem(path))
    case .tcp, .udp: report("flight controller \(configuration.serial?.description ?? "")", nil)
    case nil: report("device", "no --serial given")
    }
    report("state directory \(configuration.stateDirectory)", stateProblem(configuration.stateDirectory))
    report("trusted clients", trustProblem(configuration.stateDirectory))
    return isFine ? .accepted : .configuration
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
