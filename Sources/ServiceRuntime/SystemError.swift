import Glibc

/// A failed system call: what was being done, and the kernel's reason.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was attempted and on what, such as `open /dev/ttyACM0`.
  public let operation: String
  /// The value of `errno` after the call.
  public let code: Int32

  public init(_ operation: String, code: Int32) {
    self.operation = operation
    self.code = code
  }

  /// Captures `errno`: call it before anything else can change it.
  public static func current(_ operation: String) -> SystemError {
    SystemError(operation, code: errno)
  }

  /// The kernel's reason alone, such as `No such file or directory`.
  public var reason: String {
    String(unsafeUninitializedCapacity: 256) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        // The XSI form: it fills the buffer and is safe from every thread.
        guard let base = text.baseAddress, strerror_r(code, base, text.count) == 0 else { return 0 }
        return strlen(base)
      }
    }
  }

  public var description: String { "\(operation): \(reason)" }
}
