// Shows how to
// 1. connect without multicast, by host and port,
// 2. offer a file or a folder and follow its progress,
// 3. receive it into a directory, under a safe name, going on where an earlier attempt broke off.
//
// usage: example-files receive DIRECTORY PORT
//        example-files send PATH HOST PORT
import PeerConnectivity

let arguments = Array(CommandLine.arguments.dropFirst())
let type = try ServiceType("example-files")
switch (arguments.first, arguments.count) {
case ("receive", 3): try await receive(into: arguments[1], port: UInt16(arguments[2]) ?? 0)
case ("send", 4): try await send(arguments[1], to: arguments[2], port: UInt16(arguments[3]) ?? 0)
default: print("usage: example-files receive DIRECTORY PORT | send PATH HOST PORT")
}

func receive(into directory: String, port: UInt16) async throws {
  let node = try PeerNode(
    displayName: "receiver", serviceType: type, trust: .askAlways, listen: .port(port))
  let session = PeerSession(node: node)
  // Not announced: whoever knows the port may come.
  let door = PeerAdvertiser(node: node, visibility: .hidden)
  door.start()
  print("\(node.id) listens on port \(node.port)")
  let doorkeeper = Task {
    for await invitation in door.invitations { try? await invitation.accept(into: session) }
  }
  for await event in session.events {
    guard case .resourceOffered(let resource) = event else { continue }
    print("\(resource.peer) offers \(resource.name.debugDescription), \(resource.byteCount) bytes")
    await follow(resource.accept(into: directory))
  }
  doorkeeper.cancel()
}

func send(_ path: String, to host: String, port: UInt16) async throws {
  let node = try PeerNode(displayName: "sender", serviceType: type, trust: .askAlways)
  let session = PeerSession(node: node)
  let peer = try await session.connect(to: PeerEndpoint(host: host, port: port))
  await follow(session.sendResource(at: path, to: peer))
  await node.stop()
}

/// Prints each tenth and the end.
func follow(_ transfer: ResourceTransfer) async {
  var shown = -1
  for await progress in transfer.progress where Int(progress.fraction * 10) > shown {
    shown = Int(progress.fraction * 10)
    print("\(transfer.name): \(shown * 10) %")
  }
  do {
    let summary = try await transfer.value
    print("\(summary.path ?? transfer.name): \(summary.byteCount) bytes in \(summary.duration)")
  } catch { print("\(transfer.name): \(error)") }
}
