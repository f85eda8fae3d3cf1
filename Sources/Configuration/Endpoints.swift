/// Where the flight controller is.
public enum SerialEndpoint: Equatable, Sendable, CustomStringConvertible {
  case device(path: String, baud: Int)
  case tcp(host: String, port: UInt16)
  case udp(host: String, port: UInt16)

  /// ArduPilot's default on telemetry ports (SERIAL1_BAUD 57).
  public static let defaultBaud = 57600

  public var description: String {
    switch self {
    case .device(let path, let baud): "\(path):\(baud)"
    case .tcp(let host, let port): "tcp://\(HostAndPort(host: host, port: port))"
    case .udp(let host, let port): "udp://\(HostAndPort(host: host, port: port))"
    }
  }

  init(parsing text: String) throws(InvalidValue) {
    let shown = printable(text)
    let (scheme, rest) = splitScheme(text)
    switch scheme {
    case "tcp":
      let address = try HostAndPort(parsing: rest)
      self = .tcp(host: address.host, port: address.port)
    case "udp":
      let address = try HostAndPort(parsing: rest)
      self = .udp(host: address.host, port: address.port)
    case nil, "serial":
      var path = rest
      var baud = SerialEndpoint.defaultBaud
      // Names below /dev/serial/by-path contain colons: only digits after the last one are a rate.
      if let colon = rest.lastIndex(of: ":") {
        let digits = rest[rest.index(after: colon)...]
        if !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
          guard let number = Int(digits), (300...4_000_000).contains(number) else {
            throw InvalidValue("'\(shown)': \(digits) is not a baud rate (300 to 4000000)")
          }
          baud = number
          path = String(rest[..<colon])
        }
      }
      path = try ValueType.path("PATH").parse(path)
      guard path.contains("/") else {
        throw InvalidValue(
          "'\(shown)' is not a device path (it has no '/'); a network address is tcp://HOST:PORT")
      }
      self = .device(path: path, baud: baud)
    case let other?: throw InvalidValue("'\(shown)': unknown scheme '\(other)'")
    }
  }
}

/// Degrees on WGS 84, in range.
public struct LatitudeLongitude: Equatable, Sendable, CustomStringConvertible {
  public var latitudeDegrees: Double
  public var longitudeDegrees: Double

  public init(latitudeDegrees: Double, longitudeDegrees: Double) {
    self.latitudeDegrees = latitudeDegrees
    self.longitudeDegrees = longitudeDegrees
  }

  public var description: String { "\(latitudeDegrees),\(longitudeDegrees)" }
}

/// Where the operator is.
public enum PositionEndpoint: Equatable, Sendable, CustomStringConvertible {
  case gpsd(host: String, port: UInt16)
  case fixed(LatitudeLongitude)

  /// Assigned by IANA to gpsd.
  public static let defaultGPSDPort: UInt16 = 2947

  public var description: String {
    switch self {
    case .gpsd(let host, let port): "gpsd://\(HostAndPort(host: host, port: port))"
    case .fixed(let coordinate): coordinate.description
    }
  }
}

/// A start position for a simulated vehicle.
public struct HomePosition: Equatable, Sendable, CustomStringConvertible {
  public var coordinate: LatitudeLongitude
  public var altitudeMSLMeters: Double

  public init(coordinate: LatitudeLongitude, altitudeMSLMeters: Double) {
    self.coordinate = coordinate
    self.altitudeMSLMeters = altitudeMSLMeters
  }

  public var description: String { "\(coordinate),\(decimalText(altitudeMSLMeters))" }
}

/// The scheme of `scheme://rest`, or nil and the whole text.
private func splitScheme(_ text: String) -> (scheme: String?, rest: String) {
  guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), colon > text.startIndex,
    text[..<colon].utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) })
  else { return (nil, text) }
  return (text[..<colon].lowercased(), String(text[text.index(colon, offsetBy: 3)...]))
}

/// Numbers separated by commas, as many as named.
private func numbers(_ text: String, _ names: [String]) throws(InvalidValue) -> [Double] {
  let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
  guard parts.count == names.count else {
    throw InvalidValue("'\(printable(text))' is not \(names.joined(separator: ","))")
  }
  var values: [Double] = []
  for (part, name) in zip(parts, names) {
    guard let value = decimalNumber(part) else {
      throw InvalidValue("\(name) '\(printable(part))' is not a number")
    }
    values.append(value)
  }
  return values
}

private func coordinate(_ latitude: Double, _ longitude: Double) throws(InvalidValue) -> LatitudeLongitude {
  guard (-90...90).contains(latitude) else {
    throw InvalidValue("latitude \(latitude) is not between -90 and 90 degrees")
  }
  guard (-180...180).contains(longitude) else {
    throw InvalidValue("longitude \(longitude) is not between -180 and 180 degrees")
  }
  // What a receiver without fix and an unset variable say; nobody flies in the Gulf of Guinea by intent.
  guard latitude != 0 || longitude != 0 else {
    throw InvalidValue("0,0 is not accepted: it stands for no position")
  }
  return LatitudeLongitude(latitudeDegrees: latitude, longitudeDegrees: longitude)
}

extension ValueType where Value == SerialEndpoint {
  public static let serialEndpoint = ValueType(
    name: "PATH[:BAUD]", validValues: "PATH[:BAUD], serial://PATH[:BAUD], tcp://HOST:PORT or udp://HOST:PORT",
    parse: { (text) throws(InvalidValue) in try SerialEndpoint(parsing: text) },
    text: \.description)
}

extension ValueType where Value == LatitudeLongitude {
  public static let coordinate = ValueType(
    name: "LAT,LON", validValues: "LAT,LON in decimal degrees, such as 52.5163,13.3777",
    parse: { (text) throws(InvalidValue) in
      let values = try numbers(text, ["LAT", "LON"])
      return try Configuration.coordinate(values[0], values[1])
    },
    text: \.description)
}

extension ValueType where Value == HomePosition {
  public static let home = ValueType(
    name: "LAT,LON,ALT", validValues: "LAT,LON,ALT in decimal degrees and metres above sea level",
    parse: { (text) throws(InvalidValue) in
      let values = try numbers(text, ["LAT", "LON", "ALT"])
      guard (-500...9000).contains(values[2]) else {
        throw InvalidValue("ALT \(decimalText(values[2])) is not between -500 and 9000 m")
      }
      return HomePosition(
        coordinate: try Configuration.coordinate(values[0], values[1]), altitudeMSLMeters: values[2])
    },
    text: \.description)
}

extension ValueType where Value == PositionEndpoint {
  public static let positionEndpoint = ValueType(
    name: "SOURCE", validValues: "gpsd://HOST:PORT, or LAT,LON in decimal degrees such as 52.5163,13.3777",
    parse: { (text) throws(InvalidValue) in
      let (scheme, rest) = splitScheme(text)
      switch scheme {
      case "gpsd":
        let address =
          rest.isEmpty
          ? HostAndPort(host: "localhost", port: PositionEndpoint.defaultGPSDPort)
          : try HostAndPort(parsing: rest, defaultPort: PositionEndpoint.defaultGPSDPort)
        return .gpsd(host: address.host, port: address.port)
      case nil: return .fixed(try ValueType<LatitudeLongitude>.coordinate.parse(text))
      case let other?: throw InvalidValue("'\(printable(text))': unknown scheme '\(other)'")
      }
    },
    text: \.description)
}
