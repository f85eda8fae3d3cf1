import MAVLink
import MAVLinkServices
import ServiceRuntime
import Vehicle

extension VehicleLink {
  /// What the driver decides on; nil before the first heartbeat.
  var situation: Situation? {
    observer.address.map {
      Situation(state: observer.state, address: $0, reportedTarget: observer.reportedTarget)
    }
  }

  func received(_ bytes: [UInt8]) {
    parser.push(bytes)
    // A handler may close the line.
    while channel != nil, let frame = parser.next() { received(frame) }
  }

  private func received(_ frame: Frame) {
    if let signing, !signing.accepts(frame) { return }
    if let onTraffic, let bare = frame.withoutSignature { onTraffic(bare.bytes) }
    let now = self.now
    meter.received(frame.messageID, bytes: frame.length, at: now)
    let before = observer.state
    let observations = observer.observe(frame, at: now)
    if let address = observer.address, frame.systemID == address.systemID,
      frame.componentID == address.componentID
    {
      streams.observed(frame.messageID, at: now)
    }
    handle(observations, before: before, at: now)
    // Not part of the state, but what a driver may be waiting for.
    if frame.messageID == PositionTargetGlobalInt.messageID, let situation {
      carryOut(driver.stateChanged(situation, at: now))
    }
  }

  /// Repeats, time limits, heartbeats and requests; runs ten times a second.
  func tick() {
    let now = self.now
    guard channel != nil else { return }
    meter.tick(at: now)
    let before = observer.state
    handle(observer.tick(at: now), before: before, at: now)
    guard let situation else { return report(at: now) }
    companion.systemID = situation.address.systemID
    carryOut(driver.tick(situation, at: now))
    flushHeldTarget()
    let due = heartbeats.due(
      at: now, isVehicleKnown: true, isGroundStationAlive: isGroundStationAlive())
    // One that finds no room is not said: the next comes in a second.
    for message in due where budget.allows(message, at: now) { _ = write(message) }
    request(at: now, from: situation.address)
    report(at: now)
  }

  private func request(at now: ContinuousClock.Instant, from address: AutopilotAddress) {
    // Nothing is asked of a line that is silent or choked.
    guard observer.state.heartbeatAt != nil, channel?.pendingByteCount == 0 else { return }
    guard budget.waitingBytes(at: now) == 0 else { return }
    if let request = streams.due(at: now, to: address) { _ = write(.command(request)) }
    requestHome(at: now, from: address)
  }

  /// Home is told when it is set, which may have been before anybody listened, and not every firmware repeats it as a stream.
  private func requestHome(at now: ContinuousClock.Instant, from address: AutopilotAddress) {
    guard observer.state.home == nil, observer.state.coordinate != nil,
      lastHomeRequest.map({ $0.duration(to: now) >= Self.homeRequestPeriod }) ?? true
    else { return }
    lastHomeRequest = now
    _ = write(
      .command(
        CommandLong(
          targetSystem: address.systemID, targetComponent: address.componentID, command: .requestMessage,
          param1: Float(HomePosition.messageID))))
  }

  private func report(at now: ContinuousClock.Instant) {
    if let line = monitor.report(parser.counters, heartbeatAt: observer.state.heartbeatAt, at: now) {
      logger.warning(line)
    }
    if let line = signing?.report(at: now) { logger.warning(line) }
  }

  private func handle(
    _ observations: [Observation], before: VehicleState, at now: ContinuousClock.Instant
  ) {
    for observation in observations {
      switch observation {
      case .found(let address):
        companion.systemID = address.systemID
        streams.restart()
        chooseDriver()
        logger.notice(
          "flight controller found",
          ["vehicle.system": "\(address.systemID)", "vehicle.component": "\(address.componentID)"])
        request(at: now, from: address)
      case .restarted:
        streams.restart()
        logger.warning("flight controller restarted")
        carryOut(driver.restarted(at: now))
      case .lost:
        logger.warning("no heartbeat of the flight controller for 5 s")
      case .acknowledged(let ack):
        if ack.command == .setMessageInterval, let address = observer.address {
          streams.acknowledged(ack)
          request(at: now, from: address)
        }
        if let situation { carryOut(driver.acknowledged(ack, in: situation, at: now)) }
      case .text(let text):
        driver.received(text, at: now)
        logger.info("flight controller says", ["vehicle.text": text.text])
        onText?(text.severity, text.text)
      case .stateChanged:
        if let situation { carryOut(driver.stateChanged(situation, at: now)) }
        onState?(before, observer.state)
      }
    }
  }

