import FlightLog
import Geodesy
import Guidance
import JSONText
import PeerLink
import PeerProtocol
import RemoteControl
import ServiceRuntime
import Vehicle

/// Turns what happens into lines of the flight log; the writer's own thread waits for the disk.
final class FlightRecords {
  private let writer: FlightLogWriter
  /// Frames of which something may still be reported, newest last; bounded.
  private var frames: [UInt64: (peer: Peer, receivedAt: ContinuousClock.Instant)] = [:]
  private var oldestFrame: UInt64 = 1
  private static let framesKept = 256
  /// Actions by ticket, to name them in later lines; bounded like the frames.
  private var references: [UInt32: (reference: Guidance.CommandReference?, action: VehicleAction)] = [:]

  /// The refusal of a client's coordinates that was told last.
  private var coordinateRefusals: [Guidance.ClientID: String] = [:]

  init(writer: FlightLogWriter) { self.writer = writer }

  func close() { writer.close() }

  func command(_ command: RemoteControlCommand, frame: UInt64, from peer: Peer, delay: Duration) {
    frames[frame] = (peer, ContinuousClock.now)
    while frames.count > FlightRecords.framesKept {
      frames[oldestFrame] = nil
      oldestFrame += 1
    }
    var details: JSON.Object = [:]
    if let coordinate = command.coordinate {
      details["latitude"] = .number(coordinate.latitude)
      details["longitude"] = .number(coordinate.longitude)
    }
    details["age"] = command.coordinateAgeSeconds.map { .number($0) }
    details["horizontal-accuracy"] = command.coordinateHorizontalAccuracyMeters.map { .number($0) }
    details["follow-distance"] = command.followDistanceMeters.map { .number($0) }
    details["follow-bearing"] = command.followBearingDegrees.map { .number($0) }
    details["follow-height"] = command.followHeightMeters.map { .number($0) }
    details["speed"] = command.speedMetersPerSecond.map { .number($0) }
    details["takeoff-altitude"] = command.takeoffAltitudeMeters.map { .number($0) }
    if delay >= .milliseconds(1) { details["delay-ms"] = .integer(delay.wholeMilliseconds) }
    write(.command, peer, command.sequence, command.verbs, details)
  }

  func unreadable(_ reason: String, from peer: Peer) {
    write(.note, peer, nil, nil, ["reason": .string("frame refused: \(reason)")])
  }

  func performing(_ action: VehicleAction, ticket: UInt32, for reference: Guidance.CommandReference?) {
    references[ticket] = (reference, action)
    if ticket > 64 { references[ticket - 64] = nil }
  }

  func sent(_ message: String, ticket: UInt32) {
    let known = references[ticket]
    // Four pieces of a way a second are for the record of the line; the coordinate itself has its line here.
    if case .goTo? = known?.action, known?.reference == nil { return }
    write(
      .sent, peer(known?.reference), known?.reference?.sequence, known?.action.name,
      ["message": .string(message)])
  }

  func outcome(_ reference: Guidance.CommandReference, _ outcome: Guidance.Outcome) {
    // A coordinate a second: its success is in the line of what was sent, and a refusal is told when it begins or changes.
    if reference.verb == .coordinate {
      let told = coordinateRefusals[reference.client]
      coordinateRefusals[reference.client] = outcome.reason.isEmpty ? nil : outcome.reason
      if outcome.reason.isEmpty || outcome.reason == told { return }
    }
    var details: JSON.Object = ["outcome": .string("\(outcome.stage)")]
    if !outcome.reason.isEmpty { details["reason"] = .string(outcome.reason) }
    details["elapsed-ms"] = elapsed(reference).map { .integer($0.wholeMilliseconds) }
    write(.outcome, peer(reference), reference.sequence, reference.verb.rawValue, details)
  }

  func disconnected(_ peer: Peer, _ reason: String) {
    coordinateRefusals[Guidance.ClientID(peer.id.hex)] = nil
    link("disconnected: \(reason)", peer: peer)
  }

  func link(_ text: String, peer: Peer? = nil) { write(.link, peer, nil, nil, ["state": .string(text)]) }
  func note(_ text: String) { write(.note, nil, nil, nil, ["text": .string(text)]) }

  func statusText(_ severity: UInt8, _ text: String) {
    write(.note, nil, nil, nil, ["severity": .integer(Int64(severity)), "text": .string(text)])
  }

  /// Time since the frame arrived, nil when it is too long ago to be remembered.
  func elapsed(_ reference: Guidance.CommandReference) -> Duration? {
    frames[reference.frame].map { $0.receivedAt.duration(to: .now) }
  }

  private func peer(_ reference: Guidance.CommandReference?) -> Peer? {
    reference.flatMap { frames[$0.frame]?.peer }
  }

  private func write(
    _ event: FlightRecord.Event, _ peer: Peer?, _ sequence: UInt32?, _ command: String?,
    _ details: JSON.Object
  ) {
    let stamp = RecordStamp.now
    writer.write(
      FlightRecord(
        time: stamp.wall, monotonicSeconds: stamp.monotonicSeconds, event: event,
        client: peer?.name, clientID: peer?.id.hex, sequence: sequence.map(Int64.init), command: command,
        details: details))
  }
}

extension RemoteControlCommand {
  /// What the frame asks for, in the order in which it is obeyed; `keep-alive` for a frame that asks nothing.
  var verbs: String {
    var verbs: [String] = []
    if reset { verbs.append("reset") }
    if stop { verbs.append("stop") }
    if land { verbs.append("land") }
    if returnToLaunch { verbs.append("return") }
    if takeoff { verbs.append("takeoff") }
    if takeControl { verbs.append("take-control") }
    if handOver { verbs.append("hand-over") }
    if keep { verbs.append("keep") }
    if coordinate != nil { verbs.append(engage ? "goto" : "coordinate") }
    return verbs.isEmpty ? "keep-alive" : verbs.joined(separator: "+")
  }
}
