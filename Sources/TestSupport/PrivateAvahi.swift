import CLinux
import Glibc
import LinkImpairment
public import ServiceRuntime

/// A host of its own: a network namespace with a private D-Bus and avahi-daemon, for tests and demonstrations.
///
/// Needs root, `unshare`, `nsenter`, `ip`, `dbus-daemon` and `avahi-daemon`. One shell inside the namespace starts and ends
/// the daemons; when its input ends, because this process died, it kills them, and the namespace goes with the last
/// process in it. Nothing has a name that could be left behind, but for a temporary directory.
public final class PrivateAvahi {
  /// What is missing to use this, or nil.
  public static let missing: String? = {
    if geteuid() != 0 { return "not root" }
    for program in ["unshare", "nsenter", "ip", "dbus-daemon", "avahi-daemon"]
    where !["/usr/sbin", "/usr/bin", "/sbin", "/bin"].contains(where: {
      access("\($0)/\(program)", X_OK) == 0
    }) {
      return "\(program) is not installed"
    }
    let trial = try? ChildProcess(["unshare", "--net", "--mount", "true"])
    if trial?.exitCode(within: .seconds(10)) != 0 { return "the kernel allows no namespaces here" }
    return nil
  }()

  private let shell: ChildProcess
  private let directory: String
  public private(set) var daemonProcessID: Int32 = 0
  public private(set) var busProcessID: Int32 = 0

  /// Makes the namespace with a loopback interface and, unless `address` is nil, an interface `net0` with it.
  ///
  /// - Parameters:
  ///   - hostName: the host's name on the network, without `.local`.
  ///   - address: IPv4 address of `net0` with prefix length; its IPv6 address is link-local.
  public init(hostName: String, address: String? = "10.77.0.1/24") throws {
    var template = Array("/tmp/private-avahi-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError.current("mkdtemp") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try Files.replace(
      "\(directory)/bus.conf", with: Array(Self.busConfiguration(directory).utf8), mode: 0o644)
    try Files.replace(
      "\(directory)/avahi.conf", with: Array(Self.daemonConfiguration(hostName).utf8), mode: 0o644)
    shell = try ChildProcess(
      ["unshare", "--net", "--mount", "sh", "-c", Self.script, "sh", directory, address ?? ""])
    guard shell.readLine(within: .seconds(10)) == "ready" else {
      throw SystemError("make a network namespace", code: EPERM)
    }
  }

  deinit { stop() }

