/// What a program does with its peers; it is told in the discovery information, so that people choose the right ones, and in the
/// invitation, so that two programs that do not fit say so.
public enum Purpose: String, Equatable, Sendable, CaseIterable {
  case chat
  case files
  case tap
  case pair

  /// Key of the discovery information.
  public static let discoveryKey = "does"

  /// Completes "invites you to …".
  var invitation: String {
    switch self {
    case .chat: "chat"
    case .files: "receive files"
    case .tap: "the tap game"
    case .pair: "pair"
    }
  }

  /// The context of an invitation.
  public var context: [UInt8] { Array(rawValue.utf8) }

  public init?(context: [UInt8]) {
    guard context.count <= 32, let text = String(validating: context, as: UTF8.self) else { return nil }
    self.init(rawValue: text)
  }
}
