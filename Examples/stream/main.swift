// Shows how to
// 1. open a named byte stream to a peer, and take one that a peer opened,
// 2. read and write at the pace of the slower side,
// 3. finish one direction and go on with the other.
//
// The listening side sends back what it reads, in capital letters.
//
// usage: example-stream listen PORT
//        example-stream HOST PORT < FILE
import Glibc
import PeerConnectivity

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2, let port = UInt16(arguments[1]) else {
  print("usage: example-stream listen PORT | HOST PORT")
  exit(64)
}
let isListening = arguments[0] == "listen"
let node = try PeerNode(
  displayName: isListening ? "echo" : "caller", serviceType: ServiceType("example-stream"),
  trust: .askAlways, listen: isListening ? .port(port) : .any)
let session = PeerSession(node: node)

if isListening {
  let door = PeerAdvertiser(node: node, visibility: .hidden)
  door.start()
  Task.detached { [door, session] in
    for await invitation in door.invitations { try? await invitation.accept(into: session) }
  }
  for await event in session.events {
    guard case .streamOpened(let stream) = event else { continue }
    // A task for each stream; an error ends that one only.
    Task.detached {
      do {
        while let bytes = try await stream.read() { try await stream.write(bytes.map(upperCase)) }
        stream.finishWriting()
      } catch { print("\(stream.name.debugDescription) of \(stream.peer): \(error)") }
    }
  }
} else {
  let peer = try await session.connect(to: PeerEndpoint(host: arguments[0], port: port))
  let stream = try await session.openStream(named: "capital letters", to: peer)
  let answers = Task.detached {
    while let bytes = try await stream.read() {
      print(String(decoding: bytes, as: UTF8.self), terminator: "")
    }
  }
  while let line = readLine(strippingNewline: false) { try await stream.write(Array(line.utf8)) }
  // The other side sees the end of the file, and what it still has to say arrives.
  stream.finishWriting()
  try await answers.value
  await node.stop()
}

@Sendable func upperCase(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
}
