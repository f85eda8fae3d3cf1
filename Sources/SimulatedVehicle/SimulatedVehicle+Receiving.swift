import MAVLink

extension SimulatedVehicle {
  /// Passes a frame on to whom it is for, as ArduPilot routes (MAVLink_routing.cpp): what is for nobody that was heard
  /// is taken as its own, which is why a command to a component that does not exist is carried out.
  mutating func receive(_ frame: Frame, at port: Int) {
    ports[port].heard(frame)
    let target = FrameTarget(of: frame)
    let isOurSystem = target.systemID == configuration.systemID
    let isOurs =
      isOurSystem
      && (target.componentID == 0 || target.componentID == ComponentID.autopilot1.rawValue)
    var isForwarded = false
    for other in ports.indices where other != port && ports[other].reaches(target, isOurSystem: isOurSystem) {
      ports[other].send(frame.bytes)
      isForwarded = true
    }
    if target.systemID == 0 || isOurs || (isOurSystem && !isForwarded) { carryOut(frame, from: port) }
  }

  private mutating func carryOut(_ frame: Frame, from port: Int) {
    if let message = frame.decode(CommandLong.self) {
      guard isForUs(message.targetSystem) else { return }
      execute(Command(message), from: frame, at: port)
    } else if let message = frame.decode(CommandInt.self) {
      guard isForUs(message.targetSystem) else { return }
      execute(Command(message), from: frame, at: port)
    } else if let message = frame.decode(TimeSync.self) {
      // A request has no answer in it yet.
      guard message.tc1 == 0 else { return }
      let now = Int64(aircraft.secondsSinceStart * 1e9)
      aircraft.send(TimeSync(tc1: now, ts1: message.ts1), to: port)
    } else if let message = frame.decode(Ping.self) {
      guard message.targetSystem == 0, message.targetComponent == 0 else { return }
      aircraft.send(
        Ping(
          timeUsec: message.timeUsec, seq: message.seq, targetSystem: frame.systemID,
          targetComponent: frame.componentID), to: port)
    } else if let message = frame.decode(RequestDataStream.self) {
      guard isForUs(message.targetSystem) else { return }
      let rate = message.startStop == 0 ? 0 : Double(message.reqMessageRate)
      ports[port].streams.setGroup(message.reqStreamId, rate: rate, at: aircraft.seconds)
    } else if !receiveParameterMessage(frame, at: port) {
      guard targetSystem(of: frame).map(isForUs) ?? true else { return }
      controller.receive(frame, &aircraft)
    }
  }

  /// The system that a message of the controller's is for; nil for one that is for everybody.
  private func targetSystem(of frame: Frame) -> UInt8? {
    if let message = frame.decode(SetMode.self) { return message.targetSystem }
    if let message = frame.decode(SetPositionTargetGlobalInt.self) { return message.targetSystem }
    if let message = frame.decode(SetPositionTargetLocalNED.self) { return message.targetSystem }
    return nil
  }

  /// Zero is everybody. The component is not looked at: ArduPilot carries out commands to components that
  /// do not exist.
  private func isForUs(_ targetSystem: UInt8) -> Bool {
    targetSystem == 0 || targetSystem == configuration.systemID
  }

  private mutating func receiveParameterMessage(_ frame: Frame, at port: Int) -> Bool {
    if let message = frame.decode(ParamRequestRead.self) {
      let index =
        message.paramIndex >= 0
        ? Int(message.paramIndex) : aircraft.parameters.index(of: message.paramId.text)
      if isForUs(message.targetSystem), let index, let value = aircraft.parameters.message(at: index) {
        aircraft.send(value, to: port)
      }
    } else if let message = frame.decode(ParamSet.self) {
      if isForUs(message.targetSystem),
        let index = aircraft.parameters.index(of: message.paramId.text)
      {
        aircraft.parameters.set(message.paramValue, at: index)
        if let value = aircraft.parameters.message(at: index) { aircraft.send(value) }
      }
    } else if let message = frame.decode(ParamRequestList.self) {
      if isForUs(message.targetSystem) { ports[port].nextParameter = 0 }
    } else {
      return false
    }
    return true
  }

  private mutating func execute(_ command: Command, from frame: Frame, at port: Int) {
    let acknowledges = !aircraft.faults.contains(.dropAcknowledgements)
    func acknowledge(_ result: CommandResult, on aircraft: inout Aircraft) {
      guard acknowledges else { return }
      aircraft.send(
        CommandAck(
          command: command.id, result: result, targetSystem: frame.systemID,
          targetComponent: frame.componentID), to: port)
    }
    switch command.id {
    case .setMessageInterval:
      acknowledge(setInterval(command, at: port), on: &aircraft)
    case .getMessageInterval:
      guard let id = UInt32(exactly: command.parameter1), canSend(id) else {
        return acknowledge(.failed, on: &aircraft)
      }
      acknowledge(.accepted, on: &aircraft)
      aircraft.send(
        MessageInterval(
          messageId: UInt16(truncatingIfNeeded: id),
          intervalUs: ports[port].streams.intervalMicroseconds(of: id)), to: port)
    case .requestMessage:
      guard let id = UInt32(exactly: command.parameter1), let message = telemetry(id) else {
        return acknowledge(.failed, on: &aircraft)
      }
      acknowledge(.accepted, on: &aircraft)
      aircraft.send(message, to: port)
    case .getHomePosition:
      request(HomePosition.messageID, at: port, acknowledge)
    case .requestAutopilotCapabilities:
      request(AutopilotVersion.messageID, at: port, acknowledge)
    case .preflightRebootShutdown:
      reboot(command, acknowledge)
    default:
      let result = controller.execute(command, &aircraft)
      acknowledge(result, on: &aircraft)
      if let later = controller.laterResult(of: command, after: result) {
        acknowledge(later, on: &aircraft)
      }
    }
  }

  private mutating func request(
    _ id: UInt32, at port: Int, _ acknowledge: (CommandResult, inout Aircraft) -> Void
  ) {
    let message = telemetry(id)
    acknowledge(message == nil ? .failed : .accepted, &aircraft)
    if let message { aircraft.send(message, to: port) }
  }

  private mutating func reboot(
    _ command: Command, _ acknowledge: (CommandResult, inout Aircraft) -> Void
  ) {
    // 1 restarts, 3 stays in the bootloader until told otherwise, which here is the same.
    guard command.parameter1 == 1 || command.parameter1 == 3 else {
      return acknowledge(.unsupported, &aircraft)
    }
    guard type(of: controller).restartsByCommand else { return acknowledge(.denied, &aircraft) }
    guard !controller.isArmed else { return acknowledge(.failed, &aircraft) }
    acknowledge(.accepted, &aircraft)
    sendDueMessages()
    restart()
  }

  private mutating func setInterval(_ command: Command, at port: Int) -> CommandResult {
    guard let id = UInt32(exactly: command.parameter1), canSend(id),
      let microseconds = Int(exactly: command.parameter2.rounded())
    else { return .denied }
    ports[port].streams.set(id, microseconds: microseconds, at: aircraft.seconds)
    return .accepted
  }
}
