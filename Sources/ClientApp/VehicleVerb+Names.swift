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
    case .takeControl: "take-control"
    case .handOver: "hand-over"
    case .keep: "keep"
    }
  }

  /// The verb of its receipts: to follow is to go to a coordinate, again and again.
  var receiptVerb: String {
    switch self {
    case .follow: "goto"
    case .takeoff, .stop, .land, .returnToLaunch, .reset, .goto, .takeControl, .handOver, .keep: name
    }
  }

  /// It only makes sense while frames go on afterwards.
  public var needsRunningClient: Bool {
    switch self {
    case .goto, .follow, .takeControl, .handOver, .keep: true
    case .takeoff, .stop, .land, .returnToLaunch, .reset: false
    }
  }

  public var missingClientText: String {
    let need =
      switch self {
      case .takeControl, .handOver, .keep: "that stays connected"
      case .goto, .follow, .takeoff, .stop, .land, .returnToLaunch, .reset: "that goes on sending positions"
      }
    return "\(name) needs a running client \(need): start 'drone-client run' first"
  }
}
