/// Why a peer said no or left; the raw values are on the wire (PROTOCOL.md, "Reasons").
public enum PeerReason: UInt8, Equatable, Sendable {
  /// The application or its operator declined.
  case declined = 1
  /// The other side does not trust our certificate.
  case untrusted = 2
  /// All places are taken.
  case busy = 3
  /// The other side speaks another version of the protocol.
  case versionMismatch = 4
  /// A newer connection of the same peer took this one's place.
  case replaced = 5
  /// The program is ending.
  case shuttingDown = 6
  /// The other side broke the protocol.
  case protocolError = 7
  /// The connection was ended on purpose.
  case disconnected = 8
  /// The session to resume is not known any more; a new one may be begun on the same connection.
  case unknownSession = 9
  /// A reason this version has no name for.
  case other = 255
}

/// What a peer says of itself first.
public struct Hello: Equatable, Sendable {
  /// Version of this protocol.
  public static let currentVersion: UInt16 = 1

  public let version: UInt16
  /// Random for each run of a program, so that a restart shows.
  public let runID: UInt64
  /// Bits for planes and abilities; unknown bits are ignored. None is defined yet.
  public let features: UInt32
  /// A label, 1 to 63 bytes of UTF-8; never an identity.
  public let name: String

  public init(version: UInt16 = Hello.currentVersion, runID: UInt64, features: UInt32 = 0, name: String) {
    self.version = version
    self.runID = runID
    self.features = features
    // A peer refuses a HELLO without a name, so one of which nothing can be kept gets a stand-in.
    let label = name.prefix(utf8Bytes: 63)
    self.name = label.isEmpty ? "?" : label
  }
}

/// An application message as it travels: on the control connection now, on datagrams too when that plane is there.
public struct MessageFrame: Equatable, Sendable {
  /// The application's message class; it chooses planes and bounds.
  public let messageClass: UInt8
  /// Counts up from 1 for each class and direction of a session.
  public let sequence: UInt32
  /// The sender's session clock in milliseconds, wrapping; only differences mean anything.
  public let senderClockMilliseconds: UInt32
  public let payload: ArraySlice<UInt8>

  public init(
    messageClass: UInt8, sequence: UInt32, senderClockMilliseconds: UInt32, payload: ArraySlice<UInt8>
  ) {
    self.messageClass = messageClass
    self.sequence = sequence
    self.senderClockMilliseconds = senderClockMilliseconds
    self.payload = payload
  }
}

/// Where a side listens for the datagrams of a session, beside the local address of its control connection.
public struct DatagramOffer: Equatable, Sendable {
  /// Counts the attempts of the session's inviter; the host answers with the number that it was given.
  public let association: UInt32
  /// 0 when there is no socket: the other side then sends everything over control.
  public let port: UInt16

  public init(association: UInt32, port: UInt16) {
    self.association = association
    self.port = port
  }
}

/// One frame of the control connection. Every byte is described in PROTOCOL.md.
public enum ControlFrame: Equatable, Sendable {
  case hello(Hello)
  case invitation(timeLimitSeconds: UInt16, context: [UInt8])
  case accept
  case decline(PeerReason, text: String)
  case ping(number: UInt32)
  case pong(number: UInt32)
  case message(MessageFrame)
  case goodbye(PeerReason, text: String)
  /// How many reliable messages of this session the sender of the frame has received.
  case acknowledge(count: UInt64)
  /// First frame of an inviter that reopens the control connection of a session that lives.
  case resume(sessionID: [UInt8], received: UInt64)
  /// The host takes the session up again.
  case resumed(received: UInt64)
  /// Where the sender listens for datagrams of this session.
  case datagramOffer(DatagramOffer)
  /// What would travel as a datagram, when that way is not there; PROTOCOL.md, section 15.
  case relayed(ArraySlice<UInt8>)
  /// A frame of another purpose, whose module reads it: 16 to 23 bulk, 24 to 31 pairing.
  case purpose(type: UInt8, payload: ArraySlice<UInt8>)

  /// Types of the frames of other purposes than a session.
  public static let purposeTypes: ClosedRange<UInt8> = 16...31
  /// Longest payload of such a frame.
  public static let maximumPurposeBytes = 1100
  /// Bytes of a session's identifier.
  public static let sessionIDBytes = 16

  /// Longest payload of an application message, and so of any frame, less the message's own header.
  public static let maximumMessageBytes = 65_536
  static let messageHeaderBytes = 9
  static let maximumContextBytes = 1000
  static let maximumReasonTextBytes = 200

  enum Kind: Equatable {
    case known(Known)
    case purpose(UInt8)

