import Glibc
import ServiceRuntime
import TestSupport
import Testing

extension RobustnessTests {
  /// Clocks that are set, and a computer that slept.
  @Suite(.enabled(if: ShiftedClocks.missing == nil, "needs clang to build a library that shifts clocks"))
  struct ClockTests {
    @Test func settingTheWallClockIsNotNoticed() throws {
      let clocks = try ShiftedClocks()
      let field = try Field()
      try field.start(clocks.environment)
      for shift in [86_400 * 365, -86_400 * 365 * 20, 0] {
        clocks.shift(wallSeconds: shift)
        // The library does what it is here for.
        let told = try ChildProcess(["date", "+%s"], environment: clocks.environment)
        let seconds = try #require(told.readLine(within: .seconds(5)).flatMap { Int($0) })
        #expect(abs(seconds - (time(nil) + shift)) < 5)
        sleep(2)
        let stop = try field.run("stop")
        #expect(stop.code == 0, "\(stop)\n\(field.story)")
      }
      #expect(field.disconnections() == 0, "\(field.story)")
    }

    /// The clock that counts the time of sleep jumps, on one of the two computers.
    @Test func afterASleepTheLinkIsUsableAtOnce() throws {
      let clocks = try ShiftedClocks()
      let field = try Field()
      try field.start(clocks.environment)
      for seconds in [30, 3600] {
        clocks.shift(sleptSeconds: seconds)
        sleep(1)
        let isUsable = try field.waits(.seconds(8)) { try field.run("stop", "--timeout", "2").code == 0 }
        #expect(isUsable, "\(field.story)")
      }
    }
  }
}

/// A library that is loaded before all others and shifts what the kernel says about time, while the program runs.
final class ShiftedClocks {
  /// What is missing, or nil.
  static let missing: String? = {
    let trial = try? ChildProcess(["clang", "--version"])
    if trial?.exitCode(within: .seconds(10)) == 0 { return nil }
    print("clocks that jump are not tried: clang is not in PATH")
    return "clang"
  }()

  private let directory: TemporaryDirectory
  private var slept = 0
  private var wall = 0

  private static let source = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>
    static volatile int64_t none[2], *shift = none;
    __attribute__((constructor)) static void begin(void) {
      const char *path = getenv("SHIFTED_CLOCKS");
      int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
      if (file < 0) return;
      void *memory = mmap(0, 16, PROT_READ, MAP_SHARED, file, 0);
      if (memory != MAP_FAILED) shift = memory;
      close(file);
    }
    int clock_gettime(clockid_t clock, struct timespec *time) {
      int result = syscall(SYS_clock_gettime, clock, time);
      if (clock == CLOCK_REALTIME) time->tv_sec += shift[0];
      if (clock == CLOCK_BOOTTIME) time->tv_sec += shift[1];
      return result;
    }
    """

  init() throws {
    directory = try TemporaryDirectory()
    try Files.replace("\(directory.path)/clocks.c", with: Array(Self.source.utf8), mode: 0o600)
    let compiler = try ChildProcess(
      [
        "clang", "-shared", "-fPIC", "-O1", "-o", "\(directory.path)/clocks.so", "\(directory.path)/clocks.c",
      ],
      quiet: false)
    #expect(compiler.exitCode(within: .seconds(30)) == 0)
    try Files.replace("\(directory.path)/shift", with: [UInt8](repeating: 0, count: 16), mode: 0o600)
  }

  var environment: [String: String] {
    ["LD_PRELOAD": "\(directory.path)/clocks.so", "SHIFTED_CLOCKS": "\(directory.path)/shift"]
  }

  func shift(wallSeconds: Int? = nil, sleptSeconds: Int = 0) {
    wall = wallSeconds ?? wall
    // Time goes on only.
    slept += sleptSeconds
    // In place: the programs have the file in their memory.
    let file = open("\(directory.path)/shift", O_WRONLY | O_CLOEXEC)
    withUnsafeBytes(of: (Int64(wall), Int64(slept))) { _ = write(file, $0.baseAddress, $0.count) }
    close(file)
  }
}
