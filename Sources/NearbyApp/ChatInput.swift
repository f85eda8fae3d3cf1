import ServiceRuntime

/// What a typed line of a chat means.
public enum ChatInput: Equatable, Sendable {
  case say([UInt8])
  case nothing
  case peers
  case invite(String)
  /// nil for the oldest invitation.
  case accept(String?)
  case decline(String?)
  case disconnect(String)
  case name(String)
  case visible(Bool)
  case send(path: String)
  case help
  case quit
  /// What is wrong with it, and what would be right.
  case wrong(String)

  static let commands: [(usage: String, meaning: String)] = [
    ("/peers", "list who is near, and how far things are with each"),
    ("/invite NAME", "invite a peer to this chat"),
    ("/accept [NAME]", "accept an invitation, the oldest without a name"),
    ("/decline [NAME]", "decline it"),
    ("/disconnect NAME", "end the connection with a peer"),
    ("/send PATH", "send a file or folder to everybody connected"),
    ("/name NAME", "take another name, while nobody is connected"),
    ("/visible on|off", "let others see this chat, or not"),
    ("/help", "show this"),
    ("/quit", "leave"),
    ("//TEXT", "say something that begins with a slash"),
  ]

  /// A line that begins with a slash is a command, with two slashes text that begins with one.
  public init(line: [UInt8]) {
    let slash = UInt8(ascii: "/")
    guard line.first == slash else {
      self = line.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? .nothing : .say(line)
      return
    }
    if line.dropFirst().first == slash {
      self = .say(Array(line.dropFirst()))
      return
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      self = .wrong("a command has to be UTF-8")
      return
    }
    let parts = text.dropFirst().split(separator: " ", maxSplits: 1)
    let word = parts.first.map(String.init) ?? ""
    let rest = parts.count > 1 ? ChatInput.trimmed(parts[1]) : ""
    self = ChatInput.command(word, rest)
  }

  private static func command(_ word: String, _ rest: String) -> ChatInput {
    let argument = rest.isEmpty ? nil : rest
    switch (word, argument) {
    case ("peers", nil): return .peers
    case ("help", nil): return .help
    case ("quit", nil): return .quit
    case ("accept", let name): return .accept(name)
    case ("decline", let name): return .decline(name)
    case ("invite", let name?): return .invite(name)
    case ("disconnect", let name?): return .disconnect(name)
    case ("name", let name?): return .name(name)
    case ("send", let path?): return .send(path: path)
    case ("visible", "on"): return .visible(true)
    case ("visible", "off"): return .visible(false)
    default: break
    }
    if let known = commands.first(where: { $0.usage.dropFirst().prefix { $0 != " " } == word }) {
      return .wrong("usage: \(known.usage)")
    }
    return .wrong("unknown command '/\(word.shown(maximumScalars: 40))'; /help lists the commands")
  }

  private static func trimmed(_ text: Substring) -> String {
    var rest = text.drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
