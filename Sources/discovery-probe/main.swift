// A small program around ServiceDiscovery: shows how to publish and how to browse, and lets tests do both inside a
// network namespace, where a test process itself cannot go.
//
//   discovery-probe publish TYPE NAME PORT [KEY=VALUE ...]
//   discovery-probe browse TYPE
//
// Prints one JSON object a line. Lines on standard input: `stop`, `start`; its end ends the program.
import Glibc
import JSONText
import ServiceDiscovery
import ServiceRuntime

func say(_ members: KeyValuePairs<String, JSON>) {
  var line = JSON.object(JSON.Object(members.map { .init(key: $0.key, value: $0.value) })).utf8
  line.append(UInt8(ascii: "\n"))
  _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func usage() -> Never {
  print("usage: discovery-probe publish TYPE NAME PORT [KEY=VALUE ...] | browse TYPE")
  exit(ExitCode.usage.rawValue)
}

func json(_ service: DiscoveredService) -> JSON {
  let addresses = service.addresses.map { JSON.string("\($0.address) \($0.port)") }
  let txt = service.txt.sorted { $0.key < $1.key }.map {
    JSON.Object.Member(key: $0.key, value: .string($0.value))
  }
  return .object(
    JSON.Object([
      .init(key: "id", value: .string(service.id)),
      .init(key: "name", value: .string(service.instanceName)),
      .init(key: "host", value: .string(service.hostName)),
      .init(key: "addresses", value: .array(addresses)),
      .init(key: "txt", value: .object(JSON.Object(txt))),
    ]))
}

/// Publishes or browses until standard input ends.
func serve(_ loop: EventLoop, start: @escaping () throws -> Void, stop: @escaping () -> Void) throws {
  let input = try DescriptorChannel(0, name: "standard input", maximumBacklog: 0, on: loop)
  var line: [UInt8] = []
  input.onBytes = { bytes in
    for byte in bytes.prefix(4096) {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < 64 { line.append(byte) }
        continue
      }
      switch String(decoding: line, as: UTF8.self) {
      case "stop": stop()
      case "start": do { try start() } catch { say(["event": "error", "reason": .string("\(error)")]) }
      default: say(["event": "error", "reason": "unknown command"])
      }
      line = []
    }
  }
  input.onEnd = { _ in loop.stop() }
  try start()
  // A beat of the loop: its lateness shows whether anything in here blocks.
  var last = loop.now
  var worst = Duration.zero
  let beat = loop.repeating(every: .milliseconds(10)) {
    let late = last.duration(to: loop.now) - .milliseconds(10)
    last = loop.now
    guard late > worst + .milliseconds(20) else { return }
    worst = late
    say(["event": "late", "milliseconds": .number(late / .milliseconds(1))])
  }
  loop.run()
  beat.cancel()
  stop()
}

func run() throws {
  let arguments = CommandLine.arguments
  let loop = try EventLoop()
  let logger = Logger.standardError(program: "discovery-probe", level: .info)
  switch arguments.dropFirst().first {
  case "publish" where arguments.count >= 5:
    guard let port = UInt16(arguments[4]) else { usage() }
    let txt = arguments.dropFirst(5).map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (key: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
    }
    let publisher = ServicePublisher(
      loop: loop,
      configuration: try ServiceDescription(
        serviceType: arguments[2], name: arguments[3], port: port, txt: txt), logger: logger)
    publisher.onState = { state in
      switch state {
      case .publishing(let name): say(["event": "publishing", "name": .string(name)])
      case .waiting(let reason): say(["event": "waiting", "reason": .string(reason)])
      case .failed(let reason): say(["event": "failed", "reason": .string(reason)])
      }
    }
    try serve(loop, start: { try publisher.start() }, stop: { publisher.stop() })
  case "browse" where arguments.count == 3:
    let browser = try ServiceBrowser(loop: loop, serviceType: arguments[2], logger: logger)
    browser.onEvent = { event in
      switch event {
      case .found(let service): say(["event": "found", "service": json(service)])
      case .updated(let service): say(["event": "updated", "service": json(service)])
      case .lost(let id): say(["event": "lost", "id": .string(id)])
      }
    }
    browser.onAvailability = { availability in
      switch availability {
      case .available: say(["event": "available"])
      case .unavailable(let reason): say(["event": "unavailable", "reason": .string(reason)])
      }
    }
    try serve(loop, start: { try browser.start() }, stop: { browser.stop() })
  default:
    usage()
  }
}

do {
  try run()
} catch {
  Logger.standardError(program: "discovery-probe", level: .error).error("\(error)")
  exit(ExitCode.configuration.rawValue)
}
