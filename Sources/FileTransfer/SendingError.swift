public import ServiceRuntime

/// Why something here cannot be sent. Every text in it is safe to show.
public enum SendingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A folder where a file was expected.
  case isFolder(String)
  /// Neither a file nor a folder: a device, a pipe, a socket. Reading it might never end.
  case notAFile(String)
  case tooManyEntries(String, maximum: UInt32)
  case system(SystemError)

  public var description: String {
    switch self {
    case .isFolder(let path): "'\(path)' is a folder"
    case .notAFile(let path): "'\(path)' is neither a file nor a folder"
    case .tooManyEntries(let path, let maximum):
      "'\(path)' has more than \(maximum) files and folders in it; send a part, or an archive of it"
    case .system(let error): "\(error)"
    }
  }
}

/// What of a folder is not sent, and why.
public struct Omission: Equatable, Sendable, CustomStringConvertible {
  public enum Reason: Equatable, Sendable {
    /// Links may lead out of the folder, to what nobody meant to send.
    case symbolicLink
    /// A device, a pipe, a socket.
    case notAFile
    case unreadable
    /// Its path is deeper or longer than a transfer carries.
    case pathTooLong
  }

  /// Below the folder; safe to show.
  public let path: String
  public let reason: Reason

  public var description: String {
    let text =
      switch reason {
      case .symbolicLink: "is a symbolic link"
      case .notAFile: "is no file"
      case .unreadable: "cannot be read"
      case .pathTooLong: "has too long a path"
      }
    return "'\(path)' \(text)"
  }
}
