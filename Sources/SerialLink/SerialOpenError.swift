/// Why a serial device could not be opened, in one line with a remedy.
public struct SerialOpenError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// Not there now: it may be plugged in later.
    case missing
    case permissionDenied
    /// Another program has it.
    case busy
    case notASerialDevice
    /// The device does not take these settings.
    case settings
    case other
  }

  public let kind: Kind
  public let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
