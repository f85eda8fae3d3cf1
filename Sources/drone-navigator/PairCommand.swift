import Configuration
import Glibc
import PeerAdministration
import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime

extension DroneNavigator {
  /// `pair`: finds a client whose operator accepts pairing, beside a running navigator, which notices the new trust by itself.
  static func pair(
    _ options: NavigatorPairOptions, _ configuration: NavigatorConfiguration, _ loop: EventLoop
  ) throws -> ExitCode {
    let key: PairingKey
    var codeFile: CodeFile?
    let directory = configuration.stateDirectory
    switch options.method {
    case .compare:
      guard PairingTerminal.canAsk else {
        complain(
          "comparing digits needs a person at a terminal; without one: --accept-for 2m here, and 'drone-client pair --code' there"
        )
        return .usage
      }
      key = .compare
    case .code(let path):
      var random = SystemRandomNumberGenerator()
      let code = PairingCode(using: &random)
      key = .code(code)
      if let path {
        codeFile = try CodeFile(path, code)
        _ = print("the code is in \(path.escapingControlCharacters); there: drone-client pair --code")
      } else {
        _ = print("code: \(code)")
        _ = print("there: drone-client pair --code, which asks for it")
      }
    }
    defer { withExtendedLifetime(codeFile) {} }
    guard let choice = choice(options, configuration) else { return .usage }
    let identity = try Identity.loadOrCreate(directory: directory, commonName: configuration.name)
    let store = TrustStore(directory: directory)
    var setup = PairingInviter.Configuration(
      name: configuration.name, serviceType: "_drone-control._tcp", choice: choice, key: key,
      duration: options.timeout)
    if case .code = key { setup.attempts = PairingWindow.maximumAttempts }
    let inviter = PairingInviter(
      setup, identity: identity, store: { id, name in try store.add(id, name: name) }, loop: loop,
      logger: Logger.standardError(program: "drone-navigator", level: .warning))
    let terminal = PairingTerminal(
      loop: loop, output: { _ = print($0) }, answer: { [weak inviter] in inviter?.answer(isSame: $0) })
    var narrator = PairingNarrator(
      PairingNarrator.Words(
        peer: "client",
        otherCommand: key == .compare ? "drone-client pair" : "drone-client pair --code",
        untrustCommand: "drone-navigator untrust"))
    inviter.onEvent = { event in
      // What it says is worth more than a trust file that cannot be read, which `store` reports.
      let trusted = (try? store.load()) ?? TrustList()
      for notice in narrator.take(event, trusted: trusted) { terminal.show(notice) }
      // A moment for the last frames to leave.
      if narrator.exitCode != nil { loop.schedule(after: .milliseconds(300)) { loop.stop() } }
    }
    let signals = try SignalWatch([SIGINT, SIGTERM, SIGHUP], on: loop) { _ in inviter.cancel() }
    defer { withExtendedLifetime(signals) {} }
    _ = print(
      "'\(configuration.name)' (\(identity.peerID.short)) looks for a client that accepts pairing; there: "
        + (key == .compare ? "drone-client pair" : "drone-client pair --code"))
    try inviter.start()
    loop.run()
    return narrator.exitCode ?? .internalError
  }

  /// Whom to pair with; nil after a complaint.
  private static func choice(
    _ options: NavigatorPairOptions, _ configuration: NavigatorConfiguration
  ) -> PairingInviter.Choice? {
    if let name = options.peer { return .named(name) }
    if let endpoint = configuration.connect.first {
      guard configuration.connect.count == 1 else {
        complain(
          "several clients are configured: name the one to pair with by --connect HOST:PORT or --peer NAME")
        return nil
      }
      return .endpoint(PeerEndpoint(host: endpoint.host, port: endpoint.port))
    }
    return options.method == .compare ? .only : .each
  }
}

/// The file in which an unattended machine keeps its code for as long as it is worth something.
private final class CodeFile {
  private let path: String

  /// Nothing that exists is replaced: it would be lost at the end.
  init(_ path: String, _ code: PairingCode) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw SystemError.current("create \(path)") }
    self.path = path
    defer { close(descriptor) }
    let bytes = Array("\(code)\n".utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
      throw SystemError.current("write \(path)")
    }
  }

  deinit { unlink(path) }
}
