import Glibc
import PeerProtocol
public import ServiceRuntime

/// Shows notices of a pairing on standard output and asks the person at the terminal.
public final class PairingTerminal {
  /// Longest line that is read as an answer.
  private static let maximumAnswerBytes = 256

  private let loop: EventLoop
  private let output: (String) -> Void
  private let answer: (Bool) -> Void
  private var watch: DescriptorWatch?
  private var typed: [UInt8] = []
  private let isColored: Bool

  /// Whether a person can be asked at all. There is no option that says yes beforehand: the comparison is the whole protection.
  public static var canAsk: Bool { isatty(0) == 1 }

  /// Reads a line of standard input, without its end; waits for it.
  ///
  /// - Returns: nil when it is longer than an answer may be, or cannot be read.
  public static func readLine() -> [UInt8]? {
    var line: [UInt8] = []
    while line.count < maximumAnswerBytes {
      // One at a time: what follows the line is for others.
      var byte: UInt8 = 0
      let count = Glibc.read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 || byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    return nil
  }

  public init(loop: EventLoop, output: @escaping (String) -> Void, answer: @escaping (Bool) -> Void) {
    self.loop = loop
    self.output = output
    self.answer = answer
    isColored = isatty(1) == 1 && getenv("NO_COLOR") == nil
  }

  deinit { watch?.cancel() }

  public func show(_ notice: PairingNotice) {
    switch notice {
    case .line(let text): output(text.escapingControlCharacters)
    case .alarm(let text):
      let line = "WARNING: \(text.escapingControlCharacters)"
      output(isColored ? "\u{1B}[1;31m\(line)\u{1B}[0m" : line)
    case .question(let code, let name, let id):
      let digits = code.description
      // What was typed before the question is no answer to it.
      tcflush(0, TCIFLUSH)
      output(
        "'\(name.escapingControlCharacters)' (\(id.short)) must show the same digits: \(digits.prefix(3)) \(digits.suffix(3))"
      )
      output("Are they the same on both screens? Type y or n, then Enter.")
      ask()
    case .withdrawn:
      watch?.cancel()
      watch = nil
    }
  }

  private func ask() {
    typed = []
    watch?.cancel()
    do throws(SystemError) {
      watch = try loop.watch(0, for: .readable) { [weak self] _ in self?.read() }
    } catch {
      output("cannot read the answer: \(error)")
      answer(false)
    }
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: PairingTerminal.maximumAnswerBytes)
    let count = Glibc.read(0, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    typed += bytes.prefix(max(0, count))
    guard count <= 0 || typed.contains(UInt8(ascii: "\n")) || typed.count >= bytes.count else { return }
    let word = String(decoding: typed.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      .filter { !$0.isWhitespace }.lowercased()
    watch?.cancel()
    watch = nil
    switch word {
    case "y", "yes": answer(true)
    case "n", "no": answer(false)
    default:
      // The end of the input is a no; a slip of the finger is neither.
      if count <= 0 { return answer(false) }
      output("Type y or n, then Enter.")
      ask()
    }
  }
}
