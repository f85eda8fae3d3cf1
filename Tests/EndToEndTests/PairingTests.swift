import Glibc
import JSONText
import ServiceRuntime
import TestSupport
import Testing

/// A person in front of one program: reads its lines and types.
private final class Person {
  private let terminal: PseudoTerminal
  private let program: ChildProcess
  private(set) var lines: [String] = []

  init(_ program: BuiltProgram, _ arguments: [String], in place: Place = Place()) throws {
    terminal = try PseudoTerminal()
    self.program = try ChildProcess(
      ["sh", "-c", "exec \"$@\" <\(terminal.path) 2>&1", "sh"] + place.prefix + [program.path] + arguments,
      environment: place.environment)
  }

  /// Waits for a line that contains `text`.
  func reads(_ text: String, within limit: Duration = .seconds(20)) -> Bool {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while let line = program.readLine(within: ContinuousClock.now.duration(to: deadline)) {
      lines.append(line)
      if line.contains(text) { return true }
    }
    return false
  }

  /// The six digits of the question, when it comes.
  func digits() -> String? {
    guard reads("same digits: "), let line = lines.last, reads("Type y or n") else { return nil }
    return String(line.suffix(7))
  }

  func types(_ text: String) { _ = write(terminal.controller, text + "\n", text.utf8.count + 1) }

  /// Reads on to the end.
  func exitCode() -> Int32? {
    while let line = program.readLine(within: .seconds(20)) { lines.append(line) }
    return program.exitCode(within: .seconds(5))
  }

  var text: String { lines.joined(separator: "\n") }
}

extension EndToEndTests {
  @Suite struct PairingTests {
    private let directory: TemporaryDirectory
    private var client: String { "\(directory.path)/client" }
    private var navigator: String { "\(directory.path)/navigator" }

    init() throws { directory = try TemporaryDirectory() }

    private func avahi() throws -> PrivateAvahi? {
      if let missing = PrivateAvahi.missing {
        print("skipped: \(missing)")
        return nil
      }
      let host = try PrivateAvahi(hostName: "pairing")
      try host.startBus()
      try host.startDaemon()
      return host
    }

