import Foundation
import Geodesy
import KeyedArchive
import RemoteControl
import Testing

/// The class as an app built on Foundation would have it. Foundation names it `KeyedArchiveTests.RemoteControlCommand`.
final class RemoteControlCommand: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var flags: [String: Bool] = [:]
  var position: (latitude: Double, longitude: Double)?
  var sequence: Int64?

  override init() {}

  init?(coder: NSCoder) {
    for key in ["stop", "takeoff", "reset", "land", "return", "engage"] where coder.containsValue(forKey: key)
    {
      flags[key] = coder.decodeBool(forKey: key)
    }
    if coder.containsValue(forKey: "coordinate.latitude") {
      position = (
        coder.decodeDouble(forKey: "coordinate.latitude"), coder.decodeDouble(forKey: "coordinate.longitude")
      )
    }
    if coder.containsValue(forKey: "sequence") { sequence = coder.decodeInt64(forKey: "sequence") }
  }

  func encode(with coder: NSCoder) {
    for (key, value) in flags { coder.encode(value, forKey: key) }
    if let position {
      coder.encode(position.latitude, forKey: "coordinate.latitude")
      coder.encode(position.longitude, forKey: "coordinate.longitude")
    }
    if let sequence { coder.encode(sequence, forKey: "sequence") }
    coder.encode("ignored" as NSString, forKey: "note")
  }
}

/// Foundation as the judge. It sees frames that were written here only, never damaged ones: those end the process.
@Suite struct FoundationJudgeTests {
  typealias Command = RemoteControl.RemoteControlCommand

  @Test func foundationReadsOurFrames() throws {
    let command = Command(
      coordinate: Coordinate(latitude: 52.50532722, longitude: -13.41468919), stop: true, land: true,
      engage: true,
      sequence: .max)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(command.encoded()))
    unarchiver.requiresSecureCoding = true
    unarchiver.setClass(RemoteControlCommand.self, forClassName: "RemoteControlCommand")
    let read = try #require(unarchiver.decodeObject(of: RemoteControlCommand.self, forKey: "command"))
    #expect(read.flags == ["stop": true, "takeoff": false, "reset": false, "land": true, "engage": true])
    #expect(read.position?.latitude == 52.50532722)
    #expect(read.position?.longitude == -13.41468919)
    #expect(read.sequence == Int64(UInt32.max))
  }

  @Test(arguments: ["stop", "takeoff", "reset"]) func weReadFoundationsFrames(flag: String) throws {
    let written = RemoteControlCommand()
    written.flags = ["stop": false, "takeoff": false, "reset": false]
    written.flags[flag] = true
    written.position = (-33.25, 151.5)
    written.sequence = 70_000
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(written, forKey: "command")
    archiver.finishEncoding()
    let read = try Command(encoded: [UInt8](archiver.encodedData))
    #expect(
      read
        == Command(
          coordinate: Coordinate(latitude: -33.25, longitude: 151.5), stop: flag == "stop",
          takeoff: flag == "takeoff", reset: flag == "reset", sequence: 70_000))
  }
}
