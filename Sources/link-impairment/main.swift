// A bad radio between two network namespaces of this machine, to try programs with.
//
// Ends with its standard input, so that it does not outlive a test that crashed.
import CLinux
import Glibc
import JSONText
import LinkImpairment
import ServiceRuntime

let usage = """
  usage: link-impairment [OPTION...] A B [SETTING...]

  Joins two network namespaces by an interface in each, and passes packets between them as the settings say. As root.
  A and B are process IDs, names below /run/netns, paths, or 'new'.

    --interface NAME    name of the interface in both, or two names 'A,B'; default radio0
    --addresses A,B     IPv4 addresses with prefix length; default 10.99.0.1/24,10.99.0.2/24; 'none' for none
    --mtu BYTES         default 1500
    --station NUMBER    last byte of A's hardware address, B's is one more; default 1; for several links on one switch
    --seed NUMBER       of the randomness; default 1

  Settings, each one argument; and lines of standard input, each answered by a line of JSON:
  \(LinkCommand.help)
  """

struct Invocation {
  var interfaces = ["radio0", "radio0"]
  var addresses: [String?] = ["10.99.0.1/24", "10.99.0.2/24"]
  var mtu = 1500
  var station: UInt8 = 1
  var seed: UInt64 = 1
  var ends: [String] = []
  var settings: [LinkCommand] = []

  init(_ arguments: [String]) throws(LinkCommand.ParseError) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        if ends.count < 2 { ends.append(word) } else { settings.append(try LinkCommand.parse(word)) }
        continue
      }
      guard let value = rest.popFirst() else { throw .init("\(word) needs a value") }
      switch word {
      case "--interface":
        let names = value.split(separator: ",").map(String.init)
        guard (1...2).contains(names.count) else { throw .init("--interface takes a name, or two") }
        interfaces = [names[0], names[names.count - 1]]
      case "--addresses":
        let parts = value.split(separator: ",").map(String.init)
        guard value == "none" || parts.count == 2 else {
          throw .init("--addresses takes two of them, or 'none'")
        }
        addresses = value == "none" ? [nil, nil] : parts
      case "--mtu":
        guard let number = Int(value), (68...2000).contains(number) else {
          throw .init("--mtu is from 68 to 2000")
        }
        mtu = number
      case "--station":
        guard let number = UInt8(value), number < 255 else { throw .init("--station is from 0 to 254") }
        station = number
      case "--seed":
        guard let number = UInt64(value) else { throw .init("--seed is a whole number") }
        seed = number
      default: throw .init("there is no option \(word)")
      }
    }
    guard ends.count == 2 else { throw .init("two namespaces are needed") }
  }
}

func say(_ value: JSON) {
  var line = value.utf8
  line.append(UInt8(ascii: "\n"))
  _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func complain(_ text: String) {
  var line = "link-impairment: \(text)\n"
  _ = line.withUTF8 { write(2, $0.baseAddress, $0.count) }
}

/// A relay that waits for the processor would delay packets by more than it was asked to. (Nor has such a task timer slack.)
func becomeUrgent() {
  var parameters = sched_param()
  parameters.sched_priority = 1
  // Refused in some containers; then delays are less exact on a busy machine.
  _ = sched_setscheduler(0, SCHED_RR, &parameters)
}

func serve(_ invocation: Invocation) throws {
  let loop = try EventLoop()
  let namespaces = try invocation.ends.map { try NetworkNamespace($0) }
  let ports = try (0..<2).map { index in
    try EthernetPort(
      in: namespaces[index], name: invocation.interfaces[index], address: invocation.addresses[index],
      mtu: invocation.mtu, station: invocation.station + UInt8(index))
  }
  let relay = try LinkRelay(a: ports[0], b: ports[1], seed: invocation.seed, on: loop)
  for setting in invocation.settings { _ = relay.perform(setting) }
  relay.onEnd = {
    complain("a namespace is gone")
    loop.stop()
  }
  becomeUrgent()

  let input = try DescriptorChannel(0, name: "standard input", maximumBacklog: 0, on: loop)
  var line: [UInt8] = []
  input.onBytes = { bytes in
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < 128 { line.append(byte) }
        continue
      }
      do throws(LinkCommand.ParseError) {
        say(relay.perform(try LinkCommand.parse(String(decoding: line, as: UTF8.self))))
      } catch {
        say(["event": "error", "reason": .string(error.description)])
      }
      line = []
    }
  }
  input.onEnd = { _ in loop.stop() }
  let signals = try SignalWatch([SIGTERM, SIGINT], on: loop) { _ in loop.stop() }
  say(["event": "ready", "a": .string(namespaces[0].path), "b": .string(namespaces[1].path)])
  // The namespaces too: they end with their last descriptor.
  withExtendedLifetime((namespaces, relay, input, signals)) { loop.run() }
}

SignalWatch.ignoreBrokenPipes()
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
  print(usage)
  exit(0)
}
do {
  try serve(try Invocation(arguments))
} catch let error as LinkCommand.ParseError {
  complain("\(error)\n\(usage)")
  exit(ExitCode.usage.rawValue)
} catch {
  complain("\(error)")
  exit(ExitCode.configuration.rawValue)
}
