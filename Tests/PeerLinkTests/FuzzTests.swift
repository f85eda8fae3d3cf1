import TestSupport
import Testing

/// Wrong bytes at every stage of a session; `scripts/fuzz` does many more.
@Suite(.timeLimit(.minutes(1))) struct FuzzTests {
  @Test(arguments: [1, 2, 3]) func attacksDoNotHurtASessionWithSomebodyElse(seed: Int) throws {
    let program = try ChildProcess([FuzzTests.program, "400", "\(seed)"], quiet: false)
    let line = program.readLine(within: .seconds(40)) ?? "no line"
    #expect(program.exitCode(within: .seconds(5)) == 0, "\(line)")
    #expect(line.hasPrefix("400 connections"), "\(line)")
  }

  /// Built beside the test bundle, which is the program that runs, or what its arguments name.
  private static var program: String {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return (bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast() + ["session-fuzz"])
      .joined(separator: "/")
  }
}
