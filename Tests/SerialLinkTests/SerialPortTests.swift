import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import SerialLink

@Suite(.timeLimit(.minutes(1))) struct SerialPortTests {
  @Test func bytesGoBothWaysUnchanged() throws {
    let terminal = try PseudoTerminal()
    let loop = try EventLoop()
    let channel = try SerialPort.channel(path: terminal.path, baud: 57600, on: loop)
    defer { channel.close() }
    var arrived: [UInt8] = []
    channel.onBytes = { arrived += $0 }
    // Every byte value: nothing may be translated, echoed or taken as a control character.
    let all = [UInt8](0...255)
    #expect(write(terminal.controller, all, all.count) == 256)
    #expect(loop.runUntil { arrived.count == 256 })
    #expect(arrived == all)

    #expect(channel.write(all))
    var buffer = [UInt8](repeating: 0, count: 512)
    #expect(loop.runUntil { read(terminal.controller, &buffer, 512) == 256 })
    #expect(Array(buffer[..<256]) == all)
  }

  @Test func aHangUpEndsTheChannelAndAnIdleLineDoesNot() throws {
    let loop = try EventLoop()
    var end: ChannelEnd?
    var terminal: PseudoTerminal? = try PseudoTerminal()
    let channel = try SerialPort.channel(path: try #require(terminal).path, baud: 57600, on: loop)
    defer { channel.close() }
    channel.onEnd = { end = $0 }
    #expect(!loop.runUntil(.milliseconds(100)) { end != nil })
    terminal = nil
    #expect(loop.runUntil { end != nil })
  }

  @Test func theDeviceIsExclusiveAndFreeAgainAfterClosing() throws {
    let terminal = try PseudoTerminal()
    let first = try SerialPort.open(path: terminal.path, baud: 57600)
    let error = #expect(throws: SerialOpenError.self) {
      try SerialPort.open(path: terminal.path, baud: 57600)
    }
    #expect(error?.kind == .busy)
    #expect(error?.description.contains("in use") == true)
    close(first)
    let second = try SerialPort.open(path: terminal.path, baud: 57600)
    close(second)
  }

  @Test func aLinkIsFollowed() throws {
    let terminal = try PseudoTerminal()
    let link = "/tmp/serial-link-\(getpid())"
    unlink(link)
    #expect(symlink(terminal.path, link) == 0)
    defer { unlink(link) }
    let descriptor = try SerialPort.open(path: link, baud: 57600)
    close(descriptor)
  }

  @Test(arguments: [
    (path: "/dev/does-not-exist", kind: SerialOpenError.Kind.missing, text: "is not there: waiting for it"),
    (path: "/dev/null", kind: .notASerialDevice, text: "is not a serial device"),
    (path: "/etc/passwd", kind: .notASerialDevice, text: "is not a serial device"),
  ]) func whatCannotBeOpenedIsExplained(
    _ test: (path: String, kind: SerialOpenError.Kind, text: String)
  ) {
    let error = #expect(throws: SerialOpenError.self) {
      try SerialPort.open(path: test.path, baud: 57600)
    }
    #expect(error?.kind == test.kind)
    #expect(error?.description.contains(test.text) == true)
  }

  @Test func deniedNamesTheGroupAndTheCommand() throws {
    let terminal = try PseudoTerminal()
    let device = try SerialDevice(path: terminal.path)
    let error = device.failure(code: EACCES)
    var status = stat()
    #expect(stat(terminal.path, &status) == 0)
    let group = try #require(Accounts.groupName(status.st_gid))
    let user = try #require(Accounts.userName(geteuid()))
    #expect(error.kind == .permissionDenied)
    #expect(
      error.description
        == "cannot open \(terminal.path): permission denied: add the user to group \(group)"
        + " (sudo usermod -aG \(group) \(user)) and log in again")
  }

  @Test func theHolderOfADeviceIsFound() throws {
    let terminal = try PseudoTerminal()
    // A child that holds the terminal open.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, terminal.path, O_RDWR | O_NOCTTY, 0)
    var child: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("30"), nil]
    defer { for word in words { free(word) } }
    #expect(posix_spawn(&child, "/bin/sleep", &actions, nil, words, nil) == 0)
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    #expect(ProcessTable.holder(of: terminal.path) == "sleep (process \(child))")
  }

  @Test func aBareNameHasAStableOne() throws {
    let terminal = try PseudoTerminal()
    let directory = "/tmp/serial-by-id-\(getpid())"
    mkdir(directory, 0o700)
    let link = "\(directory)/usb-Autopilot_1-if00"
    #expect(symlink(terminal.path, link) == 0)
    defer {
      unlink(link)
      rmdir(directory)
    }
    #expect(SerialPort.stableName(for: terminal.path, in: directory) == link)
    #expect(SerialPort.stableName(for: link, in: directory) == nil)
    #expect(SerialPort.stableName(for: "/dev/null", in: directory) == nil)
  }
}
