// Feeds damaged command frames to the reader and checks that each is either refused or reads back the same after writing.
// usage: archive-fuzz [COUNT [SEED]]
import Geodesy
import Glibc
import RemoteControl

let arguments = CommandLine.arguments
guard let count = arguments.count > 1 ? UInt64(arguments[1]) : 10_000_000,
  let seed = arguments.count > 2 ? UInt64(arguments[2]) : 1
else {
  print("usage: archive-fuzz [COUNT [SEED]]")
  exit(64)
}

/// SplitMix64: an input depends on the seed and its own number only, so a failing one can be made again.
struct Random {
  var state: UInt64

  mutating func next(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (value ^ (value >> 31)) % UInt64(bound))
  }
}

func peakKibibytes() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss
}

let frames = [
  RemoteControlCommand().encoded(),
  RemoteControlCommand(coordinate: Coordinate(latitude: 52.5, longitude: 13.4), stop: true, sequence: 7)
    .encoded(),
  RemoteControlCommand(
    coordinate: Coordinate(latitude: -33, longitude: 151), coordinateAgeSeconds: 0.2,
    coordinateHorizontalAccuracyMeters: 3, stop: true, takeoff: true, reset: true, land: true,
    returnToLaunch: true,
    engage: true, sequence: .max, takeoffAltitudeMeters: 12
  ).encoded(),
]
// Read once, so that the program's own pages are not counted as memory that an input took.
for frame in frames {
  precondition((try? RemoteControlCommand(encoded: frame)) != nil, "a good frame is refused")
}
let before = peakKibibytes()
let clock = ContinuousClock()
let start = clock.now
var accepted = 0
for number in 0..<count {
  // A hang ends the program by its alarm instead of going on for ever.
  if number % 10_000 == 0 { alarm(30) }
  var random = Random(state: seed &+ number &* 0xD134_2543_DE82_EF95)
  var bytes = frames[random.next(frames.count)]
  for _ in 0...random.next(4) {
    let position = random.next(bytes.count)
    switch random.next(8) {
    case 0: bytes[position] ^= 1 << UInt8(random.next(8))
    case 1: bytes[position] = bytes[random.next(bytes.count)]
    case 2: bytes[bytes.count - 1 - random.next(32)] = UInt8(random.next(256))
    case 3: bytes[position] &+= 1
    case 4 where bytes.count > 64: bytes.remove(at: position)
    case 5 where bytes.count > 64: bytes.removeLast(random.next(8))
    case 6: bytes.insert(UInt8(random.next(256)), at: position)
    default: bytes[position] = UInt8(random.next(256))
    }
  }
  if let command = try? RemoteControlCommand(encoded: bytes) {
    accepted += 1
    guard (try? RemoteControlCommand(encoded: command.encoded())) == command else {
      print("seed \(seed) input \(number): reads back differently: \(bytes)")
      exit(1)
    }
  }
}
let elapsed = clock.now - start
let growth = peakKibibytes() - before
print(
  "\(count) executions in \(elapsed), seed \(seed), \(accepted) accepted, peak memory grew by \(growth) KiB")
guard growth <= 1024 else {
  print("an input used more than 1 MB")
  exit(1)
}
