import Glibc
import JSONText
public import ServiceRuntime
import Sockets

/// `drone-navigator status`: asks the running navigator through its local socket.
public func printStatus(
  json: Bool, stateDirectory: String, loop: EventLoop, output: @escaping (String) -> Void,
  errors: @escaping (String) -> Void
) -> ExitCode {
  let path = "\(stateDirectory)/\(NavigatorService.socketName)"
  let channel: DescriptorChannel
  do throws(UnixSocketError) {
    channel = try UnixConnector.connect(to: path, on: loop)
  } catch {
    errors(
      "no navigator is running in \(stateDirectory): \(error); start it with drone-navigator run, or name its --state"
    )
    return .noVehicle
  }
  var answer: [UInt8] = []
  channel.onBytes = { bytes in
    answer += bytes
    if answer.last == UInt8(ascii: "\n") || answer.count > 65_536 { loop.stop() }
  }
  channel.onEnd = { _ in loop.stop() }
  loop.schedule(after: .seconds(3)) { loop.stop() }
  loop.run()
  channel.close()
  guard let status = try? JSON.parse(answer, limits: JSON.Limits()), let members = status.object?.members
  else {
    errors("the navigator gave no answer in 3 s")
    return .noAnswer
  }
  if json {
    output(status.text + "\n")
  } else {
    for member in members { show(member.value, as: member.key, output) }
  }
  return .accepted
}

/// One line a value; what is within others has their name before its own.
private func show(_ value: JSON, as name: String, _ output: (String) -> Void) {
  if let members = value.object?.members, !members.isEmpty {
    for member in members { show(member.value, as: "\(name).\(member.key)", output) }
  } else if let elements = value.array, !elements.isEmpty {
    for (index, element) in elements.enumerated() { show(element, as: "\(name).\(index + 1)", output) }
  } else {
    output("\(name): \(value.string ?? value.text)".escapingControlCharacters + "\n")
  }
}
