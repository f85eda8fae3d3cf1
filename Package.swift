// swift-tools-version:6.2
import PackageDescription

// Order: C libraries, pure modules, runtime, adapters, composed modules, programs, tools, tests.
// HANDBOOK.md says which module a line of code belongs to.

let common: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let adapter: [SwiftSetting] = common + [.strictMemorySafety()]

func c(_ name: String, _ packages: [String] = []) -> Target {
  .systemLibrary(name: name, providers: packages.isEmpty ? nil : [.apt(packages)])
}

func module(_ name: String, _ dependencies: [String] = [], _ settings: [SwiftSetting] = common)
  -> Target
{
  .target(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) },
    swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [String]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: common)
}

func example(_ name: String) -> Target {
  .executableTarget(
    name: "example-\(name)", dependencies: ["PeerConnectivity"], path: "Examples/\(name)",
    swiftSettings: common)
}

func tests(_ name: String, _ dependencies: [String], resources: [Resource] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, resources: resources,
    swiftSettings: common)
}

let package = Package(
  name: "drone-control",
  products: [
    .library(name: "KeyedArchive", targets: ["KeyedArchive"]),
    .library(name: "MAVLink", targets: ["MAVLink"]),
    .library(name: "PeerConnectivity", targets: ["PeerConnectivity"]),
    .executable(name: "drone-client", targets: ["drone-client"]),
    .executable(name: "drone-navigator", targets: ["drone-navigator"]),
    .executable(name: "drone-simulator", targets: ["drone-simulator"]),
    .executable(name: "nearby", targets: ["nearby"]),
  ],
  targets: [
    // C libraries: a module map and a header, nothing else.
    c("CLinux"),
    c("CAvahi", ["libavahi-client-dev"]),
    c("CGPS", ["libgps-dev"]),
    c("COpenSSL", ["libssl-dev"]),
    c("CSerialPort", ["libserialport-dev"]),
    c("CSystemd", ["libsystemd-dev"]),

    // Pure: no I/O, no clock, no tasks.
    module("Geodesy"),
    module("JSONText"),
    module("KeyedArchive"),
    module("MAVLink"),
    module("PeerProtocol"),
    module("Configuration"),
    module("Reference", ["Configuration"]),
    module("Vehicle", ["Geodesy"]),
    module("RemoteControl", ["KeyedArchive", "Geodesy", "PeerProtocol", "Vehicle"]),
    module("Guidance", ["Geodesy", "Vehicle"]),
    module("MAVLinkServices", ["MAVLink", "Geodesy", "Vehicle"]),

    // Runtime: the event loop and what every long-lived part needs.
    module("ServiceRuntime", ["CLinux"]),

    // Adapters: one C library each; they never import each other.
    module("ServiceDiscovery", ["CAvahi", "ServiceRuntime"], adapter),
    module("SecureTransport", ["CLinux", "COpenSSL", "PeerProtocol", "ServiceRuntime"], adapter),
    module("Sockets", ["CLinux", "ServiceRuntime"]),
    module("SerialLink", ["CSerialPort", "ServiceRuntime"], adapter),
    module("GPSD", ["CGPS", "Geodesy", "ServiceRuntime"], adapter),
    module("Systemd", ["CSystemd", "ServiceRuntime"], adapter),

    // Composed.
    module(
      "PeerLink",
      ["FileTransfer", "PeerProtocol", "ServiceDiscovery", "SecureTransport", "ServiceRuntime", "Sockets"]),
    module("FileTransfer", ["CLinux", "PeerProtocol", "SecureTransport", "ServiceRuntime"]),
    module(
      "PeerConnectivity",
      [
        "FileTransfer", "PeerLink", "PeerProtocol", "SecureTransport", "ServiceDiscovery", "ServiceRuntime",
        "Sockets",
      ]),
    module(
      "VehicleLink", ["MAVLink", "MAVLinkServices", "Geodesy", "Vehicle", "ServiceRuntime"]),
    module("FlightLog", ["CLinux", "RemoteControl", "JSONText", "ServiceRuntime"]),

    module(
      "PeerAdministration",
      ["Configuration", "JSONText", "PeerLink", "PeerProtocol", "SecureTransport", "ServiceRuntime"]),

    // Programs as libraries, then the programs.
    module(
      "NavigatorApp",
      [
        "CLinux", "Configuration", "FlightLog", "Geodesy", "Guidance", "JSONText", "MAVLinkServices",
        "PeerLink", "PeerProtocol", "RemoteControl", "ServiceDiscovery", "ServiceRuntime", "Sockets",
        "Vehicle", "VehicleLink",
      ]),
    module(
      "ClientApp",
      [
        "CLinux", "Configuration", "Geodesy", "JSONText", "PeerAdministration", "PeerLink", "PeerProtocol",
        "RemoteControl", "SecureTransport", "ServiceRuntime", "Sockets", "Vehicle",
      ]),
    program(
      "drone-navigator",
      [
        "Configuration", "FlightLog", "MAVLink", "MAVLinkServices", "NavigatorApp", "PeerAdministration",
        "PeerLink",
        "PeerProtocol",
        "SecureTransport", "SerialLink", "ServiceRuntime", "Sockets", "Systemd", "VehicleLink",
      ]),
    program(
      "drone-client",
      [
        "ClientApp", "Configuration", "GPSD", "Geodesy", "JSONText", "PeerAdministration",
        "PeerLink", "PeerProtocol", "SecureTransport", "ServiceDiscovery", "ServiceRuntime",
        "Sockets",
      ]),

    module("Terminal", ["CLinux", "ServiceRuntime"]),
    module(
      "NearbyApp",
      ["CLinux", "Configuration", "JSONText", "PeerConnectivity", "ServiceRuntime", "Terminal"]),
    program(
      "nearby",
      [
        "Configuration", "NearbyApp", "PeerAdministration", "PeerConnectivity", "ServiceRuntime", "Terminal",
      ]),

    // Tools.
    module("LinkImpairment", ["CLinux", "JSONText", "ServiceRuntime"]),
    program("link-impairment", ["CLinux", "JSONText", "LinkImpairment", "ServiceRuntime"]),
    program("mavlink-benchmark", ["MAVLink"]),
    program("relay-benchmark", ["MAVLink", "ServiceRuntime", "Sockets", "VehicleLink"]),
    program(
      "transfer-benchmark",
      ["FileTransfer", "PeerLink", "PeerProtocol", "SecureTransport", "ServiceRuntime", "Sockets"]),
    module("SimulatedVehicle", ["MAVLink", "Geodesy"]),
    program(
      "drone-simulator",
      ["CLinux", "Configuration", "Geodesy", "MAVLink", "ServiceRuntime", "SimulatedVehicle", "Sockets"]),
    program("archive-fuzz", ["Geodesy", "RemoteControl"]),
    program("file-fuzz", ["FileTransfer", "PeerProtocol", "ServiceRuntime"]),
    program(
      "session-fuzz", ["PeerLink", "PeerProtocol", "SecureTransport", "ServiceRuntime", "Sockets"]),
    program("archive-benchmark", ["Geodesy", "RemoteControl"]),

    program("reference-generate", ["Configuration", "Reference", "ServiceRuntime"]),
    program("discovery-probe", ["JSONText", "ServiceDiscovery", "ServiceRuntime"]),

    // Examples of the peer library.
    example("beacon"),
    example("chat"),
    example("files"),
    example("stream"),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["CLinux", "LinkImpairment", "ServiceRuntime"], swiftSettings: common
    ),
    tests("GeodesyTests", ["Geodesy"]),
    tests("JSONTextTests", ["JSONText"]),
    tests("KeyedArchiveTests", ["KeyedArchive", "RemoteControl", "Geodesy", "TestSupport"]),
    tests("MAVLinkTests", ["MAVLink", "TestSupport"]),
    tests("PeerProtocolTests", ["PeerProtocol", "TestSupport"]),
    tests("ConfigurationTests", ["Configuration"]),
    tests("ReferenceTests", ["Configuration", "Reference", "ServiceRuntime", "TestSupport"]),
    tests(
      "DocumentationTests",
      ["Configuration", "TestSupport", "drone-client", "drone-navigator", "drone-simulator", "nearby"]),
    tests(
      "RemoteControlTests",
      ["RemoteControl", "KeyedArchive", "Geodesy", "Vehicle", "PeerProtocol", "TestSupport"]),
    tests("GuidanceTests", ["Guidance", "Geodesy", "Vehicle"]),
    tests("MAVLinkServicesTests", ["MAVLinkServices", "MAVLink", "Geodesy", "Vehicle"]),
    tests("ServiceRuntimeTests", ["ServiceRuntime", "TestSupport"]),
    tests(
      "ServiceDiscoveryTests",
      ["JSONText", "ServiceDiscovery", "ServiceRuntime", "TestSupport", "discovery-probe"]),
    tests(
      "SecureTransportTests",
      ["COpenSSL", "SecureTransport", "PeerProtocol", "ServiceRuntime", "TestSupport"]),
    tests("SocketsTests", ["Sockets", "ServiceRuntime", "TestSupport"]),
    tests("SerialLinkTests", ["SerialLink", "ServiceRuntime", "TestSupport"]),
    tests("GPSDTests", ["GPSD", "Geodesy", "ServiceRuntime", "TestSupport"]),
    tests("SystemdTests", ["Systemd", "ServiceRuntime", "TestSupport"]),
    tests(
      "PeerLinkTests",
      [
        "FileTransfer", "PeerLink", "PeerProtocol", "SecureTransport", "ServiceDiscovery", "ServiceRuntime",
        "Sockets", "TestSupport", "session-fuzz",
      ]),
    tests(
      "FileTransferTests",
      ["FileTransfer", "PeerProtocol", "SecureTransport", "ServiceRuntime", "TestSupport"]),
    tests(
      "PeerConnectivityTests",
      [
        "FileTransfer", "PeerConnectivity", "PeerLink", "PeerProtocol", "SecureTransport", "ServiceRuntime",
        "Sockets", "TestSupport", "example-beacon", "example-chat", "example-files", "example-stream",
      ]),
    tests("TerminalTests", ["Terminal", "ServiceRuntime", "TestSupport"]),
    tests(
      "NearbyAppTests",
      [
        "Configuration", "JSONText", "NearbyApp", "PeerConnectivity", "ServiceRuntime", "Terminal",
        "TestSupport", "link-impairment", "nearby",
      ]),
    tests(
      "LinkImpairmentTests",
      [
        "CLinux", "JSONText", "LinkImpairment", "ServiceRuntime", "TestSupport", "discovery-probe",
        "link-impairment",
      ]),
    tests("SimulatedVehicleTests", ["SimulatedVehicle", "MAVLink", "Geodesy", "drone-simulator"]),
    tests(
      "VehicleLinkTests",
      [
        "VehicleLink", "MAVLink", "MAVLinkServices", "SimulatedVehicle", "Geodesy", "Vehicle",
        "ServiceRuntime", "TestSupport",
      ]),
    tests(
      "FlightLogTests",
      ["FlightLog", "MAVLink", "RemoteControl", "JSONText", "ServiceRuntime", "TestSupport"]),
    tests(
      "NavigatorAppTests",
      [
        "Configuration", "FlightLog", "Geodesy", "Guidance", "JSONText", "NavigatorApp", "PeerLink",
        "PeerProtocol", "RemoteControl", "SecureTransport", "ServiceRuntime", "Sockets", "TestSupport",
        "Vehicle",
      ]),
    tests(
      "ClientAppTests",
      [
        "ClientApp", "Configuration", "Geodesy", "JSONText", "PeerAdministration", "PeerLink", "PeerProtocol",
        "RemoteControl", "SecureTransport", "ServiceRuntime", "Sockets", "TestSupport", "Vehicle",
        "drone-client", "drone-navigator", "drone-simulator",
      ]),
    tests(
      "PeerAdministrationTests",
      [
        "PeerAdministration", "Configuration", "JSONText", "PeerLink", "PeerProtocol", "SecureTransport",
        "ServiceRuntime", "TestSupport",
      ]),
    tests(
      "RobustnessTests",
      [
        "CLinux", "JSONText", "PeerProtocol", "SecureTransport", "ServiceRuntime", "TestSupport",
        "drone-client",
        "drone-navigator", "drone-simulator", "link-impairment",
      ]),
    tests(
      "EndToEndTests",
      [
        "Geodesy", "Guidance", "JSONText", "MAVLink", "MAVLinkServices", "NavigatorApp", "PeerProtocol",
        "RemoteControl", "ServiceRuntime", "SimulatedVehicle", "Sockets", "TestSupport", "Vehicle",
        "VehicleLink", "drone-client", "drone-navigator", "drone-simulator",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
