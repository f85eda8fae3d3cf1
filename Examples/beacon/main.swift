// Shows how to
// 1. send what is worthless when it is late, as unreliable messages: no queue, no repeats, the newest counts,
// 2. send what must arrive fast and surely, as an urgent message,
// 3. see how late a message is without a common clock, and that a peer was started anew.
//
// usage: example-beacon NAME        on two computers of one network; Enter sends an alarm
import PeerConnectivity

let node = try PeerNode(
  displayName: CommandLine.arguments.dropFirst().first ?? "beacon",
  serviceType: ServiceType("example-beacon"),
  trust: .askAlways)
let session = PeerSession(node: node)
let advertiser = PeerAdvertiser(node: node, discoveryInfo: ["kind": "beacon"])
let browser = PeerBrowser(node: node)
advertiser.start()
browser.start()

Task.detached { [browser, session] in
  for await event in browser.events {
    guard case .found(let peer, let info) = event, info["kind"] == "beacon" else { continue }
    Task.detached { try? await session.invite(peer) }
  }
}
Task.detached { [advertiser, session] in
  for await invitation in advertiser.invitations { try? await invitation.accept(into: session) }
}
Task.detached { [session] in
  for await event in session.events {
    switch event {
    case .state(let peer, .connected(isRestarted: true, _)): print("\(peer) was started anew")
    case .message(let message) where message.mode == .urgent: print("ALARM of \(message.peer)")
    case .message(let message):
      print("\(message.peer.displayName): \(message.text.debugDescription), \(message.delay) late")
    case .state, .resourceOffered, .streamOpened: break
    }
  }
}
Task.detached { [session] in
  // A made-up track: five positions a second, some metres apart.
  for step in 0... {
    let position = "\(48.2 + Double(step % 100) * 1e-5),\(16.37 + Double(step % 70) * 1e-5)"
    // To nobody is no error; neither is a lost datagram.
    try? await session.send(Array(position.utf8), to: session.connectedPeers, mode: .unreliable)
    try await Task.sleep(for: .milliseconds(200))
  }
}

while readLine() != nil {
  // A second alarm takes the place of one that is still on its way.
  do {
    try await session.send(
      Array("alarm".utf8), to: session.connectedPeers, channel: 1, mode: .urgent(replacing: 1))
  } catch { print("\(error)") }
}
await node.stop()
