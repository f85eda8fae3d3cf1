public import Configuration
import JSONText
import PeerProtocol
import SecureTransport
public import ServiceRuntime

/// The subcommands `identity`, `trust`, `untrust` and `peers`, the same for every program that has an identity.
public enum PeerAdministration {
  /// Runs one of them; a program that is running in the same state directory takes notice by itself.
  ///
  /// - Parameters:
  ///   - stateDirectory: made with mode 0700 when it is missing.
  ///   - commonName: the subject of a new identity, for people who look at its certificate.
  ///   - output: receives lines for standard output.
  ///   - errorOutput: receives lines for standard error: cause first, then the remedy.
  public static func run(
    _ command: TrustCommand, stateDirectory: String, commonName: String, output: (String) -> Void,
    errorOutput: (String) -> Void
  ) -> ExitCode {
    do {
      switch command {
      case .identity(let json):
        let id = try Identity.loadOrCreate(directory: stateDirectory, commonName: commonName).peerID
        let name = sanitizedPeerName(commonName)
        output(json ? line(id, name) : id.hex)
        return .accepted
      case .trust(let digits, let name):
        guard let id = PeerID(hex: digits) else { return malformed(digits, errorOutput) }
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        return try trust(id, name: name, in: TrustStore(directory: stateDirectory), output)
      case .untrust(let digits):
        guard let id = PeerID(hex: digits) else { return malformed(digits, errorOutput) }
        let store = TrustStore(directory: stateDirectory)
        guard try store.load().contains(id), try store.remove(id) else {
          errorOutput("\(id.hex) is not trusted, so nothing changed; 'peers' lists who is")
          return .refused
        }
        output("\(id.hex) is trusted no longer")
        return .accepted
      case .peers(let json):
        let list = try TrustStore(directory: stateDirectory).load()
        for problem in list.problems { errorOutput(problem.description.escapingControlCharacters) }
        for peer in list.peers { output(json ? line(peer.id, peer.name) : "\(peer.id.hex) \(peer.name)") }
        for name in list.sharedNames {
          errorOutput(
            "WARNING: two identities have the name '\(name)': they are different devices, or one with a new key; 'untrust ID' "
              + "takes the trust of the wrong one back")
        }
        if list.peers.isEmpty, !json {
          errorOutput(
            "nobody is trusted yet; 'pair' does it by six digits, or 'trust ID' trusts the peer whose 'identity' prints ID"
          )
        }
        return .accepted
      }
    } catch {
      errorOutput("\(error)".escapingControlCharacters)
      return .configuration
    }
  }

  private static func trust(
    _ id: PeerID, name: String?, in store: TrustStore, _ output: (String) -> Void
  ) throws(TrustError) -> ExitCode {
    let known = try store.load().name(of: id)
    let name = sanitizedPeerName(name ?? known ?? id.short)
    try store.add(id, name: name)
    output("\(id.hex) (\(name)) is \(known == nil ? "" : "still ")trusted")
    return .accepted
  }

  private static func malformed(_ digits: String, _ errorOutput: (String) -> Void) -> ExitCode {
    errorOutput("'\(digits.escapingControlCharacters)' is not an identity of 64 hexadecimal digits")
    return .usage
  }

  private static func line(_ id: PeerID, _ name: String) -> String {
    (["id": .string(id.hex), "name": .string(name)] as JSON).text
  }
}
