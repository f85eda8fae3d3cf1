import ServiceRuntime
import Sockets
import Synchronization
import TestSupport

/// Passes TCP connections on to another port of this computer until it is told to cut them; what goes by datagrams it does not see.
final class TCPProxy {
  let port: UInt16
  private let orders = Orders()
  private let thread: WorkerThread

  /// What the test wants and the thread has seen.
  private final class Orders: Sendable {
    struct State {
      var isCut = false
      var isOver = false
      var passed = 0
    }
    let state = Mutex(State())
  }

  init(to target: UInt16) throws {
    let port = try GPSDaemon.freePort()
    self.port = port
    thread = try WorkerThread(name: "proxy") { [orders] in
      do {
        let loop = try EventLoop()
        let traffic = try Traffic(from: port, to: target, orders, on: loop)
        withExtendedLifetime(traffic) { loop.run() }
      } catch {
        orders.state.withLock { $0.isOver = true }
      }
    }
  }

  deinit {
    orders.state.withLock { $0.isOver = true }
    thread.join()
  }

  /// Connections that were passed on so far.
  var passed: Int { orders.state.withLock(\.passed) }

  /// Ends all connections, and every new one at once.
  func cut() { orders.state.withLock { $0.isCut = true } }

  func heal() { orders.state.withLock { $0.isCut = false } }

  /// The part on the thread.
  private final class Traffic {
    private let loop: EventLoop
    private let orders: Orders
    private let target: SocketAddress
    private let listener: TCPListener
    private var ticks: RepeatingTimer?
    private var connectors: [TCPConnector] = []
    private var channels: [DescriptorChannel] = []

    init(from port: UInt16, to target: UInt16, _ orders: Orders, on loop: EventLoop) throws {
      self.loop = loop
      self.orders = orders
      self.target = .loopbackV4(port: target)
      listener = try TCPListener(on: .loopbackV4(port: port), loop: loop)
      listener.onAccept = { [weak self] in self?.accepted($0.channel) }
      ticks = loop.repeating(every: .milliseconds(20)) { [weak self] in self?.obey() }
    }

    private func obey() {
      let state = orders.state.withLock { $0 }
      if state.isCut || state.isOver {
        for channel in channels { channel.close() }
        channels = []
        connectors = []
      }
      if state.isOver { loop.stop() }
    }

    private func accepted(_ near: DescriptorChannel) {
      guard !orders.state.withLock(\.isCut) else { return near.close() }
      near.setReading(false)
      channels.append(near)
      connectors.append(
        TCPConnector(to: [target], within: .seconds(5), on: loop) { [weak self] result in
          guard let self, let far = try? result.get().channel else { return near.close() }
          channels.append(far)
          orders.state.withLock { $0.passed += 1 }
          join(near, far)
          join(far, near)
          near.setReading(true)
        })
    }

    private func join(_ one: DescriptorChannel, _ other: DescriptorChannel) {
      one.onBytes = { [weak other] bytes in _ = other?.write(bytes) }
      one.onEnd = { [weak one, weak other] _ in
        one?.close()
        other?.close()
      }
    }
  }
}
