import Geodesy
import KeyedArchive
import RemoteControl
import Testing

@Suite struct RemoteControlCommandTests {
  static let everything = RemoteControlCommand(
    coordinate: Coordinate(latitude: 52.50532722, longitude: 13.41468919), coordinateAgeSeconds: 0.25,
    coordinateHorizontalAccuracyMeters: 3.5, stop: true, takeoff: true, reset: true, land: true,
    returnToLaunch: true,
    engage: true, takeControl: true, handOver: true, keep: true, sequence: .max, takeoffAltitudeMeters: 12.5,
    followDistanceMeters: 20, followBearingDegrees: 270, followHeightMeters: 15, speedMetersPerSecond: 2.5)

  static let flags: [any WritableKeyPath<RemoteControlCommand, Bool> & Sendable] = [
    \.stop, \.takeoff, \.reset, \.land, \.returnToLaunch, \.engage, \.takeControl, \.handOver, \.keep,
  ]

  @Test func everyFieldReadsBackAsWritten() throws {
    for command in [RemoteControlCommand(), Self.everything] {
      #expect(try RemoteControlCommand(encoded: command.encoded()) == command)
    }
  }

  /// A frame of two datagrams would be lost twice as often.
  @Test func aCommandFitsADatagram() {
    #expect(Self.everything.encoded().count <= 1000)
  }

  @Test func theSameCommandGivesTheSameBytes() {
    #expect(Self.everything.encoded() == Self.everything.encoded())
  }

  @Test(arguments: 0..<512) func eachFlagCarriesItsOwnValue(bits: Int) throws {
    var command = RemoteControlCommand()
    for (index, flag) in Self.flags.enumerated() { command[keyPath: flag] = bits >> index & 1 == 1 }
    let read = try RemoteControlCommand(encoded: command.encoded())
    for (index, flag) in Self.flags.enumerated() { #expect(read[keyPath: flag] == (bits >> index & 1 == 1)) }
  }

  @Test func eachFlagStandsUnderItsOwnKey() throws {
    let names = [
      "stop", "takeoff", "reset", "land", "return", "engage", "control.take", "control.handOver",
      "control.keep",
    ]
    for (flag, name) in zip(Self.flags, names) {
      var command = RemoteControlCommand()
      command[keyPath: flag] = true
      let archive = try Self.archive(command)
      for other in names {
        #expect(try archive.boolean(forKey: other) ?? false == (other == name), "\(name) set, \(other) read")
      }
    }
  }

  @Test func optionalKeysAreWrittenOnlyWhenSet() throws {
    #expect(try Self.archive(RemoteControlCommand()).keys == ["stop", "takeoff", "reset"])
    #expect(
      try Self.archive(Self.everything).keys == [
        "coordinate.latitude", "coordinate.longitude", "coordinate.age", "coordinate.horizontalAccuracy",
        "follow.distance", "follow.bearing", "follow.height", "speed",
        "stop",
        "takeoff", "reset", "land", "return", "engage", "control.take", "control.handOver", "control.keep",
        "sequence",
        "takeoff.altitude",
      ])
  }

