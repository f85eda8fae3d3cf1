/// Reads big-endian fields from a payload; every read that runs past the end is nil, never a crash.
public struct ByteReader: Sendable {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  public var remainingCount: Int { bytes.endIndex - position }

  public mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_: T.Type) -> T? {
    guard let field = slice(T.bitWidth / 8) else { return nil }
    // Through a wide accumulator: shifting a one-byte type by eight would lose it.
    return T(truncatingIfNeeded: field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  public mutating func slice(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remainingCount else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// All that is left.
  public mutating func rest() -> ArraySlice<UInt8> {
    defer { position = bytes.endIndex }
    return bytes[position...]
  }
}

extension [UInt8] {
  /// Appends an unsigned integer, most significant byte first.
  public mutating func appendBigEndian<T: FixedWidthInteger & UnsignedInteger>(_ value: T) {
    for shift in stride(from: T.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: UInt64(value) >> UInt64(shift)))
    }
  }
}
