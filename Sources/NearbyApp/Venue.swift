import Configuration
import PeerConnectivity
import ServiceRuntime
import Terminal

/// A program that meets peers, as `Venue.run` drives it.
protocol MeetingProgram: AnyObject {
  /// How it ends; nil while it goes on.
  var ending: ExitCode? { get }

  func begin(_ group: inout DiscardingTaskGroup)
  func handle(_ event: MeetingEvent, _ group: inout DiscardingTaskGroup) async
  /// Paints the live area; asked for after each event where there is a screen.
  func render()
  /// It ends, and the node still runs.
  func finish() async
}

/// Where a program meets its peers and its person: a node among others, and a terminal or the pipes of a script.
final class Venue {
  let console: Console
  private(set) var meeting: Meeting
  private let addresses: [HostAndPort]

  /// - Parameter readsKeys: false for a program whose output is for another one, whoever started it.
  init(
    _ purpose: Purpose, policy: AcceptPolicy, _ options: NearbyMeetingOptions, _ surroundings: Surroundings,
    readsKeys: Bool = true
  ) throws {
    let settings = Meeting.Settings(
      purpose: purpose, policy: policy, stateDirectory: surroundings.stateDirectory, listen: options.listen,
      logger: surroundings.logger)
    meeting = try Meeting(
      name: options.name ?? surroundings.hostName, settings,
      queue: EventQueue(capacity: Meeting.queueCapacity))
    // Last, so that what cannot begin leaves the terminal as it is.
    console = try Console(readsKeys: surroundings.hasPerson && readsKeys, log: surroundings.logLines)
    addresses = options.connect
  }

  /// Runs until the program has an ending.
  func run(_ program: some MeetingProgram, tickingEvery period: Duration) async -> ExitCode {
    let queue = meeting.queue
    await withDiscardingTaskGroup { group in
      console.input.forward(to: queue, &group)
      program.begin(&group)
      meeting.tick(every: period, &group)
      if console.isScreen { program.render() }
      while program.ending == nil, let event = await queue.next() {
        if case .terminal(let event) = event {
          if let event = console.handle(event) { await program.handle(.terminal(event), &group) }
        } else {
          await program.handle(event, &group)
        }
        if console.isScreen { program.render() }
      }
      await program.finish()
      queue.finish()
      await meeting.node.stop()
      console.finish()
      group.cancelAll()
    }
    return program.ending ?? .internalError
  }

  /// Connects with whoever is at the addresses of the command line.
  func connect(
    expecting id: Peer.ID?, until deadline: ContinuousClock.Instant?, _ group: inout DiscardingTaskGroup
  ) {
    for address in addresses { meeting.connect(to: address, expecting: id, until: deadline, &group) }
  }

  /// Takes another name, and with it another node.
  func rename(_ name: String) async throws(PeerNodeError) { meeting = try await meeting.renamed(name) }
}
