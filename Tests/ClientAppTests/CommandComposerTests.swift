import ClientApp
import Configuration
import Geodesy
import PeerProtocol
import RemoteControl
import Testing

@Suite struct CommandComposerTests {
  private let here = UsablePosition(
    coordinate: Coordinate(latitude: 52.5, longitude: 13.4)!, age: .milliseconds(1500),
    horizontalErrorMeters: 4)
  private let there = LatitudeLongitude(latitudeDegrees: 52.6, longitudeDegrees: 13.5)
  private let drone = peer(1)

  @Test func withoutPositionTheKeysAreAbsent() {
    var composer = CommandComposer()
    #expect(composer.periodicFrame(to: drone, position: nil) == RemoteControlCommand(sequence: 1))
  }

  @Test func thePositionGoesWithItsAgeAndAccuracy() {
    var composer = CommandComposer()
    let frame = composer.periodicFrame(to: drone, position: here)
    #expect(
      frame
        == RemoteControlCommand(
          coordinate: here.coordinate, coordinateAgeSeconds: 1.5, coordinateHorizontalAccuracyMeters: 4,
          sequence: 1))
  }

  @Test func everyFrameHasItsOwnNumber() {
    var composer = CommandComposer()
    let numbers = [
      composer.periodicFrame(to: drone, position: nil).sequence,
      composer.frame(for: .stop, to: drone, position: nil)?.sequence,
      composer.periodicFrame(to: peer(2), position: here).sequence,
      composer.frame(for: .reset, to: drone, position: here)?.sequence,
    ]
    #expect(numbers == [1, 2, 3, 4])
  }

  @Test func howToFlyGoesWithEveryFrameUntilTheNextAskOrARefusal() {
    var composer = CommandComposer()
    var beside = TargetOptions()
    beside.distanceMeters = 20
    beside.bearingDegrees = 90
    beside.heightAboveHomeMeters = 15
    beside.speedMetersPerSecond = 3
    let ask = composer.frame(for: .follow, beside, to: drone, position: here)
    for frame in [ask, composer.periodicFrame(to: drone, position: here)] {
      #expect(frame?.followDistanceMeters == 20 && frame?.followBearingDegrees == 90)
      #expect(frame?.followHeightMeters == 15 && frame?.speedMetersPerSecond == 3)
    }
    var high = TargetOptions()
    high.heightAboveHomeMeters = 40
    let refused = composer.frame(for: .goto(there), high, to: drone, position: here)
    #expect(refused?.followHeightMeters == 40 && refused?.followDistanceMeters == nil)
    composer.concluded(sequence: ask?.sequence ?? 0, vehicle: drone, wasRefused: false)
    composer.concluded(sequence: refused?.sequence ?? 0, vehicle: drone, wasRefused: true)
    #expect(composer.periodicFrame(to: drone, position: here).followHeightMeters != 40)
    #expect(composer.periodicFrame(to: peer(2), position: here).followHeightMeters == nil)
  }

  struct Flag: Sendable, CustomStringConvertible {
    let verb: VehicleVerb
    let expected: RemoteControlCommand
    var description: String { verb.name }
  }

  static let flags = [
    Flag(verb: .stop, expected: RemoteControlCommand(stop: true, sequence: 1)),
    Flag(
      verb: .takeoff(altitudeAboveHomeMeters: nil), expected: RemoteControlCommand(takeoff: true, sequence: 1)
    ),
    Flag(
      verb: .takeoff(altitudeAboveHomeMeters: 15),
      expected: RemoteControlCommand(takeoff: true, sequence: 1, takeoffAltitudeMeters: 15)),
    Flag(verb: .land, expected: RemoteControlCommand(land: true, sequence: 1)),
    Flag(verb: .returnToLaunch, expected: RemoteControlCommand(returnToLaunch: true, sequence: 1)),
    Flag(verb: .reset, expected: RemoteControlCommand(reset: true, sequence: 1)),
    Flag(verb: .takeControl, expected: RemoteControlCommand(takeControl: true, sequence: 1)),
    Flag(verb: .handOver, expected: RemoteControlCommand(handOver: true, sequence: 1)),
    Flag(verb: .keep, expected: RemoteControlCommand(keep: true, sequence: 1)),
  ]

  @Test(arguments: flags) func eachVerbSetsItsOwnFlagOnly(flag: Flag) {
    var composer = CommandComposer()
    #expect(composer.frame(for: flag.verb, to: drone, position: nil) == flag.expected)
    #expect(composer.periodicFrame(to: drone, position: nil) == RemoteControlCommand(sequence: 2))
  }

  @Test func gotoReplacesTheTargetUntilFollow() {
    var composer = CommandComposer()
    let place = Coordinate(latitude: 52.6, longitude: 13.5)
    let goto = composer.frame(for: .goto(there), to: drone, position: here)
    #expect(goto?.coordinate == place && goto?.engage == true && goto?.coordinateAgeSeconds == 0)
    let periodic = composer.periodicFrame(to: drone, position: nil)
    #expect(periodic.coordinate == place && !periodic.engage)
    #expect(composer.periodicFrame(to: peer(2), position: here).coordinate == here.coordinate)
    let follow = composer.frame(for: .follow, to: drone, position: here)
    #expect(follow?.coordinate == here.coordinate && follow?.engage == true)
    #expect(composer.periodicFrame(to: drone, position: nil).coordinate == nil)
  }

  @Test func followWithoutPositionIsNoFrameAndChangesNothing() {
    var composer = CommandComposer()
    _ = composer.frame(for: .goto(there), to: drone, position: nil)
    #expect(composer.frame(for: .follow, to: drone, position: nil) == nil)
    #expect(composer.periodicFrame(to: drone, position: here).coordinate?.latitude == 52.6)
  }

  @Test func aRefusedGotoHasNoEffect() {
    var composer = CommandComposer()
    let goto = composer.frame(for: .goto(there), to: drone, position: here)
    composer.concluded(sequence: goto!.sequence!, vehicle: drone, wasRefused: true)
    #expect(composer.target(of: drone) == .ownPosition)
  }

  @Test func refusalOfAnOlderGotoLeavesTheNewer() {
    var composer = CommandComposer()
    let first = composer.frame(for: .goto(there), to: drone, position: here)
    let other = LatitudeLongitude(latitudeDegrees: 52.7, longitudeDegrees: 13.5)
    let second = composer.frame(for: .goto(other), to: drone, position: here)
    composer.concluded(sequence: first!.sequence!, vehicle: drone, wasRefused: true)
    #expect(composer.target(of: drone) == .fixed(Coordinate(latitude: 52.7, longitude: 13.5)!))
    composer.concluded(sequence: second!.sequence!, vehicle: drone, wasRefused: true)
    #expect(composer.target(of: drone) == .ownPosition)
  }
}

/// An identity that is the same byte 32 times.
func peer(_ byte: UInt8) -> PeerID { PeerID(bytes: [UInt8](repeating: byte, count: 32))! }
