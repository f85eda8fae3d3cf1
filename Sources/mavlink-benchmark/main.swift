// Prints the codec's speed as a line of JSON; the messages are those that
// `scripts/mavlink-judge measure` gives to pymavlink, so that the two can be compared.

import MAVLink

/// Messages a second, the best of five rounds: the others were disturbed by something else.
func bestRate(_ work: () -> Int) -> Int {
  let clock = ContinuousClock()
  var best = 0.0
  for _ in 0..<5 {
    var done = 0
    let begin = clock.now
    var elapsed = Duration.zero
    while elapsed < .milliseconds(200) {
      done += work()
      elapsed = begin.duration(to: clock.now)
    }
    best = max(best, Double(done) / (elapsed / .seconds(1)))
  }
  return Int(best)
}

/// Appends a vehicle's most frequent messages, a command and a text; returns their number.
func encodeMix(_ encoder: inout FrameEncoder, _ output: inout [UInt8], _ round: UInt32) -> Int {
  encoder.encode(
    Heartbeat(
      type: .quadrotor, autopilot: .arduPilotMega, baseMode: [.customModeEnabled, .autoEnabled],
      customMode: 4, systemStatus: .active), appendingTo: &output)
  encoder.encode(
    Attitude(
      timeBootMs: round, roll: 0.1, pitch: -0.2, yaw: 1.5, rollspeed: 0.01, pitchspeed: 0.02,
      yawspeed: 0.03), appendingTo: &output)
  encoder.encode(
    GlobalPositionInt(
      timeBootMs: round, lat: 473_977_418, lon: 85_455_939, alt: 488_000, relativeAlt: 20_000,
      vx: 10, vy: -20, vz: 3, hdg: 9_000), appendingTo: &output)
  encoder.encode(
    SystemStatus(load: 300, voltageBattery: 12_600, currentBattery: 1_500, batteryRemaining: 80),
    appendingTo: &output)
  encoder.encode(
    CommandLong(targetSystem: 1, targetComponent: 1, command: .navTakeoff, param7: 20),
    appendingTo: &output)
  encoder.encode(StatusText(severity: .info, text: "Mission: 1 WP"), appendingTo: &output)
  return 6
}

/// Something of every decoded message, so that no decoding is optimised away.
func digest(_ frame: Frame) -> UInt64 {
  switch frame.messageID {
  case Heartbeat.messageID: UInt64(frame.decode(Heartbeat.self)?.customMode ?? 0)
  case Attitude.messageID: UInt64(frame.decode(Attitude.self)?.yaw.bitPattern ?? 0)
  case GlobalPositionInt.messageID: UInt64(frame.decode(GlobalPositionInt.self)?.timeBootMs ?? 0)
  case SystemStatus.messageID: UInt64(frame.decode(SystemStatus.self)?.voltageBattery ?? 0)
  case CommandLong.messageID: UInt64(frame.decode(CommandLong.self)?.param7.bitPattern ?? 0)
  case StatusText.messageID: UInt64(frame.decode(StatusText.self)?.text.bytes[0] ?? 0)
  default: 0
  }
}

var encoder = FrameEncoder(systemID: 1, componentID: 1)
var output: [UInt8] = []
var written = 0
let encodeRate = bestRate {
  output.removeAll(keepingCapacity: true)
  var count = 0
  for round in 0..<100 { count += encodeMix(&encoder, &output, UInt32(round)) }
  written += output.count
  return count
}

let stream = output
var parser = StreamParser()
var seen: UInt64 = 0
let decodeRate = bestRate {
  parser.push(stream)
  var count = 0
  while let frame = parser.next() {
    seen &+= digest(frame)
    count += 1
  }
  return count
}

precondition(written > 0 && seen > 0 && parser.counters.checksumErrors == 0)
print(#"{"encode_per_s":\#(encodeRate),"decode_per_s":\#(decodeRate)}"#)
