import COpenSSL
public import PeerProtocol

/// One secure connection without a socket: bytes from the network go in, bytes for the network come out.
///
/// TLS 1.3 only, both sides prove an identity, nothing is resumed. A client is finished before the server has judged the
/// client's certificate: a refusal arrives later, as an alert. So "finished" means that this side is content;
/// only the application's own acceptance says that the other side is.
@safe public final class TLSEngine {
  public enum Role: Sendable {
    case client
    case server
  }

  /// What came of bytes from the network.
  public struct Received: Equatable, Sendable {
    /// What the peer's application wrote; never more than arrived, plus one record that was waiting for its end.
    public var plaintext: [UInt8] = []
    /// Send this to the peer.
    public var output: [UInt8] = []
    /// The handshake ended with these bytes; true once.
    public var handshakeFinished = false
    /// The peer said that it sends no more.
    public var closed = false
    /// What ended the connection after the above, which arrived intact; `receive` throws it from now on.
    public var failure: TLSError?
  }

  private enum State {
    case handshaking
    case established
    case closed
    case failed(TLSError)
    /// Another object runs the connection on its socket; the memory BIOs are gone.
    case handedOver
  }

  /// The most that one TLS record can hold (RFC 8446, section 5.1).
  private static let maximumRecordBytes = 16_384

  // The context and the verification are used by the connection; the engine keeps them alive.
  private let identity: Identity
  private let verification: Verification
  private let connection: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private var state = State.handshaking

  /// Whether the peer ended its stream itself. An end of the network connection without this may have cut off data.
  public private(set) var wasClosedCleanly = false

  public init(identity: Identity, role: Role, policy: PeerPolicy) throws(TLSError) {
    self.identity = identity
    verification = Verification(policy: policy)
    ErrorQueue.clear()
    guard let connection = unsafe SSL_new(identity.context) else {
      throw .library(ErrorQueue.drainText())
    }
    guard let input = unsafe BIO_new(BIO_s_mem()), let output = unsafe BIO_new(BIO_s_mem()) else {
      unsafe SSL_free(connection)
      throw .library(ErrorQueue.drainText())
    }
    unsafe SSL_set_bio(connection, input, output)
    unsafe SSL_set_ex_data(connection, 0, Unmanaged.passUnretained(verification).toOpaque())
    switch role {
    case .client: unsafe SSL_set_connect_state(connection)
    case .server: unsafe SSL_set_accept_state(connection)
    }
    unsafe self.connection = unsafe connection
    unsafe self.input = unsafe input
    unsafe self.output = unsafe output
  }

  // Frees both memory BIOs too.
  deinit { unsafe SSL_free(connection) }

  /// Who the peer is; known from the end of the handshake on, because only then it has proven to hold the key.
  public private(set) var peerID: PeerID?

  /// The first bytes for the peer; empty for a server, which waits for the client's.
  public func start() throws(TLSError) -> [UInt8] {
    _ = try advanceHandshake()
    return takeOutput()
  }

  /// Takes bytes from the network, in any portions.
  ///
  /// - Throws: the reason why the connection cannot go on, again at every later call. `takeOutput()` then has the alert that
  ///   tells the peer.
  public func receive(_ ciphertext: [UInt8]) throws(TLSError) -> Received {
    var received = Received()
    switch state {
    case .failed(let error): throw error
    case .handedOver: throw .closed
    case .handshaking, .established, .closed: break
    }
    guard !ciphertext.isEmpty, !wasClosedCleanly else {
      received.closed = wasClosedCleanly
      return received
    }
    ErrorQueue.clear()
    let taken = unsafe BIO_write(input, ciphertext, Int32(clamping: ciphertext.count))
    guard Int(taken) == ciphertext.count else { throw fail(.library("out of memory")) }
    if case .handshaking = state {
      received.handshakeFinished = try advanceHandshake()
      if !received.handshakeFinished {
        received.output = takeOutput()
        return received
      }
    }
    let error = readPlaintext(into: &received.plaintext)
    if let error, received.plaintext.isEmpty, !received.handshakeFinished { throw error }
    received.failure = error
    received.closed = wasClosedCleanly
    received.output = takeOutput()
    return received
  }

  /// Encrypts application data; the result goes to the peer whole and in order.
  public func send(_ plaintext: [UInt8]) throws(TLSError) -> [UInt8] {
    switch state {
    case .handshaking: throw .notEstablished
    case .closed, .handedOver: throw .closed
    case .failed(let error): throw error
    case .established: break
    }
    guard !plaintext.isEmpty else { return [] }
    ErrorQueue.clear()
    var written = 0
    let result = unsafe SSL_write_ex(connection, plaintext, plaintext.count, &written)
    guard result == 1, written == plaintext.count else { throw failure(result) }
    return takeOutput()
  }