    init?(type: UInt8) {
      if let known = Known(rawValue: type) {
        self = .known(known)
      } else if purposeTypes.contains(type) {
        self = .purpose(type)
      } else {
        return nil
      }
    }

    var type: UInt8 {
      switch self {
      case .known(let known): known.rawValue
      case .purpose(let type): type
      }
    }

    /// Payload sizes that are legal, checked from the header before anything is stored.
    var payloadBytes: ClosedRange<Int> {
      switch self {
      case .known(let known): known.payloadBytes
      case .purpose: 0...maximumPurposeBytes
      }
    }
  }

  enum Known: UInt8 {
    case hello = 1
    case invitation = 2
    case accept = 3
    case decline = 4
    case ping = 5
    case pong = 6
    case message = 7
    case goodbye = 8
    case acknowledge = 9
    case resume = 10
    case resumed = 11
    case datagramOffer = 12
    case relayed = 13

    var payloadBytes: ClosedRange<Int> {
      switch self {
      case .hello: 16...128
      case .invitation: 2...2 + maximumContextBytes
      case .accept: 0...0
      case .decline, .goodbye: 1...1 + maximumReasonTextBytes
      case .ping, .pong: 4...4
      case .message: messageHeaderBytes...messageHeaderBytes + maximumMessageBytes
      case .acknowledge, .resumed: 8...8
      case .resume: sessionIDBytes + 8...sessionIDBytes + 8
      case .datagramOffer: 6...64
      case .relayed: 1...16 + maximumMessageBytes
      }
    }
  }

  /// Header and payload.
  public var encoded: [UInt8] {
    var payload: [UInt8] = []
    let type: UInt8
    switch self {
    case .hello(let hello):
      type = Known.hello.rawValue
      payload.appendBigEndian(hello.version)
      payload.appendBigEndian(hello.runID)
      payload.appendBigEndian(hello.features)
      let name = Array(hello.name.utf8)
      payload.append(UInt8(name.count))
      payload += name
    case .invitation(let timeLimitSeconds, let context):
      type = Known.invitation.rawValue
      payload.appendBigEndian(timeLimitSeconds)
      payload += context.prefix(ControlFrame.maximumContextBytes)
    case .accept:
      type = Known.accept.rawValue
    case .decline(let reason, let text):
      type = Known.decline.rawValue
      payload = [reason.rawValue] + text.prefix(utf8Bytes: ControlFrame.maximumReasonTextBytes).utf8
    case .ping(let number):
      type = Known.ping.rawValue
      payload.appendBigEndian(number)
    case .pong(let number):
      type = Known.pong.rawValue
      payload.appendBigEndian(number)
    case .message(let message):
      type = Known.message.rawValue
      payload.reserveCapacity(ControlFrame.messageHeaderBytes + message.payload.count)
      payload.append(message.messageClass)
      payload.appendBigEndian(message.sequence)
      payload.appendBigEndian(message.senderClockMilliseconds)
      payload += message.payload
    case .goodbye(let reason, let text):
      type = Known.goodbye.rawValue
      payload = [reason.rawValue] + text.prefix(utf8Bytes: ControlFrame.maximumReasonTextBytes).utf8
    case .acknowledge(let count):
      type = Known.acknowledge.rawValue
      payload.appendBigEndian(count)
    case .resume(let sessionID, let received):
      type = Known.resume.rawValue
      payload += sessionID
      payload.appendBigEndian(received)
    case .resumed(let received):
      type = Known.resumed.rawValue
      payload.appendBigEndian(received)
    case .datagramOffer(let offer):
      type = Known.datagramOffer.rawValue
      payload.appendBigEndian(offer.association)
      payload.appendBigEndian(offer.port)
    case .relayed(let bytes):
      type = Known.relayed.rawValue
      payload = Array(bytes)
    case .purpose(let purposeType, let bytes):
      type = purposeType
      payload = Array(bytes)
    }
    let length = UInt32(payload.count)
    return [type, UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
      + payload
  }

  init(_ kind: Kind, _ payload: ArraySlice<UInt8>) throws(ControlFrameError) {
    var reader = ByteReader(payload)
    let known: Known
    switch kind {
    case .purpose(let type):
      self = .purpose(type: type, payload: payload)
      return
    case .known(let value): known = value
    }
    switch known {
    case .hello:
      guard let version = reader.integer(UInt16.self), let runID = reader.integer(UInt64.self),
        let features = reader.integer(UInt32.self), let length = reader.integer(UInt8.self),
        (1...63).contains(length),
        let bytes = reader.slice(Int(length)), let name = String(validating: bytes, as: UTF8.self)
      else { throw .malformed("HELLO") }
      // Later versions may add fields behind these; they are skipped here.
      self = .hello(Hello(version: version, runID: runID, features: features, name: name))
    case .invitation:
      guard let seconds = reader.integer(UInt16.self) else { throw .malformed("INVITATION") }
      self = .invitation(timeLimitSeconds: seconds, context: Array(reader.rest()))
    case .accept:
      self = .accept
    case .decline, .goodbye:
      guard let code = reader.integer(UInt8.self) else { throw .malformed("a reason") }
      let reason = PeerReason(rawValue: code) ?? .other
      let text = String(decoding: reader.rest(), as: UTF8.self)
      self = known == .decline ? .decline(reason, text: text) : .goodbye(reason, text: text)
    case .ping, .pong:
      guard let number = reader.integer(UInt32.self) else { throw .malformed("PING") }
      self = known == .ping ? .ping(number: number) : .pong(number: number)
    case .message:
      guard let messageClass = reader.integer(UInt8.self), let sequence = reader.integer(UInt32.self),
        let clock = reader.integer(UInt32.self)
      else { throw .malformed("MESSAGE") }
      self = .message(
        MessageFrame(
          messageClass: messageClass, sequence: sequence, senderClockMilliseconds: clock,
          payload: reader.rest()))
    case .acknowledge:
      guard let count = reader.integer(UInt64.self) else { throw .malformed("ACKNOWLEDGE") }
      self = .acknowledge(count: count)
    case .resume:
      guard let sessionID = reader.slice(ControlFrame.sessionIDBytes),
        let received = reader.integer(UInt64.self)
      else { throw .malformed("RESUME") }
      self = .resume(sessionID: Array(sessionID), received: received)
    case .resumed:
      guard let received = reader.integer(UInt64.self) else { throw .malformed("RESUMED") }
      self = .resumed(received: received)
    case .datagramOffer:
      guard let association = reader.integer(UInt32.self), let port = reader.integer(UInt16.self) else {
        throw .malformed("DATAGRAM_OFFER")
      }
      // Later versions may add fields behind these; they are skipped here.
      self = .datagramOffer(DatagramOffer(association: association, port: port))
    case .relayed:
      self = .relayed(reader.rest())
    }
  }
}

/// A peer broke the framing; the connection is of no use afterwards.
public enum ControlFrameError: Error, Equatable, Sendable, CustomStringConvertible {
  case unknownType(UInt8)
  case length(type: UInt8, bytes: Int)
  case malformed(String)

