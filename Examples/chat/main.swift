// Shows how to
// 1. be found by others nearby, and find them,
// 2. invite a peer, and take invitations, of strangers too,
// 3. send a line to every connected peer and show theirs.
//
// usage: example-chat NAME        in two terminals, or on two computers of one network
import PeerConnectivity

let name = CommandLine.arguments.dropFirst().first ?? "somebody"
let node = try PeerNode(
  displayName: name, serviceType: ServiceType("example-chat"), trust: .askAlways)
let session = PeerSession(node: node)
let advertiser = PeerAdvertiser(node: node)
let browser = PeerBrowser(node: node)
advertiser.start()
browser.start()
print("You are \(node.peer). Type a line to send it; end with Ctrl-D.")

// Each sequence has its reader; what is not read waits in bounded room and slows its senders down.
Task.detached { [browser, session] in
  for await event in browser.events {
    switch event {
    case .found(let peer, _):
      // When both invite each other at once, one session comes of it.
      Task.detached {
        do { try await session.invite(peer) } catch { print("\(peer): \(error)") }
      }
    case .unavailable(let reason): print(reason)
    case .updated, .lost, .available: break
    }
  }
}
Task.detached { [advertiser, session] in
  for await invitation in advertiser.invitations {
    // Strangers are let in here because the policy above is `askAlways` and this line says yes.
    do { try await invitation.accept(into: session) } catch { print("\(invitation.peer): \(error)") }
  }
}
Task.detached { [session] in
  for await event in session.events {
    switch event {
    case .state(let peer, let state): print("* \(peer): \(state)")
    // Text of others may hold control characters: a real program would show them instead of obeying them.
    case .message(let message): print("\(message.peer.displayName): \(message.text.debugDescription)")
    case .resourceOffered(let resource): resource.decline("this is only a chat")
    case .streamOpened(let stream): stream.close()
    }
  }
}

// The main thread waits for the keyboard; everything else runs on others.
while let line = readLine() {
  do { try await session.send(Array(line.utf8), to: session.connectedPeers) } catch { print("* \(error)") }
}
await node.stop()
