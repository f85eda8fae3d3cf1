/// What a frame carries, as far as the link treats it differently.
public enum PacketKind: String, CaseIterable, Sendable {
  /// UDP to one host. Multicast, such as DNS-SD, is `other`: firewalls that block the one let the other pass.
  case udp
  case tcp
  /// ARP and its IPv6 counterpart.
  case neighbour
  case other

  /// - Parameter frame: an Ethernet frame.
  public init(frame: UnsafeRawBufferPointer) {
    guard frame.count >= 34 else {
      self = .other
      return
    }
    // The lowest bit of the first byte marks a group of receivers (IEEE 802.3, 3.2.3).
    let isMulticast = frame[0] & 1 != 0
    switch (frame[12], frame[13]) {
    case (0x08, 0x06): self = .neighbour
    case (0x08, 0x00): self = .init(protocolNumber: frame[23], isMulticast: isMulticast)
    // A packet with extension headers is `other`.
    case (0x86, 0xDD):
      let isNeighbourDiscovery =
        frame.count >= 55 && frame[20] == 58 && (133...137).contains(frame[54])
      self = isNeighbourDiscovery ? .neighbour : .init(protocolNumber: frame[20], isMulticast: isMulticast)
    default: self = .other
    }
  }

  /// Whether the packet is marked as lower effort (RFC 8622) or, as that was marked before, as class 1.
  public static func isLowerEffort(frame: UnsafeRawBufferPointer) -> Bool {
    guard frame.count >= 34 else { return false }
    let differentiatedServices: UInt8
    switch (frame[12], frame[13]) {
    case (0x08, 0x00): differentiatedServices = frame[15] >> 2
    case (0x86, 0xDD): differentiatedServices = (frame[14] & 0xF) << 2 | frame[15] >> 6
    default: return false
    }
    return differentiatedServices == 1 || differentiatedServices == 8
  }

  private init(protocolNumber: UInt8, isMulticast: Bool) {
    switch protocolNumber {
    case 17 where !isMulticast: self = .udp
    case 6: self = .tcp
    default: self = .other
    }
  }
}
