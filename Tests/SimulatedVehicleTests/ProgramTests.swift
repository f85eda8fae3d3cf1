import Foundation
import MAVLink
import Testing

/// One end of the port, as a program that opens it sees it.
private final class Client {
  let descriptor: Int32
  private var parser = StreamParser()
  private var encoder = FrameEncoder(systemID: 255, componentID: 190)

  init(_ path: String) throws {
    descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    try #require(descriptor >= 0, "cannot open \(path)")
  }

  init(tcpPort: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = tcpPort.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let descriptor = self.descriptor
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0, "cannot connect to port \(tcpPort)")
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  func send(_ message: some Message) {
    let bytes = encoder.encode(message)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
  }

  /// Everything that arrives within a time.
  func frames(milliseconds: Int) -> [Frame] {
    let end = ContinuousClock.now.advanced(by: .milliseconds(milliseconds))
    var frames: [Frame] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while ContinuousClock.now < end {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 { frames += parser.frames(in: Array(buffer[..<count])) } else { usleep(2000) }
    }
    return frames
  }

  /// The first message of a kind, or nil after 10 s.
  func await<M: Message>(_ type: M.Type) -> M? {
    for _ in 0..<1000 {
      for frame in frames(milliseconds: 10) {
        if let message = frame.decode(type) { return message }
      }
    }
    return nil
  }
}

@Suite(.timeLimit(.minutes(1)))
struct ProgramTests {
  @Test func `a program that opens the port is heard and answered`() throws {
    let simulator = try RunningSimulator(["--fast-start"])
    let appeared = simulator.wait { simulator.device != nil }
    try #require(appeared)
    let client = try Client(simulator.link)
    #expect(client.await(Heartbeat.self)?.autopilot == .arduPilotMega)
    client.send(
      CommandLong(targetSystem: 1, targetComponent: 1, command: .doSetMode, param1: 1, param2: 4))
    #expect(client.await(CommandAck.self)?.result == .accepted)
    let told = simulator.wait { simulator.output.contains("mode GUIDED (command)") }
    #expect(told)
  }

  @Test func `several programs share the vehicle over TCP, and come and go`() throws {
    let simulator = try RunningSimulator(["--tcp-port", "0", "--fast-start"])
    let prefix = "tcp://127.0.0.1:"
    let listens = simulator.wait { simulator.output.contains(prefix) }
    try #require(listens)
    let digits = simulator.output.components(separatedBy: prefix)[1].prefix { $0.isNumber }
    let port = try #require(UInt16(digits))
    _ = try Client(tcpPort: port)
    let first = try Client(tcpPort: port)
    let second = try Client(tcpPort: port)
    #expect(first.await(Heartbeat.self) != nil && second.await(Heartbeat.self) != nil)
    first.send(
      CommandLong(targetSystem: 1, targetComponent: 1, command: .doSetMode, param1: 1, param2: 4))
    #expect(first.await(CommandAck.self)?.result == .accepted)
    #expect(second.await(CommandAck.self)?.result == .accepted)
  }

