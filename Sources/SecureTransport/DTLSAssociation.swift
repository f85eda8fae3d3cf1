import COpenSSL

/// What all tries of an engine share: DTLS 1.2 with one cipher and one key.
@safe final class DTLSContext {
  /// A key of 32 bytes is the only proof of identity; the exchange of ephemeral keys gives forward secrecy.
  static let cipher = "ECDHE-PSK-CHACHA20-POLY1305"
  /// The key is already bound to one session: the name tells nothing.
  static let pskIdentity = "session"

  fileprivate let key: [UInt8]
  fileprivate let initialTimeoutMicroseconds: UInt32
  fileprivate let maximumTimeoutMicroseconds: UInt32
  fileprivate let handle: OpaquePointer

  init(key: [UInt8], timing: DTLSEngine.Timing) throws(DTLSError) {
    self.key = key
    initialTimeoutMicroseconds = UInt32(clamping: timing.firstRepeat.microseconds)
    maximumTimeoutMicroseconds = UInt32(clamping: timing.slowestRepeat.microseconds)
    ErrorQueue.clear()
    guard let handle = unsafe SSL_CTX_new(DTLS_method()) else { throw .library(ErrorQueue.drainText()) }
    unsafe self.handle = unsafe handle
    let version = Int(DTLS1_2_VERSION)
    guard unsafe SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, version, nil) == 1,
      unsafe SSL_CTX_ctrl(handle, SSL_CTRL_SET_MAX_PROTO_VERSION, version, nil) == 1,
      unsafe SSL_CTX_set_cipher_list(handle, DTLSContext.cipher) == 1
    else { throw .library(ErrorQueue.drainText()) }
    unsafe SSL_CTX_set_options(
      handle,
      copenssl_no_ticket() | copenssl_no_compression() | copenssl_no_renegotiation() | copenssl_no_query_mtu()
    )
    _ = unsafe SSL_CTX_ctrl(handle, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    unsafe SSL_CTX_set_psk_client_callback(handle, offerKey)
    unsafe SSL_CTX_set_psk_server_callback(handle, findKey)
  }

  deinit { unsafe SSL_CTX_free(handle) }

  fileprivate static func of(_ connection: OpaquePointer?) -> DTLSContext? {
    guard let data = unsafe SSL_get_ex_data(connection, 0) else { return nil }
    return unsafe Unmanaged<DTLSContext>.fromOpaque(data).takeUnretainedValue()
  }
}

/// One try of a handshake and, when it succeeds, the association.
@safe final class DTLSAssociation {
  enum State {
    case handshaking
    case established
    /// By the peer's authentic farewell.
    case closed
    /// OpenSSL refuses to go on.
    case failed
  }

  private(set) var state = State.handshaking
  /// Of the client's hello that this try answers.
  var clientRandom: [UInt8]?

  private let context: DTLSContext
  private let datagrams: DatagramBIO
  private let connection: OpaquePointer

  init(_ context: DTLSContext, role: DTLSEngine.Role, linkMTU: Int) throws(DTLSError) {
    self.context = context
    datagrams = try DatagramBIO(maximumDatagramBytes: linkMTU - DatagramBIO.linkOverheadBytes)
    ErrorQueue.clear()
    guard let connection = unsafe SSL_new(context.handle) else { throw .library(ErrorQueue.drainText()) }
    unsafe self.connection = unsafe connection
    let bio = unsafe try datagrams.makeBIO()
    unsafe SSL_set_bio(connection, bio, bio)
    unsafe SSL_set_ex_data(connection, 0, Unmanaged.passUnretained(context).toOpaque())
    unsafe DTLS_set_timer_cb(connection, nextRepeat)
    _ = unsafe SSL_ctrl(connection, DTLS_CTRL_SET_LINK_MTU, linkMTU, nil)
    switch role {
    case .client: unsafe SSL_set_connect_state(connection)
    case .server: unsafe SSL_set_accept_state(connection)
    }
  }

  // Frees the BIO too, while its owner still lives.
  deinit { unsafe SSL_free(connection) }

  /// Goes on with the handshake.
  func advance() {
    switch state {
    case .established, .closed, .failed: return
    case .handshaking: break
    }
    ErrorQueue.clear()
    let result = unsafe SSL_do_handshake(connection)
    if result == 1 {
      state = .established
    } else if unsafe SSL_get_error(connection, result) != SSL_ERROR_WANT_READ {
      state = .failed
    }
    ErrorQueue.clear()
  }