  public var description: String {
    switch self {
    case .unknownType(let type): "frame of unknown type \(type)"
    case .length(let type, let bytes): "frame of type \(type) with \(bytes) bytes, outside its bounds"
    case .malformed(let what): "malformed \(what)"
    }
  }
}

/// Cuts the plaintext of a control connection into frames, fed in pieces of any size.
public struct ControlFrameDecoder: Sendable {
  /// Before the session is accepted the peer may say no more than this in one frame.
  public static let maximumBytesBeforeAcceptance = 1100

  private var buffer: [UInt8] = []
  /// Where the next frame starts: taking thousands of small frames off the front one by one would move the rest each time.
  private var start = 0
  /// Largest payload accepted; raise it to `ControlFrame.maximumMessageBytes` once the session is accepted.
  public var maximumPayloadBytes = ControlFrameDecoder.maximumBytesBeforeAcceptance

  public init() {}

  public mutating func append(_ bytes: [UInt8]) {
    buffer.removeFirst(start)
    start = 0
    buffer += bytes
  }

  /// What was appended and not handed out.
  public var unread: [UInt8] { Array(buffer[start...]) }

  /// The next whole frame, nil when more bytes are needed.
  public mutating func next() throws(ControlFrameError) -> ControlFrame? {
    let available = buffer.count - start
    guard available >= 4 else { return nil }
    let type = buffer[start]
    let length = Int(buffer[start + 1]) << 16 | Int(buffer[start + 2]) << 8 | Int(buffer[start + 3])
    guard let kind = ControlFrame.Kind(type: type) else { throw .unknownType(type) }
    guard kind.payloadBytes.contains(length), length <= maximumPayloadBytes + ControlFrame.messageHeaderBytes
    else {
      throw .length(type: type, bytes: length)
    }
    guard available >= 4 + length else { return nil }
    // A copy, so that a message kept by the application does not keep the whole buffer alive.
    let payload = Array(buffer[start + 4..<start + 4 + length])
    start += 4 + length
    return try ControlFrame(kind, payload[...])
  }
}
