/// A number or constant that lies in a payload as little-endian bytes.
public protocol PayloadScalar: Sendable, Equatable, BitwiseCopyable {
  associatedtype PayloadBits: FixedWidthInteger & BitwiseCopyable & Sendable

  init(payloadBits: PayloadBits)
  var payloadBits: PayloadBits { get }
}

extension PayloadScalar where PayloadBits == Self {
  @inlinable public init(payloadBits: Self) { self = payloadBits }
  @inlinable public var payloadBits: Self { self }
}

extension UInt8: PayloadScalar { public typealias PayloadBits = UInt8 }
extension Int8: PayloadScalar { public typealias PayloadBits = Int8 }
extension UInt16: PayloadScalar { public typealias PayloadBits = UInt16 }
extension Int16: PayloadScalar { public typealias PayloadBits = Int16 }
extension UInt32: PayloadScalar { public typealias PayloadBits = UInt32 }
extension Int32: PayloadScalar { public typealias PayloadBits = Int32 }
extension UInt64: PayloadScalar { public typealias PayloadBits = UInt64 }
extension Int64: PayloadScalar { public typealias PayloadBits = Int64 }

// By bit pattern, so that every NaN survives.
extension Float: PayloadScalar {
  @inlinable public init(payloadBits: UInt32) { self.init(bitPattern: payloadBits) }
  @inlinable public var payloadBits: UInt32 { bitPattern }
}

/// A set of named values of the dialect. A structure rather than an enumeration, because a newer
/// peer may send values that this dialect does not name yet, and they must survive.
public protocol PayloadConstant: PayloadScalar, RawRepresentable, Hashable
where RawValue == PayloadBits {
  init(rawValue: RawValue)
}

extension PayloadConstant {
  @inlinable public init(payloadBits: RawValue) { self.init(rawValue: payloadBits) }
  @inlinable public var payloadBits: RawValue { rawValue }
}