  /// Put this before a command to run it inside.
  public var commandPrefix: [String] {
    // The root too: without it a test that runs below a chroot would end up outside.
    ["nsenter", "--target", "\(shell.processID)", "--net", "--mount", "--root", "--"]
  }
  /// Programs inside need this to find the private bus.
  public var environment: [String: String] {
    ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory)/bus"]
  }

  /// Starts a program inside.
  public func run(_ command: [String], quiet: Bool = true) throws -> ChildProcess {
    try ChildProcess(commandPrefix + command, environment: environment, quiet: quiet)
  }

  public func startBus() throws { busProcessID = try ask("start-bus") }
  public func startDaemon() throws { daemonProcessID = try ask("start-daemon") }
  /// SIGKILL, and waits for the end.
  public func killBus() throws { _ = try ask("kill-bus") }
  /// SIGKILL, and waits for the end.
  public func killDaemon() throws { _ = try ask("kill-daemon") }
  /// The process that keeps the namespace.
  public var processID: Int32 { shell.processID }
  /// Does `work` with this thread inside: a socket that it opens belongs to this host.
  public func inside<Result>(_ work: () throws(SystemError) -> Result) throws -> Result {
    try NetworkNamespace("\(processID)").inside(work)
  }

  /// Runs a command of `ip` inside.
  public func ip(_ words: String...) throws {
    let program = try ChildProcess(commandPrefix + ["ip"] + words, quiet: false)
    guard program.exitCode(within: .seconds(10)) == 0 else {
      throw SystemError("ip \(words.joined(separator: " "))", code: EIO)
    }
  }

  /// Replaces the IPv4 address of `net0` at once, as a new lease does.
  public func changeAddress(to address: String) throws {
    try ip("-4", "address", "flush", "dev", "net0")
    try setAddress(address)
  }

  /// Gives `net0` an address and sets it up.
  func setAddress(_ address: String) throws { _ = try ask("address \(address)") }

  /// Takes the cable out, or puts it back.
  public func setLink(up: Bool) throws { _ = try ask(up ? "link-up" : "link-down") }

  /// Joins this host with another by a cable: each has an interface `net0`. Make both with `address` nil.
  public func connect(to other: PrivateAvahi, _ address: String, _ otherAddress: String) throws {
    try ip("link", "add", "net0", "type", "veth", "peer", "name", "net0", "netns", "\(other.processID)")
    try setAddress(address)
    try other.setAddress(otherAddress)
  }

  /// Kills the daemons and removes everything. Idempotent.
  public func stop() {
    shell.closeInput()
    _ = shell.exitCode(within: .seconds(10))
    shell.stop()
    for name in ["bus", "bus.conf", "avahi.conf"] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  private func ask(_ command: String) throws -> Int32 {
    shell.send(command)
    guard let answer = shell.readLine(within: .seconds(10)), let number = Int32(answer) else {
      throw SystemError("\(command) in a network namespace", code: EIO)
    }
    return number
  }

  private static let script = """
    directory=$1
    exec 2>/dev/null
    bus=; daemon=; far=
    end() { kill -9 $daemon $bus $far; wait; rm -f "$directory/bus"; exit 0; }
    trap end EXIT
    up() { ip address add "$1" dev net0; ip link set net0 multicast on up; }
    mount -t tmpfs tmpfs /run || exit 1
    ip link set lo up || exit 1
    if [ -n "$2" ]; then
      # The far end of the cable is in a namespace without a daemon: here Avahi would hear itself by it. (Not every
      # kernel has dummy interfaces.)
      unshare --net sh -c 'while ! ip link set far0 up; do sleep 0.05; done; exec sleep 100000' <&- >/dev/null &
      far=$!
      while [ "$(readlink /proc/$far/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
      ip link add net0 type veth peer name far0 netns $far && up "$2" || exit 1
    fi
    echo ready
    while read -r command argument; do
      case $command in
        start-bus)
          rm -f "$directory/bus"
          dbus-daemon --config-file="$directory/bus.conf" --nofork --nopidfile <&- >/dev/null &
          bus=$!
          for i in 1 2 3 4 5 6 7 8 9; do [ -S "$directory/bus" ] && break; sleep 0.1; done
          echo $bus;;
        start-daemon)
          rm -f /run/avahi-daemon/pid
          DBUS_SYSTEM_BUS_ADDRESS="unix:path=$directory/bus" avahi-daemon -f "$directory/avahi.conf" \\
            --no-drop-root --no-chroot --no-rlimits <&- >/dev/null &
          daemon=$!
          echo $daemon;;
        kill-bus) kill -9 $bus; wait $bus; rm -f "$directory/bus"; bus=; echo 0;;
        kill-daemon) kill -9 $daemon; wait $daemon; daemon=; echo 0;;
        address) up "$argument"; echo 0;;
        link-up) ip link set net0 up; echo 0;;
        link-down) ip link set net0 down; echo 0;;
      esac
    done
    """

  /// Everyone may own and call everything: the bus is reached by those only who know its path.
  private static func busConfiguration(_ directory: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>system</type>
      <listen>unix:path=\(directory)/bus</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow receive_sender="*"/>
        <allow own="*"/>
        <allow user="*"/>
      </policy>
    </busconfig>
    """
  }

  private static func daemonConfiguration(_ hostName: String) -> String {
    """
    [server]
    host-name=\(hostName)
    use-ipv4=yes
    use-ipv6=yes
    [wide-area]
    enable-wide-area=no
    [publish]
    publish-hinfo=no
    publish-workstation=no
    """
  }
}