  @Test func aFrameOfTheFiveClassicKeysIsRead() throws {
    let command = try Self.read { archive in
      archive.set(-33.5, forKey: "coordinate.latitude")
      archive.set(151.0, forKey: "coordinate.longitude")
      archive.set(false, forKey: "stop")
      archive.set(true, forKey: "takeoff")
      archive.set(false, forKey: "reset")
    }
    #expect(
      command == RemoteControlCommand(coordinate: Coordinate(latitude: -33.5, longitude: 151), takeoff: true))
  }

  @Test func noCoordinateKeysMeanNoPosition() throws {
    #expect(try Self.read(Self.setFlags).coordinate == nil)
  }

  @Test func zeroZeroIsReadAndLeftToTheSanityRules() throws {
    var command = RemoteControlCommand()
    command.coordinate = Coordinate(latitude: 0, longitude: 0)
    #expect(try RemoteControlCommand(encoded: command.encoded()).coordinate?.isNullIsland == true)
  }

  @Test(arguments: ["stop", "takeoff", "reset"]) func aMissingClassicBooleanIsNoFrame(key: String) {
    #expect(throws: RemoteControlCommandError.missing(key: key)) {
      try Self.read { archive in
        for other in ["stop", "takeoff", "reset"] where other != key { archive.set(false, forKey: other) }
      }
    }
  }

  @Test(arguments: ["coordinate.latitude", "coordinate.longitude"]) func halfACoordinateIsNoFrame(key: String)
  {
    #expect(throws: RemoteControlCommandError.halfCoordinate) {
      try Self.read { archive in
        Self.setFlags(&archive)
        archive.set(1.0, forKey: key)
      }
    }
  }

  @Test(arguments: [
    "stop", "takeoff", "reset", "land", "return", "engage", "control.take", "control.handOver",
    "control.keep",
  ])
  func aFlagOfAnotherTypeIsNoFrame(key: String) {
    // Foundation's decoder reads the text as false and the integer as true.
    let values: [(ArchivedKind, (inout KeyedArchiveWriter) -> Void)] = [
      (.string, { $0.set("yes", forKey: key) }), (.integer, { $0.set(1 as Int64, forKey: key) }),
      (.double, { $0.set(1.0, forKey: key) }),
    ]
    for (kind, set) in values {
      #expect(
        throws: RemoteControlCommandError.archive(.mistyped(key: key, expected: .boolean, found: kind))
      ) {
        try Self.read { archive in
          for other in ["stop", "takeoff", "reset"] where other != key { archive.set(false, forKey: other) }
          set(&archive)
        }
      }
    }
  }

  struct Number: CustomTestStringConvertible, Sendable {
    let key: String
    let value: Double
    var testDescription: String { "\(key) = \(value)" }
  }

  static let refusedNumbers: [Number] =
    [Double.nan, Double.infinity, -Double.infinity].flatMap { (value: Double) -> [Number] in
      [
        "coordinate.latitude", "coordinate.longitude", "coordinate.age", "coordinate.horizontalAccuracy",
        "takeoff.altitude", "follow.distance", "follow.bearing", "follow.height", "speed",
      ].map { Number(key: $0, value: value) }
    } + [
      Number(key: "coordinate.latitude", value: 90.000001), Number(key: "coordinate.latitude", value: -91),
      Number(key: "coordinate.longitude", value: 180.000001),
      Number(key: "coordinate.longitude", value: -1e300),
      Number(key: "coordinate.age", value: -0.001), Number(key: "coordinate.horizontalAccuracy", value: -1),
      Number(key: "takeoff.altitude", value: 0), Number(key: "takeoff.altitude", value: -5),
      Number(key: "takeoff.altitude", value: 1e6), Number(key: "follow.distance", value: -1),
      Number(key: "follow.bearing", value: -1), Number(key: "follow.bearing", value: 360.5),
      Number(key: "follow.height", value: 0), Number(key: "speed", value: 0),
      Number(key: "speed", value: 101),
    ]

  @Test(arguments: refusedNumbers) func aNumberThatCannotBeMeantIsNoFrame(number: Number) {
    #expect(throws: RemoteControlCommandError.outOfRange(key: number.key, value: "\(number.value)")) {
      try Self.read { archive in
        Self.setFlags(&archive)
        for key in ["coordinate.latitude", "coordinate.longitude"] where key != number.key {
          archive.set(1.0, forKey: key)
        }
        archive.set(number.value, forKey: number.key)
      }
    }
  }

  @Test(arguments: [-1, Int64(UInt32.max) + 1, .min, .max]) func aSequenceOutOfRangeIsNoFrame(value: Int64) {
    #expect(throws: RemoteControlCommandError.outOfRange(key: "sequence", value: "\(value)")) {
      try Self.read { archive in
        Self.setFlags(&archive)
        archive.set(value, forKey: "sequence")
      }
    }
  }

  @Test func unknownKeysAreIgnored() throws {
    let command = try Self.read { archive in
      Self.setFlags(&archive)
      archive.set("colour", forKey: "light")
      archive.set(7 as Int64, forKey: "gimbal")
    }
    #expect(command == RemoteControlCommand(stop: true))
  }

  @Test func anAgeWithoutACoordinateIsDroppedAndTheStopStays() throws {
    let command = try Self.read { archive in
      Self.setFlags(&archive)
      archive.set(1.0, forKey: "coordinate.age")
    }
    #expect(command == RemoteControlCommand(stop: true))
  }

  @Test func aStopIsWrittenWhateverTheDetailsAre() throws {
    for bad in [Double.nan, -Double.infinity, -1.0] as [Double] {
      var command = RemoteControlCommand(
        coordinate: Coordinate(latitude: 1, longitude: 2), coordinateHorizontalAccuracyMeters: bad,
        stop: true,
        takeoffAltitudeMeters: bad)
      let read = try RemoteControlCommand(encoded: command.encoded())
      #expect(read == RemoteControlCommand(coordinate: command.coordinate, stop: true))
      command.coordinateAgeSeconds = bad
      #expect(try RemoteControlCommand(encoded: command.encoded()) == RemoteControlCommand(stop: true))
    }
  }

  @Test func anotherClassOrRootKeyIsNoFrame() {
    var writer = KeyedArchiveWriter(rootKey: "command", className: "NSArray")
    Self.setFlags(&writer)
    #expect(throws: RemoteControlCommandError.archive(.classNotAllowed("NSArray"))) {
      try RemoteControlCommand(encoded: writer.encoded())
    }
    writer = KeyedArchiveWriter(rootKey: "root", className: "RemoteControlCommand")
    Self.setFlags(&writer)
    #expect(throws: RemoteControlCommandError.archive(.missingRoot(key: "command"))) {
      try RemoteControlCommand(encoded: writer.encoded())
    }
  }

  @Test func aFrameOverFourKibibytesIsNoFrame() {
    #expect(throws: RemoteControlCommandError.archive(.tooLarge(bytes: 4097, limit: 4096))) {
      try RemoteControlCommand(encoded: [UInt8](repeating: 0, count: 4097))
    }
  }

  @Test func everyTruncationIsNoFrame() {
    let bytes = Self.everything.encoded()
    for length in 0..<bytes.count {
      #expect(throws: RemoteControlCommandError.self) {
        try RemoteControlCommand(encoded: Array(bytes[..<length]))
      }
      #expect(throws: RemoteControlCommandError.self) {
        try RemoteControlCommand(encoded: Array(bytes[(length + 1)...]))
      }
    }
  }

  private static func setFlags(_ archive: inout KeyedArchiveWriter) {
    archive.set(true, forKey: "stop")
    archive.set(false, forKey: "takeoff")
    archive.set(false, forKey: "reset")
  }

  @discardableResult
  private static func read(_ fill: (inout KeyedArchiveWriter) -> Void) throws -> RemoteControlCommand {
    var archive = KeyedArchiveWriter(rootKey: "command", className: "RemoteControlCommand")
    fill(&archive)
    return try RemoteControlCommand(encoded: archive.encoded())
  }

  private static func archive(_ command: RemoteControlCommand) throws -> KeyedArchiveReader {
    try KeyedArchiveReader(command.encoded(), rootKey: "command", classNames: ["RemoteControlCommand"])
  }
}
