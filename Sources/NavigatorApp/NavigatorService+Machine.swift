public import Configuration
import Guidance
import JSONText
import PeerLink
import PeerProtocol
import ServiceRuntime

/// What the administrator of the machine asks for: another configuration, and how it goes.
extension NavigatorService {
  public var configurationInForce: NavigatorConfiguration { configuration }

  /// Takes over what reading the configuration again came to. A target, a hold or a landing that is under way goes on; the next decision
  /// is made by the new rules.
  public func reconfigure(_ reload: ConfigurationReload) {
    guard shutdownDeadline == nil else { return }
    switch reload {
    case .unchanged: told("configuration read again: nothing changed")
    case .changed(let new, let changes):
      if new.connect != configuration.connect {
        do throws(SystemError) {
          try transceiver.setEndpoints(new.connect.map { PeerEndpoint(host: $0.host, port: $0.port) })
        } catch {
          logger.error("connect: \(error)")
          return refused("connect: \(error)")
        }
      }
      configuration = new
      guidance.rules = Guidance.Rules(new)
      if let level = Logger.Level(name: new.logLevel.rawValue) { logger.setLevel(level) }
      told("configuration changed: \(changes.map(\.description).joined(separator: "; "))")
    case .refused(let error):
      for problem in error.problems { logger.error("\(problem)") }
      if error.omittedCount > 0 { logger.error("and \(error.omittedCount) more") }
      refused(error.problems.map(\.description).joined(separator: "; "))
    }
  }

  private func told(_ text: String) {
    logger.notice("\(text)")
    records.note(text)
    lastReload = text
  }

  private func refused(_ reason: String) {
    lastReload = "refused: \(reason)"
    let text = "the configuration was not changed: the one before stays in force"
    logger.error("\(text)")
    records.note(text)
  }

  /// One JSON object for whoever asks, then the end.
  func answer(_ channel: DescriptorChannel) {
    var object = vehicleStatus(
      name: configuration.name, id: id.hex, serial: configuration.serial?.description ?? "",
      problem: vehicle.problem,
      clients: transceiver.connectedPeers.map { ($0, transceiver.status(of: $0.id)) }, vehicle: vehicle.state,
      guidance: guidance.status(at: loop.now),
      uptimeSeconds: startedAt.duration(to: loop.now).components.seconds)
    MachineStatus(
      configuration: configuration, traffic: vehicle.traffic, line: vehicle.line,
      lastClientLoss: lastClientLoss,
      lastLineLoss: lastLineLoss, lastReload: lastReload, now: loop.now
    ).add(to: &object)
    _ = channel.write(Array(JSON.object(object).text.utf8) + [UInt8(ascii: "\n")])
    // Kept by its own handler until the reader hangs up or the time is over.
    let limit = loop.schedule(after: .seconds(2)) { channel.close() }
    channel.onEnd = { _ in
      limit.cancel()
      channel.close()
    }
  }
}
