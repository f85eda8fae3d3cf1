// Sends one file from one peer to another over loopback, both in this process, and prints one JSON object.
//
// usage: transfer-benchmark FILE FOLDER      the result is removed again
import FileTransfer
import Glibc
import PeerLink
import PeerProtocol
import SecureTransport
import ServiceRuntime
import Sockets

final class Anybody: PeerTrust {
  func isTrusted(_ id: PeerID) -> Bool { true }
}

func fail(_ text: String) -> Never {
  let line = "transfer-benchmark: \(text)\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}

func transceiver(
  _ name: String, port: UInt16?, endpoint: PeerEndpoint?, state: String, _ loop: EventLoop
) throws -> PeerTransceiver {
  PeerTransceiver(
    configuration: PeerTransceiver.Configuration(
      name: name, serviceType: "_drone-test._tcp", listenAddress: port.map { .loopbackV4(port: $0) },
      endpoints: endpoint.map { [$0] } ?? []),
    identity: try Identity.loadOrCreate(directory: "\(state)/\(name)", commonName: name), trust: Anybody(),
    loop: loop, logger: Logger(level: .error) { print($0.message) })
}

guard CommandLine.arguments.count == 3 else { fail("usage: transfer-benchmark FILE FOLDER") }
let (path, folderPath) = (CommandLine.arguments[1], CommandLine.arguments[2])
SignalWatch.ignoreBrokenPipes()
// Nobody is to find these peers.
setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus", 1)

let loop = try EventLoop()
let host = try transceiver("host", port: 0, endpoint: nil, state: folderPath, loop)
let anybody = Anybody()
try host.start()
guard let port = host.localAddress?.port else { fail("the host does not listen") }
let inviter = try transceiver(
  "inviter", port: nil, endpoint: PeerEndpoint(host: "127.0.0.1", port: port), state: folderPath, loop)

var policy = ReceivingPolicy()
// The anchor does not wait for the disk either.
policy.isDurable = false
let folder = try ReceivedFolder(path: "\(folderPath)/received", policy: policy)
let source = try FileSource(path: path)
let clock = ContinuousClock()
var started = clock.now
var sink: ReceivedSink?

host.onOffer = { transfer in
  do {
    let terms = ReceivingTerms(
      sender: transfer.peerID.bytes, senderName: "inviter", name: transfer.offer.name,
      content: .file(
        sizeBytes: transfer.offer.sizeBytes, modifiedAtUnixSeconds: transfer.offer.modifiedAtUnixSeconds))
    let received = try folder.sink(for: terms)
    sink = received
    transfer.accept(into: received)
  } catch { fail("\(error)") }
}
inviter.onConnected = { peer in
  guard let offer = TransferOffer(kind: .file(sizeBytes: source.sizeBytes), name: "benchmark") else {
    fail("no offer")
  }
  started = clock.now
  switch inviter.offer(offer, to: peer.id, source: source) {
  case .success(let transfer):
    transfer.onEnd = { failure in
      if let failure { fail("\(failure)") }
      let (seconds, attoseconds) = started.duration(to: clock.now).components
      let time = Double(seconds) + Double(attoseconds) / 1e18
      var usage = rusage()
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      let rate = Double(source.sizeBytes) / time / 1e6
      print(
        "{\"seconds\": \(time), \"megabytes_per_s\": \(rate), \"resident_mb\": \(Double(usage.ru_maxrss) / 1e3)}"
      )
      if let result = sink?.resultPath { unlink(result) }
      exit(0)
    }
  case .failure(let failure): fail("\(failure)")
  }
}
try inviter.start()
loop.schedule(after: .seconds(300)) { fail("no end in time") }
loop.run()
