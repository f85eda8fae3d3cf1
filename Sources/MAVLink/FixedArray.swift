/// An array field of a message: its length belongs to the type, its values lie in place.
public struct FixedArray<let length: Int, Element: PayloadScalar>: Sendable, BitwiseCopyable {
  @usableFromInline var storage: InlineArray<length, Element>

  /// An array whose values are made one after the other from their index.
  @inlinable
  public init(_ makeElement: (Int) -> Element) {
    storage = InlineArray(makeElement)
  }

  /// An array with the same value everywhere.
  @inlinable
  public init(repeating value: Element) {
    storage = InlineArray(repeating: value)
  }

  /// The first values of `elements`, and `padding` for those that are missing.
  @inlinable
  public init(_ elements: some Sequence<Element>, padding: Element) {
    var iterator = elements.makeIterator()
    storage = InlineArray { _ in iterator.next() ?? padding }
  }

  /// Number of values.
  @inlinable public var count: Int { length }

  @inlinable
  public subscript(index: Int) -> Element {
    get { storage[index] }
    set { storage[index] = newValue }
  }

  /// The values in an array of the standard library.
  @inlinable public var elements: [Element] { (0..<length).map { storage[$0] } }
}

extension FixedArray: Equatable {
  @inlinable
  public static func == (left: FixedArray, right: FixedArray) -> Bool {
    for index in 0..<length where left[index] != right[index] { return false }
    return true
  }
}

extension FixedArray where Element.PayloadBits == Element {
  /// Zero everywhere.
  @inlinable public init() { self.init(repeating: 0) }
}

extension FixedArray where Element == Float {
  /// Zero everywhere.
  @inlinable public init() { self.init(repeating: 0) }
}
