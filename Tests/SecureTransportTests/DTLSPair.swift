import Glibc
import SecureTransport
import TestSupport

/// Two DTLS engines and a channel between them that loses, repeats and reorders by a seed.
final class DTLSPair {
  /// In percent.
  struct Channel: Sendable {
    var loss = 0
    var repetition = 0
    var reordering = 0
  }

  static let key = [UInt8](repeating: 7, count: DTLSEngine.keyBytes)
  /// Short, because OpenSSL's timer runs on real time; it counts the last 15 ms of a wait as over.
  static let timing = DTLSEngine.Timing(
    firstRepeat: .milliseconds(18), slowestRepeat: .milliseconds(20), oneTry: .milliseconds(200),
    afterFailure: .milliseconds(3))

  let client: DTLSEngine
  let server: DTLSEngine
  var channel: Channel
  var atClient: [[UInt8]] = []
  var atServer: [[UInt8]] = []
  var clientFinished = 0
  var serverFinished = 0
  var clientClosed = false
  var serverClosed = false
  /// All that was ever sent, before any loss.
  var sentToServer: [[UInt8]] = []
  var sentToClient: [[UInt8]] = []
  private var toServer: [[UInt8]] = []
  private var toClient: [[UInt8]] = []
  private var random: SplitMix64

  init(
    _ channel: Channel = Channel(), seed: UInt64 = 1, clientKey: [UInt8] = key, serverKey: [UInt8] = key,
    linkMTU: Int = DTLSEngine.defaultLinkMTU
  ) throws {
    client = try DTLSEngine(role: .client, key: clientKey, linkMTU: linkMTU, timing: DTLSPair.timing)
    server = try DTLSEngine(role: .server, key: serverKey, linkMTU: linkMTU, timing: DTLSPair.timing)
    self.channel = channel
    random = SplitMix64(seed: seed)
    fromServer(server.start())
    fromClient(client.start())
  }

  static func established(linkMTU: Int = DTLSEngine.defaultLinkMTU) throws -> DTLSPair {
    let pair = try DTLSPair(linkMTU: linkMTU)
    pair.deliver()
    return pair
  }

  func fromClient(_ datagrams: [[UInt8]]) {
    sentToServer += datagrams
    for datagram in datagrams { enqueue(datagram, &toServer) }
  }

  func fromServer(_ datagrams: [[UInt8]]) {
    sentToClient += datagrams
    for datagram in datagrams { enqueue(datagram, &toClient) }
  }

  /// Past the channel.
  func giveServer(_ datagram: [UInt8]) {
    let received = server.receive(datagram)
    atServer += received.plaintexts
    if received.handshakeFinished { serverFinished += 1 }
    serverClosed = serverClosed || received.closed
    fromServer(received.output)
  }

  /// Past the channel.
  func giveClient(_ datagram: [UInt8]) {
    let received = client.receive(datagram)
    atClient += received.plaintexts
    if received.handshakeFinished { clientFinished += 1 }
    clientClosed = clientClosed || received.closed
    fromClient(received.output)
  }

  /// Until the channel is empty; no time passes.
  func deliver() {
    while !toServer.isEmpty || !toClient.isEmpty {
      if !toServer.isEmpty { giveServer(take(from: &toServer)) }
      if !toClient.isEmpty { giveClient(take(from: &toClient)) }
    }
  }

  /// Loses what is on its way.
  func lose() {
    toServer.removeAll()
    toClient.removeAll()
  }

  /// Delivers, waits and repeats.
  ///
  /// - Returns: whether it came so far in time.
  func run(within limit: Duration = .seconds(10), until isDone: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
      deliver()
      if isDone() { return true }
      guard ContinuousClock.now < deadline else { return false }
      let wait = [client.nextTimeout(), server.nextTimeout()].compactMap(\.self).min() ?? .milliseconds(1)
      if wait > .zero { usleep(UInt32(min(wait, .milliseconds(10)) / .microseconds(1))) }
      fromClient(client.handleTimeout())
      fromServer(server.handleTimeout())
    }
  }

  var isEstablished: Bool { client.isEstablished && server.isEstablished }

  private func enqueue(_ datagram: [UInt8], _ queue: inout [[UInt8]]) {
    if percent() < channel.loss { return }
    queue.append(datagram)
    if percent() < channel.repetition { queue.append(datagram) }
  }

  private func take(from queue: inout [[UInt8]]) -> [UInt8] {
    queue.remove(at: percent() < channel.reordering ? Int(random.next() % UInt64(queue.count)) : 0)
  }

  private func percent() -> Int { Int(random.next() % 100) }
}
