import Configuration
public import ServiceRuntime

/// What a program is told by the one that starts it.
public struct Surroundings: Sendable {
  /// Directory of the identity and the list of paired peers.
  public var stateDirectory: String
  /// The name of this host.
  public var hostName: String
  /// Whether a person with a terminal is there, or a script.
  public var hasPerson: Bool
  public var logger: Logger
  /// Where `logger` writes when a screen shows it.
  public var logLines: LogLines?

  public init(
    stateDirectory: String, hostName: String, hasPerson: Bool, logger: Logger, logLines: LogLines? = nil
  ) {
    self.stateDirectory = stateDirectory
    self.hostName = hostName
    self.hasPerson = hasPerson
    self.logger = logger
    self.logLines = logLines
  }

  /// Without an answer of a person strangers stay out.
  func policy(_ options: NearbyMeetingOptions) -> AcceptPolicy {
    options.accept ?? (hasPerson ? .ask : .paired)
  }
}

/// Why a program cannot do its work: one line with the cause and the remedy, and how it ends.
public struct NearbyFailure: Error, Equatable, Sendable {
  public let exitCode: ExitCode
  public let message: String

  init(_ exitCode: ExitCode, _ message: String) {
    self.exitCode = exitCode
    self.message = message
  }
}
