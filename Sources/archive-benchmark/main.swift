// Times writing and reading of one command frame against Foundation's archiver in the same run; prints one JSON object.
import Foundation
import Geodesy
import RemoteControl

final class FoundationCommand: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let latitude: Double
  let longitude: Double
  let stop: Bool
  let takeoff: Bool
  let reset: Bool

  override init() {
    (latitude, longitude, stop, takeoff, reset) = (52.50532722, 13.41468919, true, false, false)
  }

  init?(coder: NSCoder) {
    latitude = coder.decodeDouble(forKey: "coordinate.latitude")
    longitude = coder.decodeDouble(forKey: "coordinate.longitude")
    stop = coder.decodeBool(forKey: "stop")
    takeoff = coder.decodeBool(forKey: "takeoff")
    reset = coder.decodeBool(forKey: "reset")
  }

  func encode(with coder: NSCoder) {
    coder.encode(latitude, forKey: "coordinate.latitude")
    coder.encode(longitude, forKey: "coordinate.longitude")
    coder.encode(stop, forKey: "stop")
    coder.encode(takeoff, forKey: "takeoff")
    coder.encode(reset, forKey: "reset")
  }
}

/// Best of seven rounds in nanoseconds: what else the machine does only ever adds time.
func nanoseconds(_ count: Int, _ body: () -> Int) -> Int {
  let clock = ContinuousClock()
  var best = Int.max
  var sum = 0
  for _ in 0..<7 {
    let elapsed = clock.measure { for _ in 0..<count { sum &+= body() } }
    best = min(best, Int(elapsed / Duration.nanoseconds(1)) / count)
  }
  precondition(sum != 0, "nothing was done")
  return best
}

let command = RemoteControlCommand(
  coordinate: Coordinate(latitude: 52.50532722, longitude: 13.41468919), stop: true)
let frame = command.encoded()
let object = FoundationCommand()
func foundationEncoded(_ object: FoundationCommand) -> Data {
  let archiver = NSKeyedArchiver(requiringSecureCoding: true)
  archiver.encode(object, forKey: "command")
  archiver.finishEncoding()
  return archiver.encodedData
}
let foundationFrame = foundationEncoded(object)

let encode = nanoseconds(20_000) { command.encoded().count }
let decode = nanoseconds(20_000) { (try? RemoteControlCommand(encoded: frame))?.stop == true ? 1 : 0 }
let foundationEncode = nanoseconds(500) { foundationEncoded(object).count }
let foundationDecode = nanoseconds(500) {
  guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: foundationFrame) else { return 0 }
  unarchiver.requiresSecureCoding = true
  return unarchiver.decodeObject(of: FoundationCommand.self, forKey: "command")?.stop == true ? 1 : 0
}
print(
  "{\"encode_ns\":\(encode),\"decode_ns\":\(decode),\"foundation_encode_ns\":\(foundationEncode),"
    + "\"foundation_decode_ns\":\(foundationDecode)}")
