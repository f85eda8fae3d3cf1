/// What is remembered of one client's session.
struct ClientRecord {
  /// What was last told about its coordinates, so that a lasting condition is told once.
  enum Told: Equatable {
    case nothing
    case flown
    case noPosition
    case ignored(code: String)
  }

  struct Entry {
    let sequence: UInt32
    let verb: Guidance.Verb
    let frame: UInt64
    var outcome: Guidance.Outcome
  }

  var name: String
  var isConnected = true
  /// When the client is known to have been alive: arrival less delay, so that a burst of stalled frames does not count as presence.
  var heardAt: ContinuousClock.Instant
  var track = CoordinateTrack()
  var told = Told.nothing
  /// When its last coordinate arrived, good or not.
  var coordinateAt: ContinuousClock.Instant?
  /// When the holder last refused to hand control over to it.
  var keptAt: ContinuousClock.Instant?

  /// Newest sequence of any frame, and of those that carried a command. Two, because a coordinate that overtakes a takeoff on a
  /// lossy radio must not void it, while a coordinate older than any command is void.
  private var newestSequence: UInt32?
  private var newestCommandSequence: UInt32?
  private var ledger: [Entry] = []
  private var actedStops: [UInt32] = []
  /// The flags of the last frame that carried no sequence.
  private var raised: [Guidance.Verb] = []

  /// Enough for every command that can be under way, with its repeats.
  private static let ledgerLimit = 32
  /// More than an operator asks for in the seconds until a link counts as lost.
  private static let repeatLimit = 8
  private static let coordinateLimit = 8
  private static let stopLimit = 64

  init(name: String, at now: ContinuousClock.Instant) {
    self.name = name
    heardAt = now
  }

  enum Novelty: Equatable {
    case new
    /// Seen before, with the outcome so far where it is still known.
    case repeated(Guidance.Outcome?)
    case outdated
  }

  /// Whether a command of a frame is to act. Does not change the record: a frame's commands are judged together.
  func novelty(of verb: Guidance.Verb, sequence: UInt32?, isStopped: Bool) -> Novelty {
    guard let sequence else {
      // A client that keeps saying stop means it, also after another client's reset.
      let isNew = !raised.contains(verb) || (verb == .stop && !isStopped)
      return isNew ? .new : .repeated(nil)
    }
    if let entry = ledger.last(where: { $0.sequence == sequence && $0.verb == verb }) {
      return .repeated(entry.outcome)
    }
    if verb == .stop { return actedStops.contains(sequence) ? .repeated(nil) : .new }
    if let newestCommandSequence, !Self.isNewer(sequence, than: newestCommandSequence) { return .outdated }
    return .new
  }

  func isNewest(sequence: UInt32?) -> Bool {
    guard let sequence, let newestSequence else { return true }
    return Self.isNewer(sequence, than: newestSequence)
  }

  mutating func note(sequence: UInt32?, verbs: [Guidance.Verb]) {
    guard let sequence else {
      raised = verbs
      return
    }
    if isNewest(sequence: sequence) { newestSequence = sequence }
    let isCommand = verbs.contains { $0 != .coordinate }
    guard isCommand else { return }
    if newestCommandSequence.map({ Self.isNewer(sequence, than: $0) }) ?? true {
      newestCommandSequence = sequence
    }
    if verbs.contains(.stop), !actedStops.contains(sequence) {
      actedStops.append(sequence)
      if actedStops.count > Self.stopLimit { actedStops.removeFirst() }
    }
  }

  /// How the newest commands ended or how far they are, oldest first.
  var newestOutcomes: [Entry] { Array(ledger.filter { $0.verb != .coordinate }.suffix(Self.repeatLimit)) }

  mutating func record(_ outcome: Guidance.Outcome, sequence: UInt32, verb: Guidance.Verb, frame: UInt64) {
    if let index = ledger.lastIndex(where: { $0.sequence == sequence && $0.verb == verb }) {
      ledger[index].outcome = outcome
      return
    }
    ledger.append(Entry(sequence: sequence, verb: verb, frame: frame, outcome: outcome))
    // Bounded apart, so that the steady stream of coordinates does not push commands out.
    let kind = ledger.indices.filter { (ledger[$0].verb == .coordinate) == (verb == .coordinate) }
    if kind.count > (verb == .coordinate ? Self.coordinateLimit : Self.ledgerLimit) {
      ledger.remove(at: kind[0])
    }
  }

  /// Serial-number arithmetic (RFC 1982), so that the count may wrap.
  static func isNewer(_ sequence: UInt32, than other: UInt32) -> Bool {
    Int32(bitPattern: sequence &- other) > 0
  }
}
