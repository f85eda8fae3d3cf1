public import Configuration
import Geodesy
import PeerLink
import PeerProtocol
import RemoteControl
import ServiceRuntime

extension ClientService {
  /// How long a client that was started for one command waits for further vehicles after the first one.
  private static let settling: Duration = .seconds(1)

  func asked(_ request: ControlRequest, _ caller: ControlServer.Caller) {
    switch request {
    case .status(let options):
      guard let number = tellStatus(options, onReply: { [weak caller] reply in caller?.reply(reply) }) else {
        return
      }
      caller.onGone = { [weak self] in self?.unfollow(number) }
    case .command(let options):
      var number: Int?
      caller.onGone = { [weak self] in
        guard let self, let number else { return }
        forget(number)
      }
      number = perform(options) { [weak caller] reply in caller?.reply(reply) }
    case .pair(let options):
      let pairing = pair(options) { [weak caller] reply in caller?.reply(reply) }
      // Whoever asked is the one who compares: without that process nobody does.
      caller.onGone = { pairing?.cancel() }
      caller.onAnswer = { pairing?.answer(isSame: $0) }
    case .pairingAnswer:
      caller.reply(.end(.usage, error: "nothing is asked"))
    }
  }

  /// Sends a command to the vehicles it is for and tells what becomes of it; the last reply is `.end`.
  ///
  /// - Returns: the number of the request, nil when it ended at once.
  @discardableResult
  public func perform(
    _ options: VehicleCommandOptions, onReply: @escaping (ControlReply) -> Void
  ) -> Int? {
    if settings.isForOneCommand, options.verb.needsRunningClient {
      onReply(.end(.serviceUnavailable, error: options.verb.missingClientText))
      return nil
    }
    if !settings.isForOneCommand {
      do throws(RequestFailure) {
        let isForSilent = options.verb == .stop || options.vehicle == .all
        let chosen = try chooseVehicles(
          for: options.verb, options.vehicle, among: isForSilent ? heardOrSilent : connectedVehicles,
          known: heardOrSilent)
        let request = begin(options, onReply)
        onReply(.started(vehicles: chosen.count))
        for label in chosen { send(options.verb, options.target, to: label, request) }
        handle(tracker.seal(request))
        return request
      } catch {
        onReply(.end(error.exitCode, error: error.message))
        return nil
      }
    }
    let request = begin(options, onReply)
    waiting.append(Waiting(request: request, verb: options.verb, selection: options.vehicle))
    reconsiderWaiting()
    return request
  }

  private func begin(_ options: VehicleCommandOptions, _ onReply: @escaping (ControlReply) -> Void) -> Int {
    let deadline = loop.now.advanced(by: options.timeout)
    let request = tracker.begin(
      options.verb, deadline: deadline, untilArrival: options.waitsForArrival)
    let timer = loop.schedule(at: deadline) { [weak self] in self?.expire() }
    asked[request] = Asked(onReply: onReply, deadline: timer)
    return request
  }

  private func expire() { handle(tracker.expire(at: loop.now)) }

  /// No request is open.
  public var isIdle: Bool { asked.isEmpty }

  func forget(_ request: Int) {
    tracker.forget(request)
    waiting.removeAll { $0.request == request }
    asked.removeValue(forKey: request)?.deadline?.cancel()
  }

  func send(
    _ verb: VehicleVerb, _ manner: TargetOptions = TargetOptions(), to label: VehicleLabel, _ request: Int
  ) {
    guard
      let frame = composer.frame(
        for: verb, manner, to: label.id, position: position?.position(at: loop.now)),
      let sequence = frame.sequence
    else {
      let state = position?.status(at: loop.now).text ?? "there is none"
      let reason = "this client has no usable position to follow: \(state)"
      return handle(tracker.notSent(to: label, .refused(reason: reason), request: request))
    }
    if vehicles[label.id]?.isSilent == true {
      guard verb == .stop else {
        composer.concluded(sequence: sequence, vehicle: label.id, wasRefused: true)
        let reason = "the vehicle is silent; look at it, and ask again when it is connected"
        return handle(tracker.notSent(to: label, .notSent(reason: reason), request: request))
      }
      return tracker.postponed(to: label, request: request, at: loop.now)
    }
    let result = transceiver.send(
      RemoteControlMessageClass.command.rawValue, frame.encoded(), to: label.id, mode: .urgent())
    guard result == .sent else {
      composer.concluded(sequence: sequence, vehicle: label.id, wasRefused: true)
      return handle(
        tracker.notSent(to: label, .notSent(reason: result.text), request: request))
    }
    tracker.sent(sequence, to: label, request: request, at: loop.now)
  }

