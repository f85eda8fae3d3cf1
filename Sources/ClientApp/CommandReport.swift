import JSONText
public import ServiceRuntime

/// Prints the replies to one command as they come and keeps how it ended.
public struct CommandReport {
  private let json: Bool
  private let verb: String
  private let output: (String) -> Void
  private let errorOutput: (String) -> Void
  private var namesVehicles: Bool
  public private(set) var exitCode: ExitCode?

  /// - Parameter namesVehicles: each line begins with the vehicle also when there is only one.
  public init(
    verb: String, json: Bool, namesVehicles: Bool, output: @escaping (String) -> Void,
    errorOutput: @escaping (String) -> Void
  ) {
    self.verb = verb
    self.json = json
    self.namesVehicles = namesVehicles
    self.output = output
    self.errorOutput = errorOutput
  }

  public mutating func take(_ reply: ControlReply) {
    switch reply {
    case .started(let count): namesVehicles = namesVehicles || count > 1
    case .outcome(let outcome):
      output(json ? outcome.json.text : namesVehicles ? outcome.namedText : outcome.text)
    case .note(let text): errorOutput("\(verb): \(shown(text))")
    case .status, .pairing: break
    case .end(let code, let error):
      exitCode = code
      if let error { errorOutput("\(verb): \(shown(error))") }
    }
  }
}