  /// Takes whole records; what comes of them is in the state, the result and `takeOutput()`.
  ///
  /// - Returns: what the peer's application sent, a payload for each of its datagrams.
  func receive(_ records: [UInt8]) -> [[UInt8]] {
    datagrams.incoming = records
    defer { datagrams.incoming = nil }
    advance()
    var payloads: [[UInt8]] = []
    guard case .established = state else { return payloads }
    var buffer = [UInt8](repeating: 0, count: DTLSEngine.maximumRecordBytes)
    while case .established = state {
      var count = 0
      ErrorQueue.clear()
      let result = unsafe SSL_read_ex(connection, &buffer, buffer.count, &count)
      if result == 1 {
        payloads.append(Array(buffer[..<count]))
        continue
      }
      switch unsafe SSL_get_error(connection, result) {
      case SSL_ERROR_ZERO_RETURN: state = .closed
      case SSL_ERROR_SSL: state = .failed
      // Nothing more to read; a fault of the system cannot come from this BIO.
      default:
        ErrorQueue.clear()
        return payloads
      }
    }
    ErrorQueue.clear()
    return payloads
  }

  func send(_ plaintext: [UInt8]) throws(DTLSError) -> [UInt8] {
    ErrorQueue.clear()
    var written = 0
    let result = unsafe SSL_write_ex(connection, plaintext, plaintext.count, &written)
    guard result == 1, written == plaintext.count, let datagram = datagrams.takeOutgoing().last else {
      throw .library(ErrorQueue.drainText())
    }
    return datagram
  }

  func close() -> [[UInt8]] {
    guard case .established = state else { return [] }
    ErrorQueue.clear()
    _ = unsafe SSL_shutdown(connection)
    ErrorQueue.clear()
    return takeOutput()
  }

  func takeOutput() -> [[UInt8]] { datagrams.takeOutgoing() }

  /// When to repeat the last flight; nil when none is waiting for an answer.
  func nextTimeout() -> Duration? {
    guard case .handshaking = state else { return nil }
    var left = timeval()
    guard unsafe SSL_ctrl(connection, DTLS_CTRL_GET_TIMEOUT, 0, &left) == 1 else { return nil }
    return .seconds(Int64(left.tv_sec)) + .microseconds(Int64(left.tv_usec))
  }

  func handleTimeout() {
    guard case .handshaking = state else { return }
    ErrorQueue.clear()
    // Repeats if it is time and gives up after twelve repeats of one flight.
    if unsafe SSL_ctrl(connection, DTLS_CTRL_HANDLE_TIMEOUT, 0, nil) < 0 { state = .failed }
    ErrorQueue.clear()
  }
}

extension Duration {
  fileprivate var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}

/// The default of one second, doubled, leaves a handshake unfinished for many seconds on a lossy radio link.
private func nextRepeat(connection: OpaquePointer?, previousMicroseconds: UInt32) -> UInt32 {
  guard let context = unsafe DTLSContext.of(connection) else { return 1_000_000 }
  guard previousMicroseconds > 0 else { return context.initialTimeoutMicroseconds }
  return min(previousMicroseconds * 2, context.maximumTimeoutMicroseconds)
}

private func offerKey(
  connection: OpaquePointer?, hint: UnsafePointer<CChar>?, identity: UnsafeMutablePointer<CChar>?,
  identityLimit: UInt32, key: UnsafeMutablePointer<UInt8>?, keyLimit: UInt32
) -> UInt32 {
  let name = Array(DTLSContext.pskIdentity.utf8) + [0]
  guard let identity = unsafe identity, name.count <= Int(identityLimit) else { return 0 }
  unsafe UnsafeMutableRawBufferPointer(start: identity, count: name.count).copyBytes(from: name)
  return unsafe copyKey(of: connection, to: key, limit: keyLimit)
}

/// Any name will do: there is one key, and the wrong one never finishes.
private func findKey(
  connection: OpaquePointer?, identity: UnsafePointer<CChar>?, key: UnsafeMutablePointer<UInt8>?,
  keyLimit: UInt32
) -> UInt32 {
  unsafe copyKey(of: connection, to: key, limit: keyLimit)
}

private func copyKey(of connection: OpaquePointer?, to buffer: UnsafeMutablePointer<UInt8>?, limit: UInt32)
  -> UInt32
{
  guard let context = unsafe DTLSContext.of(connection), let buffer = unsafe buffer,
    context.key.count <= Int(limit)
  else { return 0 }
  unsafe UnsafeMutableRawBufferPointer(start: buffer, count: context.key.count).copyBytes(from: context.key)
  return UInt32(context.key.count)
}
