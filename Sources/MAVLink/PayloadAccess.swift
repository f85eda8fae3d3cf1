// What the generated messages read and write their fields with.

extension RawSpan {
  /// The little-endian value at `offset`.
  @inline(__always)
  func load<Value: PayloadScalar>(at offset: Int) -> Value {
    Value(
      payloadBits: Value.PayloadBits(
        littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Value.PayloadBits.self)))
  }

  /// The values of an array field that starts at `offset`.
  @inline(__always)
  func load<let length: Int, Element: PayloadScalar>(
    at offset: Int
  ) -> FixedArray<length, Element> {
    #if _endian(little)
      // The bytes in memory are those on the wire: one copy, also for a long text.
      unsafeLoadUnaligned(fromByteOffset: offset, as: FixedArray<length, Element>.self)
    #else
      FixedArray { load(at: offset + $0 * MemoryLayout<Element.PayloadBits>.size) }
    #endif
  }

  /// The characters of a text field that starts at `offset`.
  @inline(__always)
  func load<let length: Int>(at offset: Int) -> FixedText<length> {
    FixedText(bytes: load(at: offset))
  }
}

extension MutableRawSpan {
  /// Writes `value` as little-endian bytes at `offset`.
  @inline(__always)
  mutating func store<Value: PayloadScalar>(_ value: Value, at offset: Int) {
    storeBytes(
      of: value.payloadBits.littleEndian, toByteOffset: offset, as: Value.PayloadBits.self)
  }

  /// Writes the values of an array field that starts at `offset`.
  @inline(__always)
  mutating func store<let length: Int, Element: PayloadScalar>(
    _ values: FixedArray<length, Element>, at offset: Int
  ) {
    #if _endian(little)
      storeBytes(of: values, toByteOffset: offset, as: FixedArray<length, Element>.self)
    #else
      for index in 0..<length {
        store(values[index], at: offset + index * MemoryLayout<Element.PayloadBits>.size)
      }
    #endif
  }

  /// Writes the characters of a text field that starts at `offset`.
  @inline(__always)
  mutating func store<let length: Int>(_ text: FixedText<length>, at offset: Int) {
    store(text.bytes, at: offset)
  }
}
