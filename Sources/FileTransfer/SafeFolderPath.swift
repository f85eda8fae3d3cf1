import PeerProtocol
import ServiceRuntime

/// Where an entry belongs below a received folder: safe names, outermost first.
public struct SafeFolderPath: Hashable, Sendable, CustomStringConvertible {
  /// As deep as a transfer carries.
  static let maximumDepth = TransferEntry.maximumDepth

  public let components: [SafeFileName]

  public var description: String { components.map(\.description).joined(separator: "/") }

  /// Makes each component safe by itself. A path that tries to leave the folder is refused as a whole: no honest program sends one.
  ///
  /// - Parameter path: an entry's path (`TransferEntry.path`), of any origin.
  /// - Throws: `ReceivingError.unsafePath`.
  public init(_ path: [String]) throws(ReceivingError) {
    func refusal(_ fault: ReceivingError.PathFault) -> ReceivingError {
      .unsafePath(path.prefix(Self.maximumDepth).joined(separator: "/").shown(maximumScalars: 200), fault)
    }
    if path.isEmpty { throw refusal(.emptyComponent) }
    if path.count > TransferEntry.maximumDepth { throw refusal(.tooDeep) }
    if path.reduce(0, { $0 + $1.utf8.count }) > TransferEntry.maximumPathBytes { throw refusal(.tooLong) }
    var components: [SafeFileName] = []
    for name in path {
      if name.isEmpty { throw refusal(.emptyComponent) }
      if name == "." || name == ".." { throw refusal(.leavesFolder) }
      if name.utf8.contains(UInt8(ascii: "/")) { throw refusal(.containsSlash) }
      if name.utf8.contains(0) { throw refusal(.containsNul) }
      components.append(SafeFileName(component: name.utf8, fallback: "entry"))
    }
    self.components = components
  }
}
