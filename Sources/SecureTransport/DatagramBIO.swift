import COpenSSL

/// One datagram in, datagrams out, boundaries kept, no socket: OpenSSL 3.0 has no such BIO.
///
/// Its owner keeps it alive until the connection that holds the BIO is freed.
@safe final class DatagramBIO {
  /// What the next read returns.
  var incoming: [UInt8]?
  private(set) var outgoing: [[UInt8]] = []
  private let maximumDatagramBytes: Int
  private let method: OpaquePointer

  /// Headers of IPv6 and UDP: OpenSSL takes them off the link's limit.
  static let linkOverheadBytes = 48

  init(maximumDatagramBytes: Int) throws(DTLSError) {
    self.maximumDatagramBytes = maximumDatagramBytes
    // The kind is looked at by searches in a chain only, and an own number for each would run out after 127.
    guard let method = unsafe BIO_meth_new(BIO_TYPE_SOURCE_SINK | 0x7F, "datagrams") else {
      throw .library(ErrorQueue.drainText())
    }
    unsafe BIO_meth_set_read(method, readDatagram)
    unsafe BIO_meth_set_write(method, writeDatagram)
    unsafe BIO_meth_set_ctrl(method, controlDatagrams)
    unsafe self.method = unsafe method
  }

  deinit { unsafe BIO_meth_free(method) }

  /// A BIO for one connection, which takes it over.
  func makeBIO() throws(DTLSError) -> OpaquePointer {
    guard let bio = unsafe BIO_new(method) else { throw .library(ErrorQueue.drainText()) }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    return unsafe bio
  }

  func takeOutgoing() -> [[UInt8]] {
    defer { outgoing.removeAll() }
    return outgoing
  }

  /// OpenSSL packs the records of a flight together and misjudges the sum now and then.
  fileprivate func write(_ records: [UInt8]) {
    outgoing += DTLSRecord.divide(records, maximumBytes: maximumDatagramBytes)
  }

  fileprivate static func of(_ bio: OpaquePointer?) -> DatagramBIO? {
    guard let data = unsafe BIO_get_data(bio) else { return nil }
    return unsafe Unmanaged<DatagramBIO>.fromOpaque(data).takeUnretainedValue()
  }
}

private func readDatagram(bio: OpaquePointer?, buffer: UnsafeMutablePointer<CChar>?, count: Int32) -> Int32 {
  unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
  guard let owner = unsafe DatagramBIO.of(bio), let datagram = owner.incoming, let buffer = unsafe buffer
  else {
    unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
    return -1
  }
  owner.incoming = nil
  // As a socket does: what does not fit is lost.
  let taken = min(datagram.count, Int(count))
  unsafe UnsafeMutableRawBufferPointer(start: buffer, count: taken).copyBytes(from: datagram.prefix(taken))
  return Int32(taken)
}

private func writeDatagram(bio: OpaquePointer?, bytes: UnsafePointer<CChar>?, count: Int32) -> Int32 {
  unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
  guard let owner = unsafe DatagramBIO.of(bio), let bytes = unsafe bytes, count > 0 else { return -1 }
  owner.write(unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
  return count
}

private func controlDatagrams(
  bio: OpaquePointer?, command: Int32, number: Int, argument: UnsafeMutableRawPointer?
) -> Int {
  switch command {
  case BIO_CTRL_FLUSH: 1
  case BIO_CTRL_DGRAM_GET_MTU_OVERHEAD: DatagramBIO.linkOverheadBytes
  default: 0
  }
}
