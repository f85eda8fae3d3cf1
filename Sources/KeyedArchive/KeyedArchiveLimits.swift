/// How much an archive may ask of its reader, checked before anything is allocated for it.
///
/// There is no limit for nesting because there is no nesting: the only containers a flat archive may hold are the top
/// dictionary, `$top`, `$objects`, the one archived object, its class description and that description's lists of names.
/// Anything deeper is refused by shape, without recursion, however deep it goes.
public struct KeyedArchiveLimits: Equatable, Sendable {
  /// Largest archive, in bytes. At most ``byteCeiling``.
  public let maximumBytes: Int
  /// Most property list objects (keys, values and containers together). At most ``objectCeiling``.
  public let maximumObjects: Int

  /// The reader keeps positions in 32 bits and its working memory below four times the archive; 64 KiB keeps that far below 1 MB.
  public static let byteCeiling = 65_536
  /// The reader counts references in two bit sets of this size on the stack.
  public static let objectCeiling = 1024

  /// - Precondition: both limits are positive and at most their ceilings; they are the program's constants, never input.
  public init(maximumBytes: Int = 4096, maximumObjects: Int = 256) {
    precondition(
      (1...Self.byteCeiling).contains(maximumBytes),
      "maximumBytes \(maximumBytes) is not in 1...\(Self.byteCeiling)")
    precondition(
      (1...Self.objectCeiling).contains(maximumObjects),
      "maximumObjects \(maximumObjects) is not in 1...\(Self.objectCeiling)")
    self.maximumBytes = maximumBytes
    self.maximumObjects = maximumObjects
  }
}
