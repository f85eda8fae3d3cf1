// Attacks a listening peer with wrong bytes at every stage of a session, while a friend's session to it must not notice.
// usage: session-fuzz [COUNT [SEED]]
import Glibc
import ServiceRuntime

let arguments = CommandLine.arguments
guard let count = arguments.count > 1 ? UInt64(arguments[1]) : 20_000,
  let seed = arguments.count > 2 ? UInt64(arguments[2]) : 1
else {
  print("usage: session-fuzz [COUNT [SEED]]")
  exit(64)
}

func peakKibibytes() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss
}

func openDescriptors() -> Int { (0..<4096).count { fcntl(Int32($0), F_GETFD) >= 0 } }

signal(SIGPIPE, SIG_IGN)
// Nothing of this is announced to anybody.
setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus", 1)
var template = Array("/tmp/session-fuzz-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else {
  print("cannot make a directory in /tmp: \(SystemError.current("mkdtemp"))")
  exit(71)
}
let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)

/// The identities live on in memory.
func remove(_ path: String) {
  if let listing = opendir(path) {
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { remove("\(path)/\(name)") }
    }
    closedir(listing)
    rmdir(path)
  } else {
    unlink(path)
  }
}

var input: UInt64 = 0
do {
  let bench = try Bench(directory: directory)
  remove(directory)
  let clock = ContinuousClock()
  let start = clock.now
  // The first inputs bring the program to its working size.
  let settled = min(count / 4, 500)
  var (memory, descriptors) = (peakKibibytes(), openDescriptors())
  while input < count {
    // A hang ends the program by its alarm instead of going on for ever.
    alarm(30)
    if input == settled { (memory, descriptors) = (peakKibibytes(), openDescriptors()) }
    var random = Randomness(seed: seed, input: input)
    try random.pick(Scenario.allCases).perform(on: bench, &random)
    if input % 20 == 0 || input == count - 1 { try bench.expectWell() }
    input += 1
  }
  let elapsed = clock.now - start
  // What strangers may hold at a time passes with its limits.
  _ = bench.run(within: .milliseconds(700)) { false }
  let growth = peakKibibytes() - memory
  let held = openDescriptors() - descriptors
  print(
    "\(count) connections in \(elapsed), seed \(seed), \(bench.sessionsOfAttackers) sessions, \(bench.associationsOfAttackers) associations, \(bench.resumptions) resumptions, \(bench.pairingAttempts) pairings, \(bench.messagesOfAttackers) messages, peak memory grew by \(growth) KiB, \(held) more descriptors"
  )
  bench.stop()
  guard growth <= 16_384 else { throw Failure("memory grew by more than 16 MiB") }
  guard held <= 64 else { throw Failure("descriptors were not closed") }
} catch {
  print("seed \(seed) input \(input): \(error)")
  exit(1)
}
