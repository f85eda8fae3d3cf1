import PeerProtocol
import SecureTransport
import TestSupport

/// Two engines and the wire between them.
final class EnginePair {
  let client: TLSEngine
  let server: TLSEngine
  /// What each side's application received so far.
  var atClient: [UInt8] = []
  var atServer: [UInt8] = []
  var clientFinished = false
  var serverFinished = false
  /// The first error of each side.
  var clientError: TLSError?
  var serverError: TLSError?
  private let portion: Int
  private var toServer: [UInt8]
  private var toClient: [UInt8]

  /// - Parameter portion: how many bytes arrive at once.
  init(
    client clientIdentity: Identity, server serverIdentity: Identity,
    clientPolicy: PeerPolicy = .any, serverPolicy: PeerPolicy = .any, portion: Int = .max
  ) throws {
    client = try TLSEngine(identity: clientIdentity, role: .client, policy: clientPolicy)
    server = try TLSEngine(identity: serverIdentity, role: .server, policy: serverPolicy)
    self.portion = portion
    toServer = try client.start()
    toClient = try server.start()
  }

  static func established(portion: Int = .max) throws -> EnginePair {
    let (one, other) = (try Identities.fresh("client"), try Identities.fresh("server"))
    let pair = try EnginePair(client: one, server: other, portion: portion)
    pair.pump()
    return pair
  }

  /// Moves bytes until both directions are quiet.
  func pump() {
    while !toServer.isEmpty || !toClient.isEmpty {
      let forServer = take(from: &toServer)
      do throws(TLSError) {
        let received = try server.receive(forServer)
        atServer += received.plaintext
        toClient += received.output
        if received.handshakeFinished { serverFinished = true }
      } catch {
        serverError = serverError ?? error
        toClient += server.takeOutput()
      }
      let forClient = take(from: &toClient)
      do throws(TLSError) {
        let received = try client.receive(forClient)
        atClient += received.plaintext
        toServer += received.output
        if received.handshakeFinished { clientFinished = true }
      } catch {
        clientError = clientError ?? error
        toServer += client.takeOutput()
      }
    }
  }

  func sendFromClient(_ bytes: [UInt8]) throws { toServer += try client.send(bytes) }
  func sendFromServer(_ bytes: [UInt8]) throws { toClient += try server.send(bytes) }
  func deliverToServer(_ ciphertext: [UInt8]) { toServer += ciphertext }

  private func take(from queue: inout [UInt8]) -> [UInt8] {
    let taken = Array(queue.prefix(portion))
    queue.removeFirst(taken.count)
    return taken
  }
}

enum Identities {
  /// An identity that lives in memory only; its directory is gone.
  static func fresh(_ name: String = "test") throws -> Identity {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try Identity.loadOrCreate(directory: directory.path, commonName: name)
  }
}