  @Test func `further ports are served beside the first`() throws {
    let station = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(station) }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(station, $0, length) == 0 && getsockname(station, $0, &length) == 0
      }
    }
    try #require(isBound)
    let simulator = try RunningSimulator([
      "--also", "tcp://127.0.0.1:0", "--also", "udp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))",
      "--fast-start",
    ])
    let prefix = "also listening on tcp://127.0.0.1:"
    let listens = simulator.wait { simulator.output.contains(prefix) }
    try #require(listens)
    let digits = simulator.output.components(separatedBy: prefix)[1].prefix { $0.isNumber }
    let first = try Client(simulator.link)
    let second = try Client(tcpPort: try #require(UInt16(digits)))
    #expect(second.await(Heartbeat.self)?.autopilot == .arduPilotMega)
    second.send(
      CommandLong(targetSystem: 1, targetComponent: 1, command: .doSetMode, param1: 1, param2: 4))
    #expect(second.await(CommandAck.self)?.result == .accepted)
    #expect(!first.frames(milliseconds: 100).contains { $0.messageID == CommandAck.messageID })
    var datagram = [UInt8](repeating: 0, count: 2000)
    // The first one is empty: it only says where the simulator is.
    var count = 0
    for _ in 0..<3 where count == 0 { count = recv(station, &datagram, datagram.count, 0) }
    var parser = StreamParser()
    #expect(count > 0 && !parser.frames(in: Array(datagram.prefix(max(0, count)))).isEmpty)
  }

  @Test func `an unplugged port hangs up, and is back under its name`() throws {
    let simulator = try RunningSimulator(["--fault", "unplug@0.3", "--fast-start"])
    let appeared = simulator.wait { simulator.device != nil }
    try #require(appeared)
    let client = try Client(simulator.link)
    let isGone = simulator.wait { simulator.device == nil }
    #expect(isGone)
    var event = pollfd(fd: client.descriptor, events: 0, revents: 0)
    #expect(poll(&event, 1, 5000) == 1 && event.revents & Int16(POLLHUP) != 0)
    let isBack = simulator.wait { simulator.device != nil }
    #expect(isBack)
    #expect(try Client(simulator.link).await(Heartbeat.self) != nil)
  }

  @Test func `who opens the port reads nothing from before`() throws {
    let simulator = try RunningSimulator(["--speedup", "10"])
    // Texts that it said while nobody had the port open, at 0, 15 and 40 simulated seconds.
    for said in ["PreArm:", "is using GPS"] {
      let isSaid = simulator.wait { simulator.output.contains(said) }
      try #require(isSaid)
      usleep(50_000)
      let frames = try Client(simulator.link).frames(milliseconds: 300)
      #expect(!frames.isEmpty)
      #expect(!frames.contains { $0.messageID == StatusText.messageID })
    }
  }

  @Test func `exclusive use ends with the one who asked for it`() throws {
    let simulator = try RunningSimulator(["--speedup", "20"])
    let appeared = simulator.wait { simulator.device != nil }
    try #require(appeared)
    var first: Client? = try Client(simulator.link)
    #expect(ioctl(try #require(first).descriptor, UInt(TIOCEXCL)) == 0)
    first = nil
    usleep(200_000)
    let second = try Client(simulator.link)
    var isExclusive: Int32 = -1
    // TIOCGEXCL, which is not imported.
    #expect(ioctl(second.descriptor, 0x8004_5440, &isExclusive) == 0)
    #expect(isExclusive == 0)
    #expect(second.await(Heartbeat.self) != nil)
  }

  @Test func `a client that does not read loses the oldest and harms nobody`() throws {
    let simulator = try RunningSimulator(["--speedup", "20", "--fast-start"])
    let appeared = simulator.wait { simulator.device != nil }
    try #require(appeared)
    let client = try Client(simulator.link)
    for id in [GlobalPositionInt.messageID, SystemTime.messageID, GPSRawInt.messageID] {
      client.send(
        CommandLong(
          targetSystem: 1, targetComponent: 1, command: .setMessageInterval, param1: Float(id),
          param2: 20_000))
    }
    let lost = simulator.wait { simulator.output.contains("bytes lost") }
    #expect(lost)
    let before = client.await(SystemTime.self)
    let after = client.frames(milliseconds: 300).compactMap { $0.decode(SystemTime.self) }.last
    #expect(try #require(after).timeBootMs > #require(before).timeBootMs + 2000)
  }

  @Test func `it removes its link at the end`() throws {
    for signal in [SIGTERM, SIGINT] {
      let simulator = try RunningSimulator()
      let appeared = simulator.wait { simulator.device != nil }
      #expect(appeared)
      #expect(simulator.stop(signal) == 0)
      #expect(simulator.device == nil)
    }
  }

  @Test func `a new one takes the link over, and the old one leaves it alone`() throws {
    let first = try RunningSimulator()
    let appeared = first.wait { first.device != nil }
    try #require(appeared)
    let old = first.device
    let second = try RunningSimulator(["--speedup", "20"], sharing: first)
    let moved = second.wait { second.device != nil && second.device != old }
    #expect(moved)
    #expect(first.stop() == 0)
    #expect(second.device != nil && second.device != old)
    #expect(try Client(second.link).await(Heartbeat.self) != nil)
  }

  @Test func `after a kill a new one works at the same place`() throws {
    let first = try RunningSimulator()
    let appeared = first.wait { first.device != nil }
    try #require(appeared)
    _ = first.stop(SIGKILL)
    let second = try RunningSimulator(["--speedup", "20"], sharing: first)
    let serves = second.wait { second.output.contains("serial port") }
    #expect(serves)
    #expect(try Client(second.link).await(Heartbeat.self) != nil)
  }

  @Test func `it does not replace a file`() throws {
    let path = NSTemporaryDirectory() + "simulator-file-" + UUID().uuidString
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: RunningSimulator.executable)
    process.arguments = ["--link", path]
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 78)
    #expect(text.contains(path) && text.contains("File exists"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func `an autopilot that it cannot imitate is a usage error`() throws {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: RunningSimulator.executable)
    process.arguments = ["--link", "/nonexistent/port", "--autopilot", "paparazzi"]
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(text.contains("paparazzi") && text.contains("ardupilot") && text.contains("px4"))
  }
}