    /// Names of the trusted peers of a state directory, by identity.
    private func peers(_ program: BuiltProgram, _ state: String) throws -> [String: String] {
      var peers: [String: String] = [:]
      for line in try Finished(program, ["peers", "--json", "--state", state]).lines {
        let json = try JSON.parse(line)
        peers[try #require(json["id"]?.string)] = try #require(json["name"]?.string)
      }
      return peers
    }

    private func id(_ program: BuiltProgram, _ state: String) throws -> String {
      try #require(try Finished(program, ["identity", "--state", state]).lines.first)
    }

    @Test func twoPeopleCompareAndTheRunningProgramsConnect() throws {
      guard let host = try avahi() else { return }
      defer { host.stop() }
      let place = Place(host)
      let running = try Running(
        .client, ["run", "--name", "Ann", "--state", client, "--position", World.north], in: place)
      defer { running.stop() }
      #expect(running.says("advertised as"))
      let vehicle = try Running(
        .navigator, ["run", "--serial", "udp://127.0.0.1:9", "--state", navigator], in: place)
      defer { vehicle.stop() }
      #expect(vehicle.says("is running"))

      let ann = try Person(.client, ["pair", "--state", client], in: place)
      #expect(ann.reads("accepts pairing"), "\(ann.text)")
      let bob = try Person(.navigator, ["pair", "--state", navigator], in: place)
      let digits = try #require(ann.digits(), "\(ann.text)\n\(bob.text)")
      #expect(bob.digits() == digits)
      #expect(ann.text.contains("'Drone'") && bob.text.contains("'Ann'"))
      ann.types("y")
      #expect(try peers(.client, client).isEmpty, "nothing is stored before both said yes")
      bob.types("yes")
      #expect(ann.exitCode() == 0, "\(ann.text)")
      #expect(bob.exitCode() == 0, "\(bob.text)")
      #expect(try peers(.client, client) == [id(.navigator, navigator): "Drone"])
      #expect(try peers(.navigator, navigator) == [id(.client, client): "Ann"])
      #expect(running.says("connected: Drone"), "\(running.lines)")
    }

    @Test func anUnattendedVehicleTakesWhoKnowsItsCode() throws {
      guard let host = try avahi() else { return }
      defer { host.stop() }
      let place = Place(host)
      let file = "\(directory.path)/code"
      let vehicle = try Running(
        .navigator, ["pair", "--accept-for", "1m", "--code-file", file, "--state", navigator], in: place)
      defer { vehicle.stop() }
      #expect(vehicle.says("looks for a client"))
      let code = String(
        decoding: try Files.read(file, maximumBytes: 16).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      var information = stat()
      #expect(stat(file, &information) == 0 && information.st_mode & 0o777 == 0o600)
      let operatorSide = try Finished(
        .client, ["pair", "--code-file", file, "--name", "Ann", "--state", client], in: place)
      #expect(operatorSide.code == 0, "\(operatorSide) \(vehicle.lines)")
      #expect(vehicle.exitCode() == 0)
      vehicle.catchUp()
      #expect(!vehicle.lines.joined().contains(code), "the code is in the file alone")
      #expect(access(file, F_OK) != 0, "the code is worth nothing any more")
      #expect(try peers(.client, client) == [id(.navigator, navigator): "Drone"])
      #expect(try peers(.navigator, navigator) == [id(.client, client): "Ann"])
    }

    @Test func threeWrongCodesEndIt() throws {
      let port = try GPSDaemon.freePort()
      let vehicle = try Running(
        .navigator,
        ["pair", "--accept-for", "1m", "--state", navigator, "--connect", "127.0.0.1:\(port)"], in: Place())
      defer { vehicle.stop() }
      #expect(vehicle.says("code: "))
      let right = try #require(vehicle.lines.last?.suffix(6))
      let wrong = right == "000000" ? "000001" : "000000"
      let wrongFile = "\(directory.path)/wrong"
      try Files.replace(wrongFile, with: Array("\(wrong)\n".utf8), mode: 0o600)
      for attempt in 1...3 {
        let guess = try Finished(
          .client, ["pair", "--code-file", wrongFile, "--listen", "127.0.0.1:\(port)", "--state", client])
        #expect(guess.code == 2 && guess.text.contains("WARNING: NOT paired"), "\(attempt): \(guess)")
      }
      #expect(vehicle.exitCode() == 2)
      vehicle.catchUp()
      #expect(vehicle.lines.count { $0.contains("WARNING: NOT paired") } == 3, "\(vehicle.lines)")
      #expect(try peers(.client, client).isEmpty && peers(.navigator, navigator).isEmpty)
    }

    @Test func aNoOnOneScreenIsAWarningOnBoth() throws {
      let port = try GPSDaemon.freePort()
      let ann = try Person(
        .client, ["pair", "--state", client, "--listen", "127.0.0.1:\(port)", "--timeout", "20s"])
      #expect(ann.reads("accepts pairing"))
      let bob = try Person(.navigator, ["pair", "--state", navigator, "--connect", "127.0.0.1:\(port)"])
      _ = try #require(ann.digits(), "\(ann.text)\n\(bob.text)")
      _ = try #require(bob.digits())
      bob.types("y")
      ann.types("what?")
      #expect(ann.reads("Type y or n"))
      ann.types("n")
      #expect(ann.reads("2 attempts are left"), "\(ann.text)")
      #expect(bob.exitCode() == 2)
      #expect(bob.text.contains("WARNING: NOT paired with"), "\(bob.text)")
      #expect(try peers(.client, client).isEmpty && peers(.navigator, navigator).isEmpty)
    }

    @Test func severalClientsAreListedAndOneIsChosen() throws {
      guard let host = try avahi() else { return }
      defer { host.stop() }
      let place = Place(host)
      let people = try ["Ann", "Cid"].map { name in
        let person = try Person(
          .client, ["pair", "--name", name, "--state", "\(client)-\(name)", "--timeout", "40s"], in: place)
        #expect(person.reads("accepts pairing"))
        return person
      }
      usleep(2_000_000)
      let bob = try Person(.navigator, ["pair", "--state", navigator], in: place)
      #expect(bob.exitCode() == 2)
      #expect(
        bob.text.contains("--peer NAME") && bob.text.contains("Ann") && bob.text.contains("Cid"),
        "\(bob.text)")
      let again = try Person(.navigator, ["pair", "--state", navigator, "--peer", "Cid"], in: place)
      let digits = try #require(people[1].digits(), "\(people[1].text)\n\(again.text)")
      #expect(again.digits() == digits)
      again.types("y")
      people[1].types("y")
      #expect(again.exitCode() == 0 && people[1].exitCode() == 0)
      #expect(try peers(.navigator, navigator).values.sorted() == ["Cid"])
    }

    /// The same name with another certificate: the old entry stays, and nobody overlooks it.
    @Test func aKnownNameWithAnotherIdentityIsAWarning() throws {
      let port = try GPSDaemon.freePort()
      let old = String(repeating: "ab", count: 32)
      #expect(try Finished(.navigator, ["trust", old, "--name", "Ann", "--state", navigator]).code == 0)
      let ann = try Person(
        .client, ["pair", "--name", "Ann", "--state", client, "--listen", "127.0.0.1:\(port)"])
      let bob = try Person(.navigator, ["pair", "--state", navigator, "--connect", "127.0.0.1:\(port)"])
      #expect(bob.reads("WARNING: 'Ann' is trusted here with another identity (abababab)"), "\(bob.text)")
      _ = try #require(ann.digits())
      _ = try #require(bob.digits())
      ann.types("y")
      bob.types("y")
      #expect(ann.exitCode() == 0 && bob.exitCode() == 0)
      let listed = try Finished(.navigator, ["peers", "--state", navigator])
      #expect(listed.text.contains("two identities have the name 'Ann'"), "\(listed)")
    }

    @Test func withoutATerminalNobodyIsAsked() throws {
      for (program, arguments) in [
        (BuiltProgram.client, ["pair", "--state", client]), (.navigator, ["pair", "--state", navigator]),
      ] {
        let finished = try Finished(program, arguments)
        #expect(finished.code == 64 && finished.text.contains("needs a person at a terminal"), "\(finished)")
      }
    }

    @Test func whatIsTypedInPlaceOfACodeIsRefused() throws {
      let ann = try Person(.client, ["pair", "--code", "--listen", "127.0.0.1:0", "--state", client])
      #expect(ann.reads("Type the six digits"))
      ann.types("12345")
      #expect(
        ann.exitCode() == 64 && ann.text.contains("standard input: a code has six digits"), "\(ann.text)")
    }

    /// A person types the code: at the command it would show in the list of processes.
    @Test func nobodyInTimeIsNoAnswer() throws {
      let ann = try Person(
        .client, ["pair", "--code", "--timeout", "5s", "--listen", "127.0.0.1:0", "--state", client])
      #expect(ann.reads("Type the six digits"))
      ann.types("123 456")
      #expect(ann.exitCode() == 4 && ann.text.contains("drone-navigator pair"), "\(ann.text)")
    }
  }
}
