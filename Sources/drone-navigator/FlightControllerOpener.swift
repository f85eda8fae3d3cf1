import Configuration
import SerialLink
import ServiceRuntime
import Sockets
import VehicleLink

/// Opens what `--serial` names: a device, or a simulator's network address.
final class FlightControllerOpener: ChannelOpener {
  private let endpoint: SerialEndpoint
  private let resolver: HostResolver?
  private var connector: TCPConnector?
  private static let connectLimit: Duration = .seconds(3)

  init(_ endpoint: SerialEndpoint, loop: EventLoop) throws(SystemError) {
    self.endpoint = endpoint
    switch endpoint {
    case .device: resolver = nil
    case .tcp, .udp: resolver = try HostResolver(on: loop)
    }
  }

  var name: String { endpoint.description }

  var baud: Int? {
    if case .device(_, let baud) = endpoint { baud } else { nil }
  }

  func open(on loop: EventLoop, completion: @escaping (Result<any ByteChannel, ChannelOpenFailure>) -> Void) {
    switch endpoint {
    case .device(let path, let baud): completion(device(path, baud, loop))
    case .tcp(let host, let port):
      resolve(host, port, completion) { [weak self] addresses in
        self?.connector = TCPConnector(to: addresses, within: FlightControllerOpener.connectLimit, on: loop) {
          result in
          completion(
            result.map { $0.channel as any ByteChannel }.mapError {
              ChannelOpenFailure("\(self?.name ?? ""): \($0)")
            })
        }
      }
    case .udp(let host, let port):
      resolve(host, port, completion) { [weak self] addresses in
        guard let self, let address = addresses.first else { return }
        do throws(SystemError) {
          completion(.success(try DatagramChannel(to: address, on: loop)))
        } catch {
          completion(.failure(ChannelOpenFailure("\(name): \(error)")))
        }
      }
    }
  }

  private func device(
    _ path: String, _ baud: Int, _ loop: EventLoop
  ) -> Result<any ByteChannel, ChannelOpenFailure> {
    do throws(SerialOpenError) {
      return .success(try SerialPort.channel(path: path, baud: baud, on: loop))
    } catch {
      return .failure(ChannelOpenFailure(error.description))
    }
  }

  private func resolve(
    _ host: String, _ port: UInt16,
    _ completion: @escaping (Result<any ByteChannel, ChannelOpenFailure>) -> Void,
    then use: @escaping ([SocketAddress]) -> Void
  ) {
    resolver?.resolve(host, port: port) { result in
      switch result {
      case .success(let addresses): use(addresses)
      case .failure(let error): completion(.failure(ChannelOpenFailure("\(error)")))
      }
    }
  }
}
