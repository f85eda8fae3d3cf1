import ClientApp
import Configuration
import GPSD
import Geodesy
import Glibc
import PeerLink
import PeerProtocol
import SecureTransport
import ServiceDiscovery
import ServiceRuntime
import Sockets

/// The parts of a client, chosen and connected: identity and trust of the state directory, sessions, position.
struct Assembly {
  static let serviceType = "_drone-control._tcp"

  let service: ClientService
  let trust: TrustedPeers
  let identity: Identity

  /// - Parameters:
  ///   - options: nil for a client that runs for one command.
  ///   - name: for a client that runs for one command; nil for the name of the host. `listen` likewise.
  ///   - console: where events are told; nil for nowhere.
  init(
    _ place: Place, _ options: ClientRunOptions?, name: String? = nil,
    listen: ListenAddress = ListenAddress(),
    console: Console?, loop: EventLoop, logger: Logger
  ) throws {
    let name = options?.name ?? name ?? sanitizedPeerName(hostName())
    do throws(IdentityError) {
      identity = try Identity.loadOrCreate(directory: place.directory, commonName: name)
    } catch {
      throw Failure(.configuration, error.description)
    }
    do throws(TrustError) {
      trust = try TrustedPeers(directory: place.directory, loop: loop, logger: logger)
    } catch {
      throw Failure(.configuration, error.description)
    }
    let address = try listenAddress(options?.listen ?? listen, loop)
    let transceiver = PeerTransceiver(
      configuration: PeerTransceiver.Configuration(
        name: name, serviceType: Assembly.serviceType, listenAddress: address),
      identity: identity, trust: trust, loop: loop, logger: logger)
    let settings = ClientService.Settings(
      name: name, id: identity.peerID, stateDirectory: place.directory, trustCommand: place.trustCommand,
      untrustCommand: place.untrustCommand, keepCommand: place.keepCommand,
      processID: getpid(), isForOneCommand: options == nil)
    service = ClientService(
      settings: settings, transceiver: transceiver,
      position: try options.map { try source($0.position, loop, logger) }, console: console, loop: loop,
      logger: logger)
    transceiver.onPublication = { [weak service] state in service?.advertisingChanged(Advertising(state)) }
    trust.onChange = { [weak transceiver] in transceiver?.trustChanged() }
  }
}

extension Advertising {
  fileprivate init(_ state: PublicationState) {
    switch state {
    case .publishing(let name): self = .advertised(name: name)
    case .waiting(let reason), .failed(let reason): self = .hidden(reason: reason)
    }
  }
}

private func source(
  _ endpoint: PositionEndpoint, _ loop: EventLoop, _ logger: Logger
) throws(Failure) -> any PositionSource {
  switch endpoint {
  case .gpsd(let host, let port): return GPSDClient(host: host, port: port, loop: loop, logger: logger)
  case .fixed(let place):
    guard
      let coordinate = Coordinate(latitude: place.latitudeDegrees, longitude: place.longitudeDegrees),
      let source = FixedPosition(coordinate)
    else { throw Failure(.usage, "--position \(place) is no place on earth") }
    return source
  }
}

/// Turns `--listen` into an address; a host's name is looked up before anything else starts.
private func listenAddress(_ listen: ListenAddress, _ loop: EventLoop) throws -> SocketAddress {
  guard let host = listen.address else { return .any(port: listen.port) }
  if let address = SocketAddress(numericHost: host, port: listen.port) { return address }
  var result: Result<[SocketAddress], ResolveError>?
  let resolver = try HostResolver(on: loop)
  resolver.resolve(host, port: listen.port) {
    result = $0
    loop.stop()
  }
  loop.run()
  switch result {
  case .success(let addresses)?:
    guard let first = addresses.first else { break }
    return first
  case .failure(let error)?: throw Failure(.configuration, "--listen: \(error)")
  case nil: break
  }
  throw Failure(.configuration, "--listen: \(host) has no address")
}
