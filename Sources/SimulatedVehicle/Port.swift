import MAVLink

/// One serial port of the flight controller. Each has its own message intervals, sequence numbers and speed, as on the
/// real ones: what one ground station asks for does not fill the line of another.
struct Port: Sendable {
  let baud: Int?
  var parser = StreamParser()
  var encoder: FrameEncoder
  var streams = StreamRates()
  /// What waits to be taken.
  var output: [UInt8] = []
  /// The next of all parameters, while they are being listed here.
  var nextParameter: Int?
  /// The line is dead in both directions.
  var isSilent = false
  /// Bytes that the line takes now.
  private(set) var allowanceBytes = 0.0
  /// Who was heard on it.
  private var sources: Set<Source> = []

  struct Source: Hashable {
    let systemID: UInt8
    let componentID: UInt8
  }

  /// A line with more talkers than that is a loop; further ones are not remembered.
  private static let maximumSources = 64
  /// A reader that takes nothing for long finds the newest of this.
  private static let maximumOutput = 262_144

  init(baud: Int?, systemID: UInt8) {
    self.baud = baud
    encoder = FrameEncoder(systemID: systemID, componentID: ComponentID.autopilot1.rawValue)
  }

  /// The controller starts: nothing asked for and nothing heard is remembered.
  mutating func start(_ streams: StreamRates) {
    self.streams = streams
    parser = StreamParser()
    encoder.sequence = 0
    nextParameter = nil
    sources.removeAll()
  }

  mutating func pass(seconds: Double) {
    guard let baud else { return }
    // Ten bits a byte; a little may gather, as in a transmit buffer.
    allowanceBytes = min(280, allowanceBytes + Double(baud) / 10 * seconds)
  }

  /// Whether something that may be late goes out now.
  var hasRoom: Bool { baud == nil || allowanceBytes > 0 }

  mutating func send(_ bytes: [UInt8]) {
    guard !isSilent else { return }
    allowanceBytes -= Double(bytes.count)
    if output.count > Self.maximumOutput { output.removeAll(keepingCapacity: true) }
    output += bytes
  }

  mutating func send(_ message: any Message) { send(encoder.encode(message)) }

  mutating func takeOutput() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  mutating func heard(_ frame: Frame) {
    guard sources.count < Self.maximumSources else { return }
    sources.insert(Source(systemID: frame.systemID, componentID: frame.componentID))
  }

  var isActive: Bool { !sources.isEmpty }

  /// Whether `target` is to be reached here.
  func reaches(_ target: FrameTarget, isOurSystem: Bool) -> Bool {
    if target.systemID == 0 { return isActive }
    return sources.contains {
      // Of another system anybody knows the way; of our own, which the controller belongs to, the component decides.
      $0.systemID == target.systemID
        && (target.componentID == 0 || $0.componentID == target.componentID || !isOurSystem)
    }
  }
}

/// Whom a frame is for; zero is everybody.
struct FrameTarget: Equatable, Sendable {
  var systemID: UInt8 = 0
  var componentID: UInt8 = 0

  /// Where the messages that ground stations and companions send carry their target in the payload; all others are for
  /// everybody. From pymavlink's dialect: message, offset of the system, offset of the component.
  private static let offsets: [UInt32: (system: Int, component: Int?)] = [
    4: (12, 13), 5: (0, nil), 11: (4, nil), 20: (2, 3), 21: (0, 1), 23: (4, 5), 37: (4, 5), 38: (4, 5),
    39: (32, 33),
    40: (2, 3), 41: (2, 3), 43: (0, 1), 44: (2, 3), 45: (0, 1), 47: (0, 1), 48: (12, nil), 50: (18, 19),
    51: (2, 3),
    66: (2, 3), 70: (16, 17), 73: (32, 33), 75: (30, 31), 76: (30, 31), 77: (8, 9), 82: (36, 37),
    84: (50, 51),
    86: (50, 51), 110: (1, 2), 117: (4, 5), 119: (10, 11), 121: (0, 1), 122: (0, 1), 123: (0, 1), 160: (8, 9),
    161: (0, 1), 175: (14, 15), 176: (0, 1), 183: (0, 1), 184: (4, 5), 185: (4, 5), 243: (52, nil),
    248: (3, 4),
    256: (8, 9), 266: (2, 3), 267: (2, 3), 268: (2, 3), 282: (32, 33), 287: (20, 21), 288: (20, 21),
    320: (2, 3),
    321: (0, 1), 323: (0, 1), 385: (2, 3),
  ]

  init(of frame: Frame) {
    guard let place = Self.offsets[frame.messageID] else { return }
    let payload = frame.payload
    // A payload ends at its last byte that is not zero.
    func byte(at offset: Int) -> UInt8 { offset < payload.count ? payload[offset] : 0 }
    systemID = byte(at: place.system)
    componentID = place.component.map(byte) ?? 0
  }
}
