public import MAVLink

/// Reads a few parameters of the autopilot by name, as a value.
///
/// One request at a time is on its way: a slow line carries a whole list for half a minute, a name in a tenth of a second. An autopilot
/// does not answer for a name that it does not have, so a name is given up after some requests.
public struct ParameterReading: Sendable {
  /// A parameter's value comes over a 57600 baud line with full telemetry well within this.
  private static let patience: Duration = .milliseconds(500)
  private static let maximumRequests = 3

  private let address: AutopilotAddress
  private let firmware: Firmware
  private var missing: [String]
  private var requests = 0
  private var lastRequest: ContinuousClock.Instant?

  /// What was read so far.
  public private(set) var values: [String: Double] = [:]

  public init(_ names: [String], of firmware: Firmware, at address: AutopilotAddress) {
    missing = names
    self.firmware = firmware
    self.address = address
  }

  /// Nothing is left to ask for.
  public var isComplete: Bool { missing.isEmpty }

  /// The request that is due now, nil while an answer may still come.
  public mutating func request(at now: ContinuousClock.Instant) -> ParamRequestRead? {
    if let lastRequest, lastRequest.duration(to: now) < ParameterReading.patience { return nil }
    if requests == ParameterReading.maximumRequests {
      missing.removeFirst()
      requests = 0
    }
    guard let name = missing.first else { return nil }
    requests += 1
    lastRequest = now
    return ParamRequestRead(
      targetSystem: address.systemID, targetComponent: address.componentID, paramId: FixedText(name),
      paramIndex: -1)
  }

  /// Takes a frame from the line; others may ask for parameters as well.
  public mutating func received(_ frame: Frame) {
    guard frame.systemID == address.systemID, frame.componentID == address.componentID,
      let message = frame.decode(ParamValue.self)
    else { return }
    let name = message.paramId.text
    guard let index = missing.firstIndex(of: name) else { return }
    let value = ParameterReading.value(message, of: firmware)
    guard value.isFinite else { return }
    missing.remove(at: index)
    values[name] = value
    if index == 0 {
      requests = 0
      lastRequest = nil
    }
  }

  /// PX4 puts the bytes of an integer into the field, ArduPilot its value (MAVLink parameter protocol, "Parameter encoding").
  static func value(_ message: ParamValue, of firmware: Firmware) -> Double {
    guard firmware == .px4 else { return Double(message.paramValue) }
    let bits = message.paramValue.bitPattern
    return switch message.paramType {
    case .int8: Double(Int8(truncatingIfNeeded: bits))
    case .uint8: Double(UInt8(truncatingIfNeeded: bits))
    case .int16: Double(Int16(truncatingIfNeeded: bits))
    case .uint16: Double(UInt16(truncatingIfNeeded: bits))
    case .int32: Double(Int32(bitPattern: bits))
    case .uint32: Double(bits)
    default: Double(message.paramValue)
    }
  }
}
