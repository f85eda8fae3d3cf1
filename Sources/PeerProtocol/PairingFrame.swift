/// How the people on both sides make sure that there is nobody in between; the raw values are on the wire.
public enum PairingMethod: UInt8, Equatable, Sendable {
  /// Both sides show six digits, and a person at each says that they are the same.
  case compare = 1
  /// One side made six digits, and a person typed them at the other one.
  case code = 2
}

/// Why a pairing is refused or given up; the raw values are on the wire (PROTOCOL.md, "Pairing").
public enum PairingReason: UInt8, Equatable, Sendable {
  /// No operator has opened a window.
  case closed = 1
  /// Another pairing is under way.
  case busy = 2
  /// The other side uses the other method.
  case otherMethod = 3
  /// The digits differ, or the code is wrong: there may be somebody in between.
  case mismatch = 4
  /// An operator does not want this peer.
  case declined = 5
  case timedOut = 6
  case versionMismatch = 7
  case protocolError = 8
  /// The program or its operator ended it.
  case cancelled = 9
  /// Both sides agreed, but this one could not write its trust file.
  case notStored = 10
  /// A reason this version has no name for.
  case other = 255
}

/// What a side that pairs says of itself first.
public struct PairingHello: Equatable, Sendable {
  public static let currentVersion: UInt16 = 1

  public let version: UInt16
  public let method: PairingMethod
  /// A label, 1 to 63 bytes of UTF-8; as good as the connection, so proven only together with it.
  public let name: String

  public init(version: UInt16 = PairingHello.currentVersion, method: PairingMethod, name: String) {
    self.version = version
    self.method = method
    let label = name.prefix(utf8Bytes: 63)
    self.name = label.isEmpty ? "?" : label
  }
}

/// One frame of a connection whose purpose is pairing. Every byte is described in PROTOCOL.md.
public enum PairingFrame: Equatable, Sendable {
  case hello(PairingHello)
  /// The inviter's promise of its nonce.
  case commitment([UInt8])
  case nonce([UInt8])
  /// The public share of the password exchange.
  case share([UInt8])
  /// This side is content; with the code method the proof that it knows the code, else empty.
  case confirm(proof: [UInt8])
  /// This side trusts the other one from now on.
  case done
  case abort(PairingReason, text: String)

  public static let nonceBytes = 32
  /// An uncompressed point of P-256 (SEC 1, section 2.3.3).
  public static let shareBytes = 65
  public static let proofBytes = 32
  static let maximumTextBytes = 200

  enum Kind: UInt8 {
    case hello = 24
    case commitment = 25
    case nonce = 26
    case share = 27
    case confirm = 28
    case done = 29
    case abort = 30

    /// Payload sizes that are legal, checked from the header before anything is stored.
    var payloadBytes: ClosedRange<Int> {
      switch self {
      case .hello: 5...128
      case .commitment, .nonce: nonceBytes...nonceBytes
      case .share: shareBytes...shareBytes
      case .confirm: 0...proofBytes
      case .done: 0...0
      case .abort: 1...1 + maximumTextBytes
      }
    }
  }

  var kind: Kind {
    switch self {
    case .hello: .hello
    case .commitment: .commitment
    case .nonce: .nonce
    case .share: .share
    case .confirm: .confirm
    case .done: .done
    case .abort: .abort
    }
  }

  /// The type that is on the wire, 24 to 30.
  public var type: UInt8 { kind.rawValue }

  /// What follows the frame's header.
  public var payload: [UInt8] {
    switch self {
    case .hello(let hello):
      var payload: [UInt8] = []
      payload.appendBigEndian(hello.version)
      payload.append(hello.method.rawValue)
      let name = Array(hello.name.utf8)
      payload.append(UInt8(name.count))
      return payload + name
    case .commitment(let bytes), .nonce(let bytes), .share(let bytes), .confirm(let bytes): return bytes
    case .done: return []
    case .abort(let reason, let text):
      return [reason.rawValue] + text.prefix(utf8Bytes: PairingFrame.maximumTextBytes).utf8
    }
  }

  /// Reads a frame of one of the types 24 to 31.
  public init(type: UInt8, payload: ArraySlice<UInt8>) throws(ControlFrameError) {
    guard let kind = Kind(rawValue: type) else { throw .unknownType(type) }
    guard kind.payloadBytes.contains(payload.count) else { throw .length(type: type, bytes: payload.count) }
    try self.init(kind, payload)
  }

  private init(_ kind: Kind, _ payload: ArraySlice<UInt8>) throws(ControlFrameError) {
    var reader = ByteReader(payload)
    switch kind {
    case .hello:
      guard let version = reader.integer(UInt16.self),
        let method = reader.integer(UInt8.self).flatMap(PairingMethod.init(rawValue:)),
        let length = reader.integer(UInt8.self), (1...63).contains(length),
        let bytes = reader.slice(Int(length)), let name = String(validating: bytes, as: UTF8.self)
      else { throw .malformed("PAIR_HELLO") }
      // Later versions may add fields behind these; they are skipped here.
      self = .hello(PairingHello(version: version, method: method, name: name))
    case .commitment: self = .commitment(Array(payload))
    case .nonce: self = .nonce(Array(payload))
    case .share: self = .share(Array(payload))
    case .confirm:
      guard payload.isEmpty || payload.count == PairingFrame.proofBytes else {
        throw .malformed("PAIR_CONFIRM")
      }
      self = .confirm(proof: Array(payload))
    case .done: self = .done
    case .abort:
      guard let code = reader.integer(UInt8.self) else { throw .malformed("PAIR_ABORT") }
      self = .abort(
        PairingReason(rawValue: code) ?? .other, text: String(decoding: reader.rest(), as: UTF8.self))
    }
  }
}
