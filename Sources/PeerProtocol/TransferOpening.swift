/// The first frame of a bulk connection, and its answer: which transfer it is for, and the proof that it belongs to the session.
public struct TransferOpening: Equatable, Sendable {
  /// Types of the frames BULK_OPEN and BULK_OK.
  public static let openType: UInt8 = 16
  public static let okType: UInt8 = 17
  static let sessionIDBytes = 16
  static let tokenBytes = 32

  public let sessionID: [UInt8]
  public let id: TransferID
  public let token: [UInt8]

  public init(sessionID: [UInt8], id: TransferID, token: [UInt8]) {
    self.sessionID = sessionID
    self.id = id
    self.token = token
  }

  /// What the session's secret signs for a transfer: the token is the HMAC-SHA256 of it.
  public static func tokenText(of id: TransferID) -> [UInt8] { Array("transfer".utf8) + id.bytes }

  public var frame: ControlFrame {
    .purpose(type: TransferOpening.openType, payload: (sessionID + id.bytes + token)[...])
  }

  public static let ok = ControlFrame.purpose(type: okType, payload: [])

  /// - Returns: nil when the frame is no BULK_OPEN of the right length.
  public init?(_ frame: ControlFrame) {
    guard case .purpose(TransferOpening.openType, let payload) = frame else { return nil }
    var reader = ByteReader(payload)
    guard let sessionID = reader.slice(TransferOpening.sessionIDBytes),
      let id = reader.integer(UInt32.self), let token = reader.slice(TransferOpening.tokenBytes),
      reader.remainingCount == 0
    else { return nil }
    self.init(sessionID: Array(sessionID), id: TransferID(rawValue: id), token: Array(token))
  }
}
