extension NodeRuntime {
  nonisolated func sendResource(
    at path: String, named name: String?, to peer: Peer, from session: SessionRecord
  ) -> ResourceTransfer { ResourceTransfer(peer: peer, name: name ?? path, record: TransferRecord()) }

  func openStream(
    named name: String, to peer: Peer, from session: SessionRecord
  ) async throws(StreamError) -> PeerStream { throw .notConnected }
}
