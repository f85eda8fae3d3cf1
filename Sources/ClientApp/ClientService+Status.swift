import Configuration
import PeerProtocol
import ServiceRuntime

extension ClientService {
  /// Who follows the status: a command process each.
  struct Follower {
    let vehicle: PeerID?
    let onReply: (ControlReply) -> Void
  }

  /// Followers stay for hours; what is left of the socket's connections is for commands.
  private static let maximumFollowers = 8
  /// Between two lines while nothing happens.
  private static let followPeriod: Duration = .milliseconds(500)

  /// Tells the status, once or until `unfollow`.
  ///
  /// - Returns: the number of the follower, nil when the exchange is over.
  func tellStatus(_ options: ClientStatusOptions, onReply: @escaping (ControlReply) -> Void) -> Int? {
    var vehicle: PeerID?
    if let name = options.vehicle {
      do throws(RequestFailure) { vehicle = try chooseForStatus(name) } catch {
        onReply(.end(error.exitCode, error: error.message))
        return nil
      }
    }
    guard options.follows else {
      onReply(statusReply(vehicle))
      onReply(.end(.accepted, error: nil))
      return nil
    }
    guard followers.count < Self.maximumFollowers else {
      onReply(
        .end(
          .serviceUnavailable,
          error: "\(followers.count) processes follow the status already; end one of them"))
      return nil
    }
    lastFollower += 1
    followers[lastFollower] = Follower(vehicle: vehicle, onReply: onReply)
    onReply(statusReply(vehicle))
    followTicks =
      followTicks ?? loop.repeating(every: Self.followPeriod) { [weak self] in self?.tellFollowers() }
    return lastFollower
  }

  func unfollow(_ number: Int) {
    followers[number] = nil
    guard followers.isEmpty else { return }
    followTicks?.cancel()
    followTicks = nil
  }

  func tellFollowers() {
    for follower in followers.values { follower.onReply(statusReply(follower.vehicle)) }
  }

  private func statusReply(_ vehicle: PeerID?) -> ControlReply {
    var status = self.status
    if let vehicle { status.vehicles.removeAll { $0.label.id != vehicle } }
    return .status(text: status.text, status.json)
  }

  private func chooseForStatus(_ name: String) throws(RequestFailure) -> PeerID {
    let known = vehicles.values.map(\.label).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    let chosen = try chooseVehicles(for: .land, .named(name), among: known)
    guard let one = chosen.first else { throw RequestFailure(.noVehicle, "no vehicle is connected") }
    return one.id
  }
}
