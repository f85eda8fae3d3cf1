import Glibc
import ServiceRuntime
import Testing

@testable import Systemd

@Suite struct JournalTests {
  @Test func fieldsOfARecordBecomeFieldsOfTheJournal() {
    let record = Logger.Record(
      level: .warning, message: "lost\nPRIORITY=0",
      fields: [("peer.id", "ab"), ("serial.path", "/dev/a\u{1b}[0m")])
    #expect(
      Journal.assignments(of: record, program: "drone-navigator") == [
        "MESSAGE=lost\\u{a}PRIORITY=0 peer.id=ab serial.path=/dev/a\\u{1b}[0m", "PRIORITY=4",
        "SYSLOG_IDENTIFIER=drone-navigator", "DRONE_PEER_ID=ab", "DRONE_SERIAL_PATH=/dev/a\\u{1b}[0m",
      ])
  }

  @Test func onlyWhatSystemdConnectedIsTheJournal() {
    var status = stat()
    #expect(fstat(2, &status) == 0)
    #expect(Journal.takesStandardError("\(status.st_dev):\(status.st_ino)"))
    for other in [nil, "", "1", "\(status.st_dev):\(status.st_ino + 1)", "a:b"] as [String?] {
      #expect(!Journal.takesStandardError(other))
    }
  }
}
