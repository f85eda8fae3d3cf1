import ClientApp
import Configuration
import JSONText
import PeerAdministration
import PeerProtocol
import ServiceRuntime
import Testing

@Suite struct ControlRequestTests {
  static let options: [VehicleCommandOptions] = {
    var named = VehicleCommandOptions(.takeoff(altitudeAboveHomeMeters: 12.5))
    named.vehicle = .named("Drone \"1\"")
    named.timeout = .milliseconds(2500)
    var all = VehicleCommandOptions(.stop)
    all.vehicle = .all
    let place = LatitudeLongitude(latitudeDegrees: 52.51631234567, longitudeDegrees: -13.3777)
    var near = VehicleCommandOptions(.follow)
    near.target.distanceMeters = 20
    near.target.bearingDegrees = 270
    near.target.heightAboveHomeMeters = 15
    near.target.speedMetersPerSecond = 2.5
    var until = VehicleCommandOptions(.goto(place))
    until.waitsForArrival = true
    return [
      near, until, named, all, VehicleCommandOptions(.takeoff(altitudeAboveHomeMeters: nil)),
      VehicleCommandOptions(.land),
      VehicleCommandOptions(.returnToLaunch), VehicleCommandOptions(.reset), VehicleCommandOptions(.follow),
      VehicleCommandOptions(.goto(place)), VehicleCommandOptions(.takeControl),
      VehicleCommandOptions(.handOver),
      VehicleCommandOptions(.keep),
    ]
  }()

  @Test(arguments: options) func commandsAreReadAsWritten(options: VehicleCommandOptions) throws {
    let request = ControlRequest.command(options)
    #expect(try ControlRequest(line: request.json.utf8) == request)
  }

  @Test func statusIsReadAsWritten() throws {
    var options = ClientStatusOptions()
    options.vehicle = "Drone"
    options.follows = true
    for request in [ControlRequest.status(ClientStatusOptions()), .status(options)] {
      #expect(try ControlRequest(line: request.json.utf8) == request)
    }
  }

  @Test func pairingIsReadAsWritten() throws {
    var options = ClientPairOptions()
    options.timeout = .seconds(30)
    options.code = "012345"
    for request in [
      ControlRequest.pair(options), .pair(ClientPairOptions()), .pairingAnswer(isSame: true),
      .pairingAnswer(isSame: false),
    ] {
      #expect(try ControlRequest(line: request.json.utf8) == request)
    }
  }

  @Test(arguments: [
    #"{"command":"pair","code":123456}"#, #"{"command":"pair","code":"12345"}"#,
    #"{"command":"pair","timeout":0}"#, #"{"command":"pairing-answer"}"#,
    #"{"command":"pairing-answer","same":"yes"}"#,
    "", "{", "[]", "stop", #"{"command":1}"#, #"{"command":"fly"}"#, #"{"command":"goto"}"#,
    #"{"command":"goto","latitude":0,"longitude":0}"#, #"{"command":"goto","latitude":91,"longitude":0}"#,
    #"{"command":"takeoff","altitude":"high"}"#, #"{"command":"takeoff","altitude":-3}"#,
    #"{"command":"follow","distance":-1}"#, #"{"command":"follow","bearing":400}"#,
    #"{"command":"follow","height":"up"}"#, #"{"command":"follow","speed":0}"#,
    #"{"command":"status","follow":1}"#, #"{"command":"status","vehicle":true}"#,
    #"{"command":"stop","timeout":0}"#, #"{"command":"stop","timeout":1e99}"#,
    #"{"command":"stop","vehicle":7}"#, #"{"command":"stop","vehicle":"A","all":true}"#,
    #"{"command":"stop","x":[[[[]]]]}"#,
  ]) func whatIsNoRequestIsRefused(line: String) {
    let failure = #expect(throws: RequestFailure.self) { try ControlRequest(line: Array(line.utf8)) }
    #expect(failure?.exitCode == .usage)
  }

  static let replies: [ControlReply] = [
    .started(vehicles: 2), .note("asked Ann"), .end(.accepted, error: nil),
    .end(.noVehicle, error: "no vehicle is connected"),
    .status(text: "a\nb", ["name": "x"]), .pairing(.line("x")), .pairing(.alarm("y\u{1B}")),
    .pairing(.question(PairingCode("000123")!, name: "Drone", id: peer(3))), .pairing(.withdrawn),
    .outcome(
      CommandOutcome(
        vehicle: "Drone", id: peer(3), verb: "land", result: .refused(reason: "no"),
        elapsed: .milliseconds(250))),
    .outcome(
      CommandOutcome(vehicle: "Drone", id: peer(3), verb: "stop", result: .noAnswer, elapsed: .seconds(30))),
  ]

  @Test(arguments: replies) func repliesAreReadAsWritten(reply: ControlReply) {
    #expect(ControlReply(line: reply.json.utf8) == reply)
  }

  @Test(arguments: ["", "{}", #"{"exitCode":77}"#, #"{"exitCode":"0"}"#]) func whatIsNoReplyIsNone(
    line: String
  ) {
    #expect(ControlReply(line: Array(line.utf8)) == nil)
  }

  @Test func linesAreCutWhereverTheBytesBreak() {
    let bytes = Array("one\n\ntwo\nrest".utf8)
    for size in 1...bytes.count {
      var splitter = LineSplitter(maximumBytes: 10)
      var lines: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        lines += splitter.take(Array(bytes[start..<min(start + size, bytes.count)])) ?? [[0]]
      }
      #expect(lines == [Array("one".utf8), [], Array("two".utf8)])
    }
  }

  @Test func aLineThatIsTooLongIsNoLine() {
    var splitter = LineSplitter(maximumBytes: 4)
    #expect(splitter.take(Array("abcd\n".utf8)) == [Array("abcd".utf8)])
    #expect(splitter.take(Array("abcde".utf8)) == nil)
  }
}
