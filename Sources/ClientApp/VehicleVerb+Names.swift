public import Configuration

extension VehicleVerb {
  /// As it is typed.
  public var name: String {
    switch self {
    case .takeoff: "takeoff"
    case .stop: "stop"
    case .land: "land"
    case .returnToLaunch: "return"
    case .reset: "reset"
    case .follow: "follow"
    case .goto: "goto"
    }
  }

  /// The verb of its receipts: to follow is to go to a coordinate, again and again.
  var receiptVerb: String {
    switch self {
    case .follow: "goto"
    case .takeoff, .stop, .land, .returnToLaunch, .reset, .goto: name
    }
  }

  /// It only makes sense while frames go on afterwards.
  public var needsRunningClient: Bool {
    switch self {
    case .goto, .follow: true
    case .takeoff, .stop, .land, .returnToLaunch, .reset: false
    }
  }
}
