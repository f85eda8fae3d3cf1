extension Guidance {
  public enum LinkLossAction: String, Equatable, Sendable, CaseIterable {
    case returnToLaunch = "return"
    case land
  }

  public enum StopAction: String, Equatable, Sendable, CaseIterable {
    case hold
    case land
    case returnToLaunch = "return"
  }

  /// The limits within which the vehicle is guided. All lengths in metres, heights above home.
  public struct Rules: Equatable, Sendable {
    public var takeoffAltitudeMeters = 10.0
    public var followHeightMeters = 10.0
    /// The vehicle stops this far short of the coordinate, on the line it comes along.
    public var standOffMeters = 0.0
    /// Farthest target from home.
    public var maximumDistanceMeters = 500.0
    public var maximumHeightMeters = 50.0
    /// A client's coordinate that moves faster is taken for a fault of its receiver.
    public var maximumJumpSpeedMetersPerSecond = 30.0
    /// A less accurate coordinate is ignored.
    public var maximumHorizontalErrorMeters = 50.0
    /// Oldest coordinate that is flown to: its age when sent and its delay on the way together.
    public var coordinateFreshness: Duration = .seconds(3)
    /// A takeoff that was longer on the way is refused: somebody may have walked up to the vehicle since.
    public var commandFreshness: Duration = .seconds(2)
    public var silenceBeforeNoTargets: Duration = .seconds(2)
    public var holdAfter: Duration = .seconds(3)
    /// Nil: the vehicle holds until somebody acts.
    public var returnAfter: Duration? = .seconds(30)
    public var linkLossAction = LinkLossAction.returnToLaunch
    /// So long the holder of control has to refuse: enough to read a line and type a word, and no one is kept waiting for a holder that left
    /// its screen. A client that was refused may ask again after as long.
    public var controlAnswerTime: Duration = .seconds(10)
    public var stopAction = StopAction.hold
    /// Least battery for a takeoff. A vehicle that reports none is not judged by it.
    public var minimumBatteryPercent: Int? = 20
    /// Radius around home that neither a target nor the guided vehicle leaves.
    public var geofenceRadiusMeters: Double?
    /// A reset on the ground, disarmed, restarts the autopilot too.
    public var resetClearsAutopilot = false

    public init() {}

    /// Lower takeoffs end in the ground effect, where height is not measured well.
    public static let minimumTakeoffAltitudeMeters = 1.0
    /// Lower targets end in the ground effect too.
    static let minimumTargetHeightMeters = 1.0
    /// Five missed heartbeats at 1 Hz (MAVLink heartbeat protocol: "four or five").
    static let vehicleSilence: Duration = .seconds(5)
    /// Two and a half frames at 1 Hz: longer, and the autopilot's own failsafe must be free to act.
    static let clientAlive: Duration = .milliseconds(2500)
    /// Targets that differ less are not sent anew, except each `resendAfter`: position targets have no acknowledgement.
    static let targetDeadbandMeters = 0.5
    static let resendAfter: Duration = .seconds(5)
    /// Between two targets of one way: four a second, which a position controller turns into a steady flight.
    static let targetInterval: Duration = .milliseconds(250)
    /// A longer step within a second is beyond what vehicles follow at, so pieces of it would smooth nothing.
    static let longestGlideMeters = 8.0
    /// A target with a speed limit is no farther ahead of the vehicle than it flies in this time, and this at least. Less would slow the
    /// vehicle below the limit: PX4 brakes for a target at 3 m/s² and 4 m/s³, so it flies 5 m/s at 24 m and 2 m/s at 7 m before it.
    static let leadSeconds = 5.0
    static let leastLeadMeters = 5.0
    /// Pieces of the way go on for so long after a coordinate: a frame of 1 Hz that is late by half.
    static let glideFreshness: Duration = .milliseconds(1500)
    /// Within this of its target, at rest or nearly so, the vehicle has arrived: receivers wander by as much.
    static let arrivalMeters = 2.0
    static let arrivalSpeedMetersPerSecond = 1.0
    /// A plane circles its target (WP_LOITER_RAD is 60 to 80 m).
    static let planeArrivalMeters = 120.0
    /// So many coordinates in a row must agree before a jump is believed.
    static let jumpConfirmations = 3
    /// A client unheard for longer is given no more way than this for it, and is believed by agreement instead.
    static let longestStep: Duration = .seconds(3)
    /// What a receiver at rest may wander between two reports.
    static let receiverNoiseMeters = 10.0
    /// Share of the takeoff height from which the climb counts as done (DroneKit's rule).
    static let takeoffReachedShare = 0.95
    /// A slow climb and the spin-up; past it the takeoff counts as stuck.
    static let slowestClimbMetersPerSecond = 0.5
    static let spinUp: Duration = .seconds(15)
    /// A safe action that failed is tried again: this often at first, then for ever at the slower pace.
    static let retryInterval: Duration = .seconds(2)
    static let quickRetries = 10
    static let slowRetryInterval: Duration = .seconds(10)
    /// No report of an action within this counts as "unknown"; longer than any confirmation takes.
    static let reportTimeout: Duration = .seconds(30)
    /// For so long a mode of the action before is not taken for the pilot's doing: commands overtake each other on the line.
    static let modeGrace: Duration = .seconds(5)
    /// Out-of-order telemetry steps back by milliseconds, a restart by more.
    static let restartUptimeFallMilliseconds: UInt32 = 1000
    /// Overshoot that is no breach of the fence.
    static let fenceMarginMeters = 5.0
  }
}
