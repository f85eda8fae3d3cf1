/// How much a program tells on standard error; the names are those of the syslog severities.
public enum LogLevel: String, CaseIterable, Sendable {
  case error, warning, notice, info, debug
}
