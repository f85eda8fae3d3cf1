import PeerProtocol
import SecureTransport

extension Randomness {
  /// A frame that a session allows, with fields of any value.
  mutating func sessionFrame() -> ControlFrame { frame(pick([4, 5, 6, 7, 8, 9, 11, 14, 15])) }

  /// A frame with well-formed fields of any value, wherever it belongs.
  mutating func frame() -> ControlFrame { frame(below(17)) }

  private mutating func frame(_ kind: Int) -> ControlFrame {
    switch kind {
    case 0:
      .hello(
        Hello(
          version: chance(80) ? Hello.currentVersion : UInt16(truncatingIfNeeded: next()), runID: next(),
          features: UInt32(truncatingIfNeeded: number()), name: pick(["fuzz", "", "\u{1B}[2J", "é"])))
    case 1: .invitation(timeLimitSeconds: UInt16(truncatingIfNeeded: number()), context: bytes(below(50)))
    case 2: .accept
    case 3: .decline(reason(), text: pick(["", "no", "\u{0}\n"]))
    case 4: .ping(number: UInt32(truncatingIfNeeded: number()))
    case 5: .pong(number: UInt32(truncatingIfNeeded: number()))
    case 6, 7, 8, 9: .message(message())
    case 10: .goodbye(reason(), text: "bye")
    case 11: .acknowledge(count: number())
    case 12: .resume(sessionID: bytes(ControlFrame.sessionIDBytes), received: number())
    case 13: .resumed(received: number())
    case 14:
      .datagramOffer(
        DatagramOffer(
          association: UInt32(truncatingIfNeeded: number()), port: UInt16(truncatingIfNeeded: number())))
    case 15: .relayed(ArraySlice(relayed()))
    default: .purpose(type: UInt8(16 + below(16)), payload: ArraySlice(bytes(below(200))))
    }
  }

  mutating func message() -> MessageFrame {
    let size = chance(95) ? below(200) : below(ControlFrame.maximumMessageBytes + 1)
    return MessageFrame(
      messageClass: chance(50) ? UInt8(below(6)) : byte(), sequence: UInt32(truncatingIfNeeded: number()),
      senderClockMilliseconds: UInt32(truncatingIfNeeded: number()), payload: ArraySlice(bytes(size)))
  }

  /// What a datagram, or a frame in the place of one, carries: well-formed with fields of any value, or damaged.
  mutating func relayed() -> [UInt8] {
    let bytes = datagramFrame().encoded
    return chance(70) ? bytes : damage(bytes)
  }

  private mutating func datagramFrame() -> DatagramFrame {
    switch below(8) {
    case 0:
      return .ping(
        number: UInt32(truncatingIfNeeded: number()), received: UInt32(truncatingIfNeeded: number()))
    case 1:
      return .pong(
        number: UInt32(truncatingIfNeeded: number()), received: UInt32(truncatingIfNeeded: number()))
    case 2, 3: return .message(message(), .unreliable)
    case 4, 5: return .message(message(), .urgent(key: chance(50) ? nil : number()))
    case 6:
      return .received(
        (0..<below(40)).map { _ in
          DatagramFrame.Receipt(messageClass: byte(), sequence: UInt32(truncatingIfNeeded: number()))
        })
    default: return chance(10) ? .close(reason()) : .ping(number: 1, received: 0)
    }
  }

  /// A well-formed frame of pairing.
  mutating func pairingFrame() throws -> PairingFrame {
    switch below(7) {
    case 0: .hello(PairingHello(method: chance(50) ? .compare : .code, name: "again"))
    case 1: .commitment(bytes(PairingFrame.nonceBytes))
    case 2: .nonce(bytes(PairingFrame.nonceBytes))
    case 3: .share(try share())
    case 4: .confirm(proof: chance(50) ? [] : bytes(PairingFrame.proofBytes))
    case 5: .done
    default: .abort(pick([.closed, .busy, .mismatch, .declined, .other]), text: pick(["", "\u{0}\n", "no"]))
    }
  }

  /// A point of the curve, something like one, or anything.
  mutating func share() throws -> [UInt8] {
    let code = PairingCode("000001") ?? PairingCode(using: &self)
    let id = PeerID(bytes: bytes(32))
    guard let id, chance(80) else { return [4] + bytes(PairingFrame.shareBytes - 1) }
    let point = try SPAKE2(role: .first, code: code, inviter: id, host: id, exporter: bytes(32)).share
    return chance(80) ? point : Array(damage(point).prefix(PairingFrame.shareBytes))
  }

  private mutating func reason() -> PeerReason { PeerReason(rawValue: UInt8(1 + below(9))) ?? .other }
}
