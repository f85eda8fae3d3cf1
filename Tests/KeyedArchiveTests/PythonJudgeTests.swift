import Foundation
import Geodesy
import KeyedArchive
import RemoteControl
import Testing

/// `bpylist2` (PyPI) as the judge: a second implementation of the format, on top of Python's `plistlib`.
@Suite struct PythonJudgeTests {
  typealias Command = RemoteControl.RemoteControlCommand

  private static let interpreter = ProcessInfo.processInfo.environment["DRONE_TEST_PYTHON"] ?? "python3"

  /// Runs a script; `nil` when it fails.
  private static func run(_ script: String, _ arguments: [String] = []) throws -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [interpreter, "-c", script] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let isInstalled: Bool = {
    if (try? run("import bpylist2.archiver")) != nil { return true }
    print(
      "skipped: bpylist2 is not installed for \(interpreter); install it with pip, or set DRONE_TEST_PYTHON")
    return false
  }()

  /// `bpylist2` knows the root key `root` only; the subclasses replace that one word.
  private static let prelude = """
    import sys, plistlib
    from bpylist2 import archiver
    class Command:
        def __init__(self, values): self.values = values
        @staticmethod
        def encode_archive(obj, archive):
            for key, value in obj.values.items(): archive.encode(key, value)
        @staticmethod
        def decode_archive(archive):
            return Command({k: archive.decode(k) for k in archive.object if k != '$class'})
    archiver.update_class_map({'RemoteControlCommand': Command})

    """

  @Test(.enabled(if: isInstalled), .timeLimit(.minutes(1))) func bpylist2ReadsOurFrames() throws {
    let command = Command(
      coordinate: Coordinate(latitude: 52.5, longitude: -13.25), stop: true, engage: true, sequence: 70_000)
    let hex = command.encoded().map { String(format: "%02x", $0) }.joined()
    let printed = try Self.run(
      Self.prelude + """
        class Reader(archiver.Unarchive):
            def read(self):
                plist = plistlib.loads(self.input)
                self.objects = plist['$objects']
                assert plist['$archiver'] == 'NSKeyedArchiver' and plist['$version'] == 100000
                return self.decode_object(plist['$top']['command'])
        print(sorted(Reader(bytes.fromhex(sys.argv[1])).read().values.items()))
        """, [hex])
    #expect(
      printed
        == "[('coordinate.latitude', 52.5), ('coordinate.longitude', -13.25), ('engage', True), ('reset', False), "
        + "('sequence', 70000), ('stop', True), ('takeoff', False)]")
  }

  @Test(.enabled(if: isInstalled), .timeLimit(.minutes(1))) func weReadFramesOfBpylist2() throws {
    let hex = try #require(
      try Self.run(
        Self.prelude + """
          a = archiver.Archive(Command({'coordinate.latitude': 52.5, 'coordinate.longitude': -13.25, 'stop': False,
                                        'takeoff': True, 'reset': False, 'sequence': 4294967295, 'note': 'Zürich',
                                        'coordinate.age': None}))
          plist = plistlib.loads(a.to_bytes())
          plist['$top'] = {'command': plist['$top']['root']}
          print(plistlib.dumps(plist, fmt=plistlib.FMT_BINARY).hex())
          """))
    #expect(
      try Command(encoded: Self.bytes(hex))
        == Command(
          coordinate: Coordinate(latitude: 52.5, longitude: -13.25), takeoff: true, sequence: .max))
  }

  /// The bytes as `bpylist2` makes them, under its own root key.
  @Test(.enabled(if: isInstalled), .timeLimit(.minutes(1))) func weReadAnUntouchedArchiveOfBpylist2() throws {
    let hex = try #require(
      try Self.run(
        Self.prelude + """
          archiver.update_class_map({'Sample': Command})
          print(archiver.archive(Command({'on': True, 'text': 'Zürich', 'low': -5})).hex())
          """))
    let reader = try KeyedArchiveReader(Self.bytes(hex), rootKey: "root", classNames: ["Sample"])
    #expect(try reader.boolean(forKey: "on") == true)
    #expect(try reader.string(forKey: "text") == "Zürich")
    #expect(try reader.integer(forKey: "low") == -5)
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
    }
  }
}
