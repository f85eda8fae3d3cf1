import COpenSSL
import PeerProtocol

/// The arithmetic of P-256 that SPAKE2 needs, by OpenSSL, with scalars and points as bytes.
@safe final class Curve {
  private static let scalarBytes = 32
  private let group: OpaquePointer
  private let context: OpaquePointer

  init() throws(TLSError) {
    ErrorQueue.clear()
    guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
      throw .library(ErrorQueue.drainText())
    }
    guard let context = unsafe BN_CTX_secure_new() else {
      unsafe EC_GROUP_free(group)
      throw .library(ErrorQueue.drainText())
    }
    unsafe self.group = unsafe group
    unsafe self.context = unsafe context
  }

  deinit {
    unsafe EC_GROUP_free(group)
    unsafe BN_CTX_free(context)
  }

  /// A number modulo the order of the group.
  func reduced(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
    try unsafe scalar { number in
      unsafe BN_bin2bn(bytes, Int32(bytes.count), number) != nil
        && BN_nnmod(number, number, EC_GROUP_get0_order(group), context) == 1
    }
  }

  func randomScalar() throws(TLSError) -> [UInt8] {
    try unsafe scalar { number in unsafe BN_priv_rand_range(number, EC_GROUP_get0_order(group)) == 1 }
  }

  /// `scalar` times the generator plus `password` times `mask`.
  func share(scalar: [UInt8], password: [UInt8], mask: [UInt8]) throws(TLSError) -> [UInt8] {
    ErrorQueue.clear()
    guard let maskPoint = point(mask), let generator = multiplied(nil, by: scalar),
      let masked = multiplied(maskPoint, by: password),
      unsafe EC_POINT_add(group, generator.pointer, generator.pointer, masked.pointer, context) == 1,
      let bytes = encoded(generator)
    else { throw .library(ErrorQueue.drainText()) }
    return bytes
  }

  /// `scalar` times (`peerShare` minus `password` times `mask`); nil when the share is no point of the curve, or the result is
  /// the neutral element.
  func secret(peerShare: [UInt8], scalar: [UInt8], password: [UInt8], mask: [UInt8]) -> [UInt8]? {
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    guard peerShare.first == 4, let peer = point(peerShare), let maskPoint = point(mask),
      let masked = multiplied(maskPoint, by: password),
      unsafe EC_POINT_invert(group, masked.pointer, context) == 1,
      unsafe EC_POINT_add(group, peer.pointer, peer.pointer, masked.pointer, context) == 1,
      let product = multiplied(peer, by: scalar),
      unsafe EC_POINT_is_at_infinity(group, product.pointer) == 0
    else { return nil }
    return encoded(product)
  }

  /// Owns a point.
  @safe private final class Point {
    let pointer: OpaquePointer
    init?(_ group: OpaquePointer) {
      guard let pointer = unsafe EC_POINT_new(group) else { return nil }
      unsafe self.pointer = unsafe pointer
    }
    deinit { unsafe EC_POINT_clear_free(pointer) }
  }

  /// Decodes a point; OpenSSL checks that it lies on the curve, whose cofactor is 1.
  private func point(_ bytes: [UInt8]) -> Point? {
    guard let point = unsafe Point(group),
      unsafe EC_POINT_oct2point(group, point.pointer, bytes, bytes.count, context) == 1
    else { return nil }
    return point
  }

  /// The point, or the generator when nil, times a scalar. One product a call: only that way OpenSSL takes the same time
  /// for every scalar.
  private func multiplied(_ point: Point?, by scalar: [UInt8]) -> Point? {
    guard let result = unsafe Point(group), let number = unsafe BN_bin2bn(scalar, Int32(scalar.count), nil)
    else { return nil }
    defer { unsafe BN_clear_free(number) }
    unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    let succeeded =
      if let point {
        unsafe EC_POINT_mul(group, result.pointer, nil, point.pointer, number, context)
      } else {
        unsafe EC_POINT_mul(group, result.pointer, number, nil, nil, context)
      }
    return succeeded == 1 ? result : nil
  }

  private func encoded(_ point: Point) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: PairingFrame.shareBytes)
    let count = unsafe EC_POINT_point2oct(
      group, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, context)
    return count == bytes.count ? bytes : nil
  }

  private func scalar(_ body: (OpaquePointer) -> Bool) throws(TLSError) -> [UInt8] {
    ErrorQueue.clear()
    guard let number = unsafe BN_secure_new() else { throw .library(ErrorQueue.drainText()) }
    defer { unsafe BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: Curve.scalarBytes)
    guard unsafe body(number), unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count)) == bytes.count else {
      throw .library(ErrorQueue.drainText())
    }
    return bytes
  }
}
