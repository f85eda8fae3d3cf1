public import Configuration
import JSONText
import PeerConnectivity
public import ServiceRuntime
import Terminal

/// `nearby list`.
public enum ListProgram {
  /// Looks for a while and prints who is near.
  ///
  /// - Throws: `PeerNodeError` and `SystemError` when it cannot even begin, `NearbyFailure` when nobody can be found.
  public static func run(_ options: NearbyListOptions, _ surroundings: Surroundings) async throws -> ExitCode
  {
    // It looks and does nothing else: nobody can connect.
    let settings = Meeting.Settings(
      purpose: .chat, policy: .paired, stateDirectory: surroundings.stateDirectory,
      listen: ListenAddress(address: "127.0.0.1", port: 0), logger: surroundings.logger)
    let queue = EventQueue<MeetingEvent>(capacity: 256)
    let meeting = try Meeting(name: surroundings.hostName, settings, queue: queue)
    let console = try Console(readsKeys: surroundings.hasPerson && !options.json, log: surroundings.logLines)
    var directory = PeerDirectory()
    var problem: String?
    let deadline = ContinuousClock.now.advanced(by: options.timeout)
    await withDiscardingTaskGroup { group in
      console.input.forward(to: queue, &group)
      meeting.browse(&group)
      meeting.tick(every: .milliseconds(100), &group)
      look: while ContinuousClock.now < deadline, let event = await queue.next() {
        switch event {
        case .terminal(let event):
          switch console.handle(event) {
          case .key(.control("c"))?, .key(.character("q"))?, .key(.escape)?, .endWanted?: break look
          default: break
          }
        case .browser(.unavailable(let reason), _): problem = reason
        case .browser(.available, _): problem = nil
        case .browser(let event, _):
          switch event.lobbyInput {
          case .found(let id, let name, let purpose, let isPaired)?:
            _ = directory.found(id, name: name, purpose: purpose, isPaired: isPaired)
          case .lost(let id)?: _ = directory.lost(id)
          default: break
          }
        default: break
        }
        show(directory, problem, until: deadline, console)
      }
      queue.finish()
      await meeting.node.stop()
      console.show([])
      for entry in directory.entries { console.tell(options.json ? json(entry) : row(entry)) }
      console.finish()
      group.cancelAll()
    }
    if !directory.entries.isEmpty { return .accepted }
    if let problem { throw NearbyFailure(.serviceUnavailable, "cannot look for others: \(problem)") }
    if !options.json { PlainOutput.standardError.line("nobody is near") }
    return .noVehicle
  }

  private static func show(
    _ directory: PeerDirectory, _ problem: String?, until deadline: ContinuousClock.Instant,
    _ console: Console
  ) {
    guard console.isScreen else { return }
    let left = clockText(max(.zero, ContinuousClock.now.duration(to: deadline)))
    var lines = directory.entries.map { Line("  " + row($0)) }
    if let problem { lines.append(Line("! cannot look for others: \(problem)", .bad)) }
    lines.append(Line("looking, \(left) more · q ends", .faint))
    console.show(lines)
  }

  static func row(_ entry: PeerDirectory.Entry) -> String {
    let name = Line(shownName(entry.name)).padded(columns: 24).text
    return "\(name)  \(entry.id.short)  \(entry.isPaired ? "paired    " : "not paired")"
      + (entry.purpose.map { "  \($0.rawValue)" } ?? "")
  }

  static func json(_ entry: PeerDirectory.Entry) -> String {
    let object: JSON = [
      "id": .string(entry.id.hex), "name": .string(entry.name), "paired": .bool(entry.isPaired),
      "does": entry.purpose.map { .string($0.rawValue) } ?? .null,
    ]
    return object.text
  }
}
