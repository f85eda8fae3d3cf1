// Relays MAVLink between a serial device and a UDP port of this machine through the parts that the navigator is made
// of, for scripts/benchmark-relay to measure from outside.
//
// usage: relay-benchmark DEVICE PORT      until its standard input ends

import Glibc
import MAVLink
import ServiceRuntime
import Sockets
import VehicleLink

/// Opens a pseudo-terminal as the navigator does, which takes no set-up.
final class DeviceOpener: ChannelOpener {
  let name: String
  /// A speed is what the benchmark is not about: nothing is held back.
  let baud: Int? = nil

  init(_ path: String) { name = path }

  func open(
    on loop: EventLoop, completion: @escaping (Result<any ByteChannel, ChannelOpenFailure>) -> Void
  ) {
    do throws(SystemError) {
      let descriptor = Glibc.open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      if descriptor < 0 { throw SystemError.current("open \(name)") }
      let channel = try DescriptorChannel(descriptor, name: name, maximumBacklog: 65_536, on: loop)
      line = channel
      completion(.success(channel))
    } catch {
      completion(.failure(ChannelOpenFailure("\(error)")))
    }
  }

  private(set) var line: DescriptorChannel?
}

func relay(from path: String, to port: UInt16) throws(SystemError) {
  let loop = try EventLoop()
  let station = try DatagramChannel(to: .loopbackV4(port: port), on: loop)
  let opener = DeviceOpener(path)
  let link = VehicleLink(loop: loop, logger: .silent, opener: opener)
  // From the line everything passes the decoder and the observer first, as it does in the navigator.
  link.onTraffic = { frame in _ = station.write(frame) }
  var parser = StreamParser()
  station.onBytes = { bytes in
    parser.push(bytes)
    while let frame = parser.next() { _ = opener.line?.write(frame.bytes) }
  }
  let input = try DescriptorChannel(dup(0), name: "input", maximumBacklog: 0, on: loop)
  input.onEnd = { _ in loop.stop() }
  link.start()
  loop.run()
  link.stop()
  station.close()
}

SignalWatch.ignoreBrokenPipes()
guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[2]) else {
  print("usage: relay-benchmark DEVICE PORT")
  exit(64)
}
do throws(SystemError) {
  try relay(from: CommandLine.arguments[1], to: port)
} catch {
  print("relay-benchmark: \(error)")
  exit(1)
}
