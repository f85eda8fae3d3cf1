public import Configuration
import PeerProtocol
public import ServiceRuntime

/// Why a request ends before anything was sent: cause first, then the remedy.
public struct RequestFailure: Error, Equatable, Sendable {
  public let exitCode: ExitCode
  public let message: String

  public init(_ exitCode: ExitCode, _ message: String) {
    self.exitCode = exitCode
    self.message = message
  }
}

/// Which of the connected vehicles a command is for.
///
/// Names are labels that vehicles give themselves, so two may have the same one; the first digits of an identity (six at
/// least) are accepted in place of a name.
public func chooseVehicles(
  for verb: VehicleVerb, _ selection: VehicleSelection, among connected: [VehicleLabel]
) throws(RequestFailure) -> [VehicleLabel] {
  guard !connected.isEmpty else { throw RequestFailure(.noVehicle, "no vehicle is connected") }
  switch selection {
  case .all: return connected
  case .only:
    // A stop that asks first comes too late.
    if connected.count == 1 || verb == .stop { return connected }
    throw RequestFailure(
      .usage, "several vehicles are connected; choose with --vehicle NAME or --all: \(listed(connected))")
  case .named(let name):
    var matches = connected.filter { $0.name == name }
    if matches.isEmpty, name.utf8.count >= 6 {
      matches = connected.filter { $0.id.hex.hasPrefix(name.lowercased()) }
    }
    if matches.count == 1 || (verb == .stop && !matches.isEmpty) { return matches }
    if matches.isEmpty {
      throw RequestFailure(
        .noVehicle, "no vehicle '\(shown(name))' is connected; connected: \(listed(connected))")
    }
    throw RequestFailure(
      .usage,
      "several connected vehicles are called '\(shown(name))'; give the first digits of the identity "
        + "instead: \(listed(matches))")
  }
}

private func listed(_ vehicles: [VehicleLabel]) -> String {
  vehicles.map { "\(shown($0.name)) (\($0.id.short))" }.joined(separator: ", ")
}
