import PeerLink
import PeerProtocol
import ServiceDiscovery

extension NodeRuntime {
  // MARK: Advertise

  nonisolated func startAdvertising(_ record: AdvertiserRecord) {
    submit { runtime in
      guard let transceiver = runtime.transceiver else { return record.finish() }
      guard runtime.advertiser !== record else { return }
      runtime.endAdvertising()
      runtime.advertiser = record
      guard record.isVisible else {
        record.states.update { $0.put(.hidden) }
        return
      }
      do {
        try transceiver.setDiscoveryInfo(
          record.discoveryInfo.values.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
        try transceiver.startAdvertising()
      } catch {
        record.states.update { $0.put(.failed(reason: "\(error)")) }
      }
    }
  }

  /// - Parameter isFinal: the advertiser itself is gone.
  nonisolated func stopAdvertising(_ record: AdvertiserRecord, isFinal: Bool) {
    submit { runtime in
      if runtime.advertiser === record { runtime.endAdvertising() }
      if isFinal { record.finish() }
    }
  }

  private func endAdvertising() {
    guard let record = advertiser else { return }
    advertiser = nil
    transceiver?.stopAdvertising()
    record.states.update { $0.put(.stopped) }
    // Releasing them declines them.
    record.invitations.update { $0.removeAll() }
  }

  func publication(_ state: PublicationState) {
    advertiser?.states.update { $0.put(PeerAdvertiser.State(state)) }
  }

  // MARK: Browse

  nonisolated func startBrowsing(_ record: BrowserRecord) {
    submit { runtime in
      guard let transceiver = runtime.transceiver else { return record.events.finish() }
      guard runtime.browsers[ObjectIdentifier(record)] == nil else { return }
      runtime.browsers[ObjectIdentifier(record)] = record
      do { try transceiver.startBrowsing() } catch {
        record.events.update { $0.put(availability: .unavailable(reason: "\(error)")) }
      }
      let (found, availability) = (runtime.found, runtime.availability)
      record.events.update { queue in
        if let availability { queue.put(availability: availability) }
        for sighting in found.values { queue.saw(sighting) }
      }
    }
  }

  /// - Parameter isFinal: the browser itself is gone.
  nonisolated func stopBrowsing(_ record: BrowserRecord, isFinal: Bool) {
    submit { runtime in
      if runtime.browsers.removeValue(forKey: ObjectIdentifier(record)) != nil {
        record.events.update { $0.loseAll() }
        if runtime.browsers.isEmpty {
          runtime.transceiver?.stopBrowsing()
          runtime.found = [:]
          runtime.availability = nil
        }
      }
      if isFinal { record.events.finish() }
    }
  }

  func found(_ peer: FoundPeer) {
    let sighting = BrowserEventQueue.Sighting(
      peer: Peer(
        id: Peer.ID(peer.id), displayName: peer.name, isTrusted: paired.isTrusted(peer.id)),
      info: DiscoveryInfo(received: peer.discoveryInfo))
    guard found[sighting.peer.id] != nil || found.count < PeerBrowser.maximumPeers else { return }
    found[sighting.peer.id] = sighting
    for record in browsers.values { record.events.update { $0.saw(sighting) } }
  }

  func lost(_ id: PeerProtocol.PeerID) {
    guard found.removeValue(forKey: Peer.ID(id)) != nil else { return }
    for record in browsers.values { record.events.update { $0.lost(Peer.ID(id)) } }
  }

  func discovery(_ availability: DiscoveryAvailability) {
    let event: PeerBrowser.Event =
      switch availability {
      case .available: .available
      case .unavailable(let reason): .unavailable(reason: reason)
      }
    self.availability = event
    for record in browsers.values { record.events.update { $0.put(availability: event) } }
  }

  /// Trust changed: peers that are known are shown so.
  func refreshFound() {
    for (id, old) in found {
      let sighting = BrowserEventQueue.Sighting(
        peer: Peer(
          id: id, displayName: old.peer.displayName, isTrusted: paired.isTrusted(id.link)), info: old.info)
      found[id] = sighting
      for record in browsers.values { record.events.update { $0.saw(sighting) } }
    }
  }
}

extension PeerAdvertiser.State {
  init(_ state: PublicationState) {
    switch state {
    case .publishing(let name): self = .advertising(name: name)
    case .waiting(let reason): self = .waiting(reason: reason)
    case .failed(let reason): self = .failed(reason: reason)
    }
  }
}
