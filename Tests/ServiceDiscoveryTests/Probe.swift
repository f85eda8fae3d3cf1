import Glibc
import JSONText
import TestSupport

/// `discovery-probe` running inside a private host.
final class Probe {
  let process: ChildProcess
  /// Everything said so far, for a failing test to show.
  private(set) var log: [String] = []

  init(_ host: PrivateAvahi, _ arguments: String...) throws {
    // Built beside the test bundle, which is the program that runs, or what its arguments name.
    process = try host.run([Self.path] + arguments)
  }

  static var path: String {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/discovery-probe"
  }

  /// The next object with this `event`, others passed over; nil when there was none within `limit`.
  func next(
    _ event: String, within limit: Duration = .seconds(15), where matches: (JSON) -> Bool = { _ in true }
  ) -> JSON? {
    next([event], within: limit, where: matches)
  }

  /// The next object with one of these `events` that `matches`, others passed over; nil when there was none within `limit`.
  func next(_ events: Set<String>, within limit: Duration, where matches: (JSON) -> Bool) -> JSON? {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while let line = process.readLine(within: ContinuousClock.now.duration(to: deadline)) {
      log.append(line)
      guard let json = try? JSON.parse(line), let event = json["event"]?.string else { continue }
      if events.contains(event), matches(json) { return json }
    }
    return nil
  }

  /// Reads all that is said for a while.
  func listen(_ time: Duration) -> [JSON] {
    let deadline = ContinuousClock.now.advanced(by: time)
    var result: [JSON] = []
    while let line = process.readLine(within: ContinuousClock.now.duration(to: deadline)) {
      log.append(line)
      if let json = try? JSON.parse(line) { result.append(json) }
    }
    return result
  }
}

extension JSON {
  var addresses: [String] { self["service"]?["addresses"]?.array?.compactMap(\.string) ?? [] }
}
