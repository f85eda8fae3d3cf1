// Written by scripts/mavlink-generate; do not edit.

/// `MAV_CMD`: Commands to be executed by the MAV. They can be executed on user request, or as part
/// of a mission script. If the action is used in a mission, the parameter mapping to the
/// waypoint/mission message is as follows: Param 1, Param 2, Param 3, Param 4, X: Param 5, Y:Param
/// 6, Z:Param 7. This command list is similar what ARINC 424 is for commercial aircraft: A data
/// format how to interpret waypoint/mission data. NaN and INT32_MAX may be used in float/integer
/// params (respectively) to indicate optional/default values (e.g. to use the component's current
/// yaw or latitude rather than a specific value). See
/// https://mavlink.io/en/guide/xml_schema.html#MAV_CMD for information about the structure of the
/// MAV_CMD entries.
public struct CommandID: PayloadConstant {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `MAV_CMD_NAV_WAYPOINT`: Navigate to waypoint. This is intended for use in missions (for guided
  /// commands outside of missions use MAV_CMD_DO_REPOSITION).
  public static let navWaypoint = CommandID(rawValue: 16)

  /// `MAV_CMD_NAV_LOITER_UNLIM`: Loiter around this waypoint an unlimited amount of time.
  public static let navLoiterUnlim = CommandID(rawValue: 17)

  /// `MAV_CMD_NAV_LOITER_TURNS`: Loiter around this waypoint for X turns.
  public static let navLoiterTurns = CommandID(rawValue: 18)

  /// `MAV_CMD_NAV_LOITER_TIME`: Loiter around this waypoint for X seconds.
  public static let navLoiterTime = CommandID(rawValue: 19)

  /// `MAV_CMD_NAV_RETURN_TO_LAUNCH`: Return to launch location.
  public static let navReturnToLaunch = CommandID(rawValue: 20)

  /// `MAV_CMD_NAV_LAND`: Land at location.
  public static let navLand = CommandID(rawValue: 21)

  /// `MAV_CMD_NAV_TAKEOFF`: Takeoff from ground / hand. Vehicles that support multiple takeoff
  /// modes (e.g. VTOL quadplane) should take off using the currently configured mode.
  public static let navTakeoff = CommandID(rawValue: 22)

  /// `MAV_CMD_NAV_VTOL_TAKEOFF`: Takeoff from ground using VTOL mode, and transition to forward
  /// flight with specified heading. The command should be ignored by vehicles that dont support
  /// both VTOL and fixed-wing flight (multicopters, boats,etc.).
  public static let navVTOLTakeoff = CommandID(rawValue: 84)

  /// `MAV_CMD_NAV_VTOL_LAND`: Land using VTOL mode.
  public static let navVTOLLand = CommandID(rawValue: 85)

  /// `MAV_CMD_NAV_GUIDED_ENABLE`: Hand control over to an external controller.
  public static let navGuidedEnable = CommandID(rawValue: 92)

  /// `MAV_CMD_CONDITION_YAW`: Reach a certain target angle.
  public static let conditionYaw = CommandID(rawValue: 115)

  /// `MAV_CMD_DO_SET_MODE`: Set system mode.
  public static let doSetMode = CommandID(rawValue: 176)

  /// `MAV_CMD_DO_CHANGE_SPEED`: Change speed and/or throttle set points. The value persists until
  /// it is overridden or there is a mode change.
  public static let doChangeSpeed = CommandID(rawValue: 178)

  /// `MAV_CMD_DO_SET_HOME`: Sets the home position to either to the current position or a specified
  /// position. The home position is the default position that the system will return to and land
  /// on. The position is set automatically by the system during the takeoff (and may also be set
  /// using this command). Note: the current home position may be emitted in a HOME_POSITION message
  /// on request (using MAV_CMD_REQUEST_MESSAGE with param1=242).
  public static let doSetHome = CommandID(rawValue: 179)

  /// `MAV_CMD_DO_FLIGHTTERMINATION`: Terminate flight immediately.
  public static let doFlighttermination = CommandID(rawValue: 185)

  /// `MAV_CMD_DO_LAND_START`: Mission item to mark the start of a mission landing pattern, or a
  /// command to land with a mission landing pattern. When used in a mission, this is a marker for
  /// the start of a sequence of mission items that represent a landing pattern. It should be
  /// followed by a navigation item that defines the first waypoint of the landing sequence. The
  /// start marker positional params are used only for selecting what landing pattern to use if
  /// several are defined in the mission (the selected pattern will be the one with the marker
  /// position that is closest to the vehicle when a landing is commanded). If the marker item
  /// position has zero-values for latitude, longitude, and altitude, then landing pattern selection
  /// is instead based on the position of the first waypoint in the landing sequence. When sent as a
  /// command it triggers a landing using a mission landing pattern. The location parameters are not
  /// used in this case, and should be set to 0.
  public static let doLandStart = CommandID(rawValue: 189)

  /// `MAV_CMD_DO_REPOSITION`: Reposition the vehicle to a specific WGS84 global position. This
  /// command is intended for guided commands (for missions use MAV_CMD_NAV_WAYPOINT instead).
  public static let doReposition = CommandID(rawValue: 192)

  /// `MAV_CMD_DO_PAUSE_CONTINUE`: If in a GPS controlled position mode, hold the current position
  /// or continue.
  public static let doPauseContinue = CommandID(rawValue: 193)

  /// `MAV_CMD_DO_SET_ROI_LOCATION`: Sets the region of interest (ROI) to a location. This can then
  /// be used by the vehicle's control system to control the vehicle attitude and the attitude of
  /// various sensors such as cameras.
  public static let doSetRoiLocation = CommandID(rawValue: 195)

  /// `MAV_CMD_DO_SET_ROI_NONE`: Cancels any previous ROI command returning the vehicle/sensors to
  /// default flight characteristics. This can then be used by the vehicle's control system to
  /// control the vehicle attitude and the attitude of various sensors such as cameras.
  public static let doSetRoiNone = CommandID(rawValue: 197)

  /// `MAV_CMD_DO_SET_ROI`: Sets the region of interest (ROI) for a sensor set or the vehicle
  /// itself. This can then be used by the vehicle's control system to control the vehicle attitude
  /// and the attitude of various sensors such as cameras.
  public static let doSetRoi = CommandID(rawValue: 201)

  /// `MAV_CMD_DO_DIGICAM_CONTROL`: Control digital camera. This is a fallback message for systems
  /// that have not yet implemented PARAM_EXT_XXX messages and camera definition files (see
  /// https://mavlink.io/en/services/camera_def.html ).
  public static let doDigicamControl = CommandID(rawValue: 203)

  /// `MAV_CMD_DO_FENCE_ENABLE`: Enable the geofence. This can be used in a mission or via the
  /// command protocol. The persistence/lifetime of the setting is undefined. Depending on flight
  /// stack implementation it may persist until superseded, or it may revert to a system default at
  /// the end of a mission. Flight stacks typically reset the setting to system defaults on reboot.
  public static let doFenceEnable = CommandID(rawValue: 207)

  /// `MAV_CMD_DO_PARACHUTE`: Mission item/command to release a parachute or enable/disable auto
  /// release.
  public static let doParachute = CommandID(rawValue: 208)

  /// `MAV_CMD_DO_MOTOR_TEST`: Command to perform motor test.
  public static let doMotorTest = CommandID(rawValue: 209)

  /// `MAV_CMD_DO_GRIPPER`: Mission command to operate a gripper.
  public static let doGripper = CommandID(rawValue: 211)

  /// `MAV_CMD_PREFLIGHT_CALIBRATION`: Trigger calibration. This command will be only accepted if in
  /// pre-flight mode. Except for Temperature Calibration, only one sensor should be set in a single
  /// message and all others should be zero.
  public static let preflightCalibration = CommandID(rawValue: 241)

  /// `MAV_CMD_PREFLIGHT_STORAGE`: Request storage of different parameter values and logs. This
  /// command will be only accepted if in pre-flight mode.
  public static let preflightStorage = CommandID(rawValue: 245)

  /// `MAV_CMD_PREFLIGHT_REBOOT_SHUTDOWN`: Request the reboot or shutdown of system components.
  public static let preflightRebootShutdown = CommandID(rawValue: 246)

  /// `MAV_CMD_DO_SET_STANDARD_MODE`: Enable the specified standard MAVLink mode. If the specified
  /// mode is not supported, the vehicle should ACK with MAV_RESULT_FAILED. See
  /// https://mavlink.io/en/services/standard_modes.html.
  public static let doSetStandardMode = CommandID(rawValue: 262)

  /// `MAV_CMD_MISSION_START`: start running a mission.
  public static let missionStart = CommandID(rawValue: 300)

  /// `MAV_CMD_COMPONENT_ARM_DISARM`: Arms / Disarms a component.
  public static let componentArmDisarm = CommandID(rawValue: 400)

  /// `MAV_CMD_RUN_PREARM_CHECKS`: Instructs a target system to run pre-arm checks. This allows
  /// preflight checks to be run on demand, which may be useful on systems that normally run them at
  /// low rate, or which do not trigger checks when the armable state might have changed. This
  /// command should return MAV_RESULT_ACCEPTED if it will run the checks. The results of the checks
  /// are usually then reported in SYS_STATUS messages (this is system-specific). The command should
  /// return MAV_RESULT_TEMPORARILY_REJECTED if the system is already armed.
  public static let runPrearmChecks = CommandID(rawValue: 401)

  /// `MAV_CMD_GET_HOME_POSITION`: Request the home position from the vehicle. The vehicle will ACK
  /// the command and emit the HOME_POSITION message.
  public static let getHomePosition = CommandID(rawValue: 410)

  /// `MAV_CMD_GET_MESSAGE_INTERVAL`: Request the interval between messages for a particular MAVLink
  /// message ID. The receiver should ACK the command and then emit its response in a
  /// MESSAGE_INTERVAL message.
  public static let getMessageInterval = CommandID(rawValue: 510)

  /// `MAV_CMD_SET_MESSAGE_INTERVAL`: Set the interval between messages for a particular MAVLink
  /// message ID. This interface replaces REQUEST_DATA_STREAM.
  public static let setMessageInterval = CommandID(rawValue: 511)

  /// `MAV_CMD_REQUEST_MESSAGE`: Request the target system(s) emit a single instance of a specified
  /// message (i.e. a "one-shot" version of MAV_CMD_SET_MESSAGE_INTERVAL).
  public static let requestMessage = CommandID(rawValue: 512)

  /// `MAV_CMD_REQUEST_PROTOCOL_VERSION`: Request MAVLink protocol version compatibility. All
  /// receivers should ACK the command and then emit their capabilities in an PROTOCOL_VERSION
  /// message.
  public static let requestProtocolVersion = CommandID(rawValue: 519)

  /// `MAV_CMD_REQUEST_AUTOPILOT_CAPABILITIES`: Request autopilot capabilities. The receiver should
  /// ACK the command and then emit its capabilities in an AUTOPILOT_VERSION message.
  public static let requestAutopilotCapabilities = CommandID(rawValue: 520)

  /// `MAV_CMD_DO_VTOL_TRANSITION`: Request VTOL transition.
  public static let doVTOLTransition = CommandID(rawValue: 3000)
}
