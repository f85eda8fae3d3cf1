import Configuration
import MAVLink
import ServiceRuntime
import Sockets

/// A further port of the flight controller, for programs that look on.
final class FurtherPort {
  enum Line {
    case tcp(LoopbackServer)
    case udp(DatagramChannel)
  }

  /// Its number at the vehicle.
  let number: Int
  private let line: Line
  private var frames = StreamParser()

  /// What a datagram carries on any network without being divided.
  private static let longestDatagram = 1200

  init(_ endpoint: SimulatorPort, number: Int, on loop: EventLoop) throws(SystemError) {
    self.number = number
    switch endpoint {
    case .tcp(let port): line = .tcp(try LoopbackServer(port: port, on: loop))
    case .udp(let port): line = .udp(try DatagramChannel(to: .loopbackV4(port: port), on: loop))
    }
  }

  var onBytes: (([UInt8]) -> Void)? {
    didSet {
      switch line {
      case .tcp(let server): server.onBytes = onBytes
      case .udp(let channel): channel.onBytes = onBytes
      }
    }
  }

  /// What people and scripts are told.
  func description(of endpoint: SimulatorPort) -> String {
    switch (line, endpoint) {
    case (.tcp(let server), _): "also listening on tcp://127.0.0.1:\(server.port)"
    case (.udp, let endpoint): "also sending to \(endpoint)"
    }
  }

  func write(_ bytes: [UInt8]) {
    switch line {
    case .tcp(let server): server.write(bytes)
    case .udp(let channel):
      // Whole frames in a datagram, since one may be lost. When nobody listens there, it is.
      var datagram: [UInt8] = []
      for frame in frames.frames(in: bytes) {
        if datagram.count + frame.length > Self.longestDatagram {
          _ = channel.write(datagram)
          datagram.removeAll(keepingCapacity: true)
        }
        frame.append(to: &datagram)
      }
      if !datagram.isEmpty { _ = channel.write(datagram) }
    }
  }

  func close() {
    switch line {
    case .tcp(let server): server.close()
    case .udp(let channel): channel.close()
    }
  }
}
