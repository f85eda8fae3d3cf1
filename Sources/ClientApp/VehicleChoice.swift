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
/// Names are labels that vehicles give themselves, so two may have the same one; the first digits of an identity (four at
/// least) are accepted in place of a name.
///
/// - Parameter known: vehicles that were connected and may come back.
public func chooseVehicles(
  for verb: VehicleVerb, _ selection: VehicleSelection, among connected: [VehicleLabel],
  known: [VehicleLabel] = []
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
    let matches = vehicles(called: name, among: connected)
    if matches.count == 1 || (verb == .stop && !matches.isEmpty) { return matches }
    if matches.isEmpty {
      if let lost = vehicles(called: name, among: known).first {
        throw RequestFailure(
          .noVehicle, "\(shown(lost.name)) is not connected at present; connected: \(listed(connected))")
      }
      throw RequestFailure(
        .usage, "no vehicle is called '\(shown(name))'; connected: \(listed(connected))")
    }
    throw RequestFailure(
      .usage,
      "several connected vehicles answer to '\(shown(name))'; give more digits of the fingerprint: "
        + listed(matches))
  }
}

/// Those with exactly this name, else with it in other letters' case, else with a fingerprint that begins so.
func vehicles(called name: String, among vehicles: [VehicleLabel]) -> [VehicleLabel] {
  let exact = vehicles.filter { $0.name == name }
  if !exact.isEmpty { return exact }
  let lowercased = name.lowercased()
  let alike = vehicles.filter { $0.name.lowercased() == lowercased }
  if !alike.isEmpty || name.utf8.count < 4 { return alike }
  return vehicles.filter { $0.id.hex.hasPrefix(lowercased) }
}

private func listed(_ vehicles: [VehicleLabel]) -> String {
  vehicles.map { "\(shown($0.name)) (\($0.id.short))" }.joined(separator: ", ")
}