  func handle(_ events: [OutcomeTracker.Event]) {
    for event in events {
      switch event {
      case .outcome(let request, _, let outcome):
        asked[request]?.onReply(.outcome(outcome))
        console?.line("\(shown(outcome.vehicle)): \(outcome.text)")
      case .asking(let request, let vehicle):
        let status = vehicles[vehicle.id]?.status
        let holder = status?.controllerName.map(shown) ?? "the client in control"
        asked[request]?.onReply(
          .note("asked \(holder) for \(shown(vehicle.name)), which goes over unless that one refuses"))
      case .finished(let request, let code):
        let waited = waiting.first { $0.request == request }
        waiting.removeAll { $0.request == request }
        guard let asked = asked.removeValue(forKey: request) else { continue }
        asked.deadline?.cancel()
        asked.onReply(code == .noVehicle ? noVehicle(waited) : .end(code, error: nil))
      }
    }
  }

  /// Sends what waited for a vehicle as soon as it is clear which one is meant.
  func reconsiderWaiting() {
    let now = loop.now
    let connected = connectedVehicles
    for index in waiting.indices.reversed() where !connected.isEmpty {
      let item = waiting[index]
      let first = item.firstConnection ?? now
      waiting[index].firstConnection = first
      let isSettled = first.duration(to: now) >= Self.settling
      switch (item.verb, item.selection) {
      case (.stop, .only), (.stop, .all):
        // A stop goes to each vehicle the moment it connects.
        asked[item.request]?.onReply(.started(vehicles: connected.count))
        for label in connected where waiting[index].reached.insert(label.id).inserted {
          send(item.verb, to: label, item.request)
        }
        if isSettled { seal(item.request) }
      case (_, .named(let name)):
        // The one that is meant may still come.
        let count = ClientApp.vehicles(called: name, among: connected).count
        guard count == 1 || (count > 1 && (isSettled || item.verb == .stop)) else { continue }
        sendToChosen(item, among: connected)
      case (_, .only), (_, .all):
        guard isSettled else { continue }
        sendToChosen(item, among: connected)
      }
    }
  }

  private func sendToChosen(_ item: Waiting, among connected: [VehicleLabel]) {
    do throws(RequestFailure) {
      let chosen = try chooseVehicles(for: item.verb, item.selection, among: connected)
      asked[item.request]?.onReply(.started(vehicles: chosen.count))
      for label in chosen { send(item.verb, to: label, item.request) }
      seal(item.request)
    } catch {
      asked[item.request]?.onReply(.end(error.exitCode, error: error.message))
      forget(item.request)
    }
  }

  /// Ends what waits for a vehicle that has no way to find this client.
  func giveUp(_ problem: String) {
    for item in waiting where item.firstConnection == nil {
      asked[item.request]?.onReply(
        .end(.serviceUnavailable, error: "no vehicle can find this client: \(problem)"))
      forget(item.request)
    }
  }

  private func seal(_ request: Int) {
    waiting.removeAll { $0.request == request }
    handle(tracker.seal(request))
  }

  private func noVehicle(_ waited: Waiting?) -> ControlReply {
    if let advertisingProblem, connectedVehicles.isEmpty {
      return .end(.serviceUnavailable, error: "no vehicle can find this client: \(advertisingProblem)")
    }
    if case .named(let name)? = waited?.selection, !connectedVehicles.isEmpty {
      let names = connectedVehicles.map { shown($0.name) }.joined(separator: ", ")
      return .end(.noVehicle, error: "no vehicle '\(shown(name))' connected in time; connected: \(names)")
    }
    return .end(
      .noVehicle,
      error: "no vehicle connected in time: is drone-navigator running, and do both sides trust each other?")
  }
}
