public import JSONText
public import PeerProtocol

/// One thing that a person who pairs is told or asked; it travels between programs too.
public enum PairingNotice: Equatable, Sendable {
  case line(String)
  /// Not to be overlooked.
  case alarm(String)
  /// Whether the other screen shows the same digits.
  case question(PairingCode, name: String, id: PeerID)
  /// The question is void: the attempt ended meanwhile.
  case withdrawn

  public var json: JSON {
    switch self {
    case .line(let text): ["notice": "line", "text": .string(text)]
    case .alarm(let text): ["notice": "alarm", "text": .string(text)]
    case .question(let code, let name, let id):
      [
        "notice": "question", "digits": .string(code.description), "name": .string(name),
        "id": .string(id.hex),
      ]
    case .withdrawn: ["notice": "withdrawn"]
    }
  }

  /// Nil for what is none.
  public init?(json: JSON) {
    switch json["notice"]?.string {
    case "line":
      guard let text = json["text"]?.string else { return nil }
      self = .line(text)
    case "alarm":
      guard let text = json["text"]?.string else { return nil }
      self = .alarm(text)
    case "question":
      guard let code = json["digits"]?.string.flatMap({ PairingCode($0) }), let name = json["name"]?.string,
        let id = json["id"]?.string.flatMap({ PeerID(hex: $0) })
      else { return nil }
      self = .question(code, name: name, id: id)
    case "withdrawn": self = .withdrawn
    default: return nil
    }
  }
}