  /// The sequences that fit what answers; those of another firmware end with it.
  private func chooseDriver() {
    streams.asksForWhatComesUnasked = observer.firmware == .px4
    let fitting: any AutopilotDriver =
      switch observer.firmware {
      case .px4?: PX4Driver()
      case .arduPlane?: ArduPlaneDriver()
      case .arduRover?: ArduRoverDriver()
      case .arduBoat?: ArduBoatDriver()
      case .arduCopter?, .other?, nil: ArduPilotDriver()
      }
    guard type(of: driver) != type(of: fitting) else { return }
    carryOut(driver.abandon(because: "another flight controller answers"))
    driver = fitting
  }

  /// Writes first and tells afterwards, so that no callback can come between an order and its bytes.
  func carryOut(_ outputs: [DriverOutput]) {
    var written: [(order: Order, summary: String)] = []
    var lost: Order?
    for output in outputs {
      guard case .send(let message, for: let order) = output else { continue }
      if !hasRoom(for: message) {
        // Only the newest target counts; a command that is left out is a repeat of one that has not left yet.
        if message.isTarget { heldTarget = (message, order) }
      } else if write(message) {
        if !message.isQuestion { written.append((order, message.summary)) }
      } else {
        lost = order
      }
    }
    for output in outputs {
      if case .progress(let order, .superseded) = output { tell(order, .superseded) }
    }
    for entry in written { tellSent(entry.order, entry.summary) }
    for output in outputs {
      switch output {
      case .send, .progress(_, .superseded): break
      case .progress(let order, let progress): tell(order, progress)
      }
    }
    if lost != nil { carryOut(driver.abandon(because: "the serial line takes no more bytes")) }
  }

  private func tellSent(_ order: Order, _ summary: String) {
    logger.debug("sent", ["action.ticket": "\(order.ticket)", "mavlink.message": summary])
    onSent?(order.ticket, summary)
    if forwardedTicket != order.ticket {
      forwardedTicket = order.ticket
      onProgress?(order.ticket, order.action, .forwarded)
    }
  }

  private func tell(_ order: Order, _ progress: ActionProgress) {
    logger.info(
      "\(order.action.name)", ["action.ticket": "\(order.ticket)", "action.progress": "\(progress)"])
    onProgress?(order.ticket, order.action, progress)
  }

  private func hasRoom(for message: OutgoingMessage) -> Bool {
    if message.isTarget, (channel?.pendingByteCount ?? 0) > 0 { return false }
    return budget.allows(message, at: now)
  }

  private func flushHeldTarget() {
    guard let held = heldTarget, hasRoom(for: held.message) else { return }
    heldTarget = nil
    if write(held.message) { tellSent(held.order, held.message.summary) }
  }

  private func write(_ message: OutgoingMessage) -> Bool {
    guard let channel else { return false }
    // Frames go out whole in one call, so that the autopilot's parser is never left inside one.
    let length: Int? =
      switch message {
      case .command(let command): write(command, as: &companion, to: channel)
      case .target(let target): write(target, as: &companion, to: channel)
      case .reposition(let command): write(command, as: &companion, to: channel)
      case .companionHeartbeat(let heartbeat): write(heartbeat, as: &companion, to: channel)
      case .groundStationHeartbeat(let heartbeat): write(heartbeat, as: &groundStation, to: channel)
      }
    guard let length else { return false }
    budget.wrote(message, bytes: length, at: now)
    meter.wrote(bytes: length, at: now)
    return true
  }

  /// - Returns: the frame's length, or nil when the channel did not take it.
  private func write(
    _ message: some Message, as sender: inout FrameEncoder, to channel: any ByteChannel
  ) -> Int? {
    var plain = sender
    var frame = sender.encode(message)
    signing?.sign(&frame, at: now)
    guard channel.write(frame) else { return nil }
    let length = frame.count
    guard let onTraffic else { return length }
    if signing != nil {
      plain.announcesSignature = false
      frame = plain.encode(message)
    }
    onTraffic(frame)
    return length
  }
}
