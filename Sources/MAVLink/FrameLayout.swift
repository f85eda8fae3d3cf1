/// What the header of a frame says about the bytes that follow.
struct FrameLayout {
  var version: Frame.Version
  var payloadLength: Int
  var isSigned: Bool
  var messageID: UInt32

  /// Reads a header that is there as a whole.
  init(version: Frame.Version, header: UnsafeRawPointer) {
    func byte(_ offset: Int) -> UInt8 { header.load(fromByteOffset: offset, as: UInt8.self) }
    self.version = version
    payloadLength = Int(byte(1))
    switch version {
    case .one:
      isSigned = false
      messageID = UInt32(byte(5))
    case .two:
      isSigned = byte(2) & 1 != 0
      messageID = UInt32(byte(7)) | UInt32(byte(8)) << 8 | UInt32(byte(9)) << 16
    }
  }

  var checksumOffset: Int { version.headerLength &+ payloadLength }
  var length: Int { checksumOffset &+ 2 &+ (isSigned ? Frame.signatureLength : 0) }
}
