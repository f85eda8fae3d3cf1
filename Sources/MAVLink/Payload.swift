/// The payload of a frame: at most 255 bytes, stored without allocation.
///
/// Bytes from ``count`` on are always zero, so that reading a field past the end of a truncated
/// payload gives the zero that MAVLink 2 means by the truncation.
public struct Payload: Sendable {
  /// The longest payload that the length byte can announce.
  public static var maximumCount: Int { 255 }

  // One byte more than the maximum, to be a multiple of the machine's word.
  @usableFromInline var storage: InlineArray<256, UInt8>

  /// Length in bytes.
  public private(set) var count: Int

  /// An empty payload.
  public init() {
    storage = InlineArray(repeating: 0)
    count = 0
  }

  /// A payload with the given length, all zero.
  @usableFromInline
  init(zeroCount count: Int) {
    precondition((0...Self.maximumCount).contains(count), "MAVLink payload of \(count) bytes")
    storage = InlineArray(repeating: 0)
    self.count = count
  }

  /// Copies `bytes`, or nothing when there are more than ``maximumCount``.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count <= Self.maximumCount else { return nil }
    self.init(zeroCount: bytes.count)
    for (index, byte) in bytes.enumerated() { storage[index] = byte }
  }

  /// Copies `count` bytes from `source`.
  init(copying source: UnsafeRawPointer, count: Int) {
    self.init(zeroCount: count)
    withUnsafeMutableBytes(of: &storage) {
      $0.baseAddress!.copyMemory(from: source, byteCount: count)
    }
  }

  /// The byte at `index`, zero from ``count`` on.
  public subscript(index: Int) -> UInt8 { storage[index] }

  /// The bytes as an array.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// Calls `body` with the bytes in place.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: storage) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  /// The little-endian value at `offset`.
  @inlinable
  public func load<Value: PayloadScalar>(at offset: Int) -> Value {
    Value(
      payloadBits: Value.PayloadBits(
        littleEndian: storage.span.bytes.unsafeLoadUnaligned(
          fromByteOffset: offset, as: Value.PayloadBits.self)))
  }

  /// The values of an array field that starts at `offset`.
  @inlinable
  public func load<let length: Int, Element: PayloadScalar>(
    at offset: Int
  ) -> FixedArray<length, Element> {
    FixedArray { load(at: offset + $0 * MemoryLayout<Element.PayloadBits>.size) }
  }

  /// The characters of a text field that starts at `offset`.
  @inlinable
  public func load<let length: Int>(at offset: Int) -> FixedText<length> {
    FixedText(bytes: load(at: offset))
  }

  /// Writes `value` as little-endian bytes at `offset`.
  @inlinable
  public mutating func store<Value: PayloadScalar>(_ value: Value, at offset: Int) {
    var span = storage.mutableSpan
    var bytes = span.mutableBytes
    bytes.storeBytes(
      of: value.payloadBits.littleEndian, toByteOffset: offset, as: Value.PayloadBits.self)
  }

  /// Writes the values of an array field that starts at `offset`.
  @inlinable
  public mutating func store<let length: Int, Element: PayloadScalar>(
    _ values: FixedArray<length, Element>, at offset: Int
  ) {
    for index in 0..<length {
      store(values[index], at: offset + index * MemoryLayout<Element.PayloadBits>.size)
    }
  }

  /// Writes the characters of a text field that starts at `offset`.
  @inlinable
  public mutating func store<let length: Int>(_ text: FixedText<length>, at offset: Int) {
    store(text.bytes, at: offset)
  }

  /// Drops zero bytes at the end, down to one byte, as MAVLink 2 sends them.
  mutating func truncateTrailingZeros() {
    while count > 1, storage[count - 1] == 0 { count -= 1 }
  }
}

extension Payload: Equatable {
  public static func == (left: Payload, right: Payload) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where left.storage[index] != right.storage[index] { return false }
    return true
  }
}