  /// A secret that only the two ends of this connection can compute (RFC 8446, section 7.5).
  ///
  /// - Parameter context: always given, also when empty, so that the value does not depend on the TLS version's rule for
  ///   an absent one.
  public func export(label: String, context: [UInt8], length: Int) throws(TLSError) -> [UInt8] {
    switch state {
    case .handshaking: throw .notEstablished
    case .closed, .handedOver: throw .closed
    case .failed(let error): throw error
    case .established: break
    }
    ErrorQueue.clear()
    var secret = [UInt8](repeating: 0, count: length)
    let result = unsafe SSL_export_keying_material(
      connection, &secret, length, label, label.utf8.count, context, context.count, 1)
    guard result == 1 else { throw .library(ErrorQueue.drainText()) }
    return secret
  }

  /// Ends this side's stream.
  ///
  /// - Returns: the farewell for the peer; empty when there is nobody to tell. Later calls of `send` throw.
  public func close() -> [UInt8] {
    switch state {
    case .closed, .failed, .handedOver: return takeOutput()
    case .handshaking:
      state = .failed(.closed)
      return takeOutput()
    case .established: break
    }
    ErrorQueue.clear()
    _ = unsafe SSL_shutdown(connection)
    ErrorQueue.clear()
    state = .closed
    return takeOutput()
  }

  /// What waits to be sent: after an error the alert for the peer, else nothing, because every call hands out its own.
  public func takeOutput() -> [UInt8] {
    if case .handedOver = state { return [] }
    return unsafe bytes(in: output)
  }

  /// Lets another object run the established connection on the socket itself; this one is of no use afterwards.
  ///
  /// - Returns: nil when bytes wait in either direction, or the handshake is not finished.
  func handOver(to descriptor: Int32) -> OpaquePointer? {
    guard case .established = state, !wasClosedCleanly,
      unsafe BIO_ctrl_pending(input) == 0, unsafe BIO_ctrl_pending(output) == 0,
      unsafe SSL_has_pending(connection) == 0,
      unsafe SSL_up_ref(connection) == 1
    else { return nil }
    ErrorQueue.clear()
    // Frees the memory BIOs.
    guard unsafe SSL_set_fd(connection, descriptor) == 1 else {
      unsafe SSL_free(connection)
      return nil
    }
    // The peer is verified; nothing may reach for what dies with this object.
    unsafe SSL_set_ex_data(connection, 0, nil)
    state = .handedOver
    return unsafe connection
  }

  /// - Returns: whether the handshake is finished.
  private func advanceHandshake() throws(TLSError) -> Bool {
    switch state {
    case .established, .closed, .handedOver: return false
    case .failed(let error): throw error
    case .handshaking: break
    }
    ErrorQueue.clear()
    let result = unsafe SSL_do_handshake(connection)
    if result == 1 {
      state = .established
      peerID = verification.peerID
      return true
    }
    if unsafe SSL_get_error(connection, result) == SSL_ERROR_WANT_READ {
      ErrorQueue.clear()
      return false
    }
    throw failure(result)
  }

  /// Decrypts all that is complete.
  ///
  /// - Returns: what stopped it, if not the end of the bytes. What was decrypted before counts: a stop must not be lost because
  ///   the connection broke right after it.
  private func readPlaintext(into plaintext: inout [UInt8]) -> TLSError? {
    var chunk = [UInt8](repeating: 0, count: TLSEngine.maximumRecordBytes)
    while true {
      var count = 0
      ErrorQueue.clear()
      let result = unsafe SSL_read_ex(connection, &chunk, chunk.count, &count)
      if result == 1 {
        plaintext.append(contentsOf: chunk[..<count])
        continue
      }
      switch unsafe SSL_get_error(connection, result) {
      case SSL_ERROR_WANT_READ:
        ErrorQueue.clear()
        return nil
      case SSL_ERROR_ZERO_RETURN:
        wasClosedCleanly = true
        return nil
      default: return failure(result)
      }
    }
  }

  private func fail(_ error: TLSError) -> TLSError {
    state = .failed(error)
    return error
  }

  /// Turns OpenSSL's reasons into ours and ends the connection.
  private func failure(_ result: Int32) -> TLSError {
    let entries = ErrorQueue.drain()
    if let refusal = verification.refusal { return fail(refusal) }
    guard let cause = entries.first(where: \.isFromTLS) ?? entries.first else {
      return fail(.protocolViolation("the connection ended within a message"))
    }
    guard cause.isFromTLS else { return fail(.protocolViolation(cause.text)) }
    switch cause.reasonCode {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return fail(.noCertificate)
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return fail(.unsupportedVersion)
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
      return fail(isHandshaking ? .notTLS : .protocolViolation(cause.text))
    case let code where code > SSL_AD_REASON_OFFSET && code < SSL_AD_REASON_OFFSET + 256:
      let text = unsafe SSL_alert_desc_string_long(code - SSL_AD_REASON_OFFSET).map {
        unsafe String(cString: $0)
      }
      return fail(.alert(text ?? "\(code - SSL_AD_REASON_OFFSET)"))
    default: return fail(.protocolViolation(cause.text))
    }
  }

  private var isHandshaking: Bool {
    switch state {
    case .handshaking: true
    case .established, .closed, .failed, .handedOver: false
    }
  }
}
