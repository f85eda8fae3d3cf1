// Plays peers that send names, paths and entries as no honest program does, damages what an earlier try left on the disk, and checks after each one
// that nothing outside the folder changed, that nothing was replaced, and that nothing is left behind.
// usage: file-fuzz [COUNT [SEED]]
import FileTransfer
import Glibc
import PeerProtocol
import ServiceRuntime

let arguments = CommandLine.arguments
guard let count = arguments.count > 1 ? UInt64(arguments[1]) : 20_000,
  let seed = arguments.count > 2 ? UInt64(arguments[2]) : 1
else {
  print("usage: file-fuzz [COUNT [SEED]]")
  exit(64)
}

// In memory where there is some: every input makes and removes files.
var template = Array((access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp").utf8CString.dropLast())
template += Array("/file-fuzz-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else {
  print("\(SystemError.current("make a directory"))")
  exit(1)
}
let base = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
let playground = try Playground(base: base)
defer { playground.removeAll() }

let clock = ContinuousClock()
let start = clock.now
var tally = Tally()
for number in 0..<count {
  // A hang ends the program by its alarm instead of going on for ever.
  if number % 1000 == 0 { alarm(60) }
  var peer = HostilePeer(random: Random(state: seed &+ number &* 0xD134_2543_DE82_EF95))
  do {
    try playground.prepare()
    try peer.play(in: playground, &tally)
    try playground.check()
  } catch {
    print("seed \(seed) input \(number): \(error); what is there stays in \(base)")
    exit(1)
  }
}
print(
  "\(count) peers in \(clock.now - start), seed \(seed): \(tally.finished) transfers arrived, \(tally.refused) were refused, "
    + "\(tally.resumed) went on with a part")
guard tally.finished > 0, tally.refused > 0, tally.resumed > 0 || count < 1000 else {
  print("the inputs do not reach everything")
  exit(1)
}
