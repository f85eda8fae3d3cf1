import CGPS
import Geodesy
import Glibc

/// One connection to gpsd, used by one thread from its making to its end.
@safe
struct GPSSession: ~Copyable {
  enum Event {
    case report(RawReport, device: String)
    /// gpsd said something else; it lives.
    case other
    /// Nothing arrived within the time.
    case nothing
    case ended
  }

  enum OpenResult {
    case opened
    case failed(reason: String)
  }

  /// 24 KB, so it is allocated once and used for every connection.
  private let data: UnsafeMutablePointer<gps_data_t>
  private var isOpen = false

  init() {
    unsafe data = .allocate(capacity: 1)
    unsafe memset(data, 0, MemoryLayout<gps_data_t>.size)
  }

  deinit {
    if isOpen { unsafe _ = gps_close(data) }
    unsafe data.deallocate()
  }

  /// Looks up the name, connects and asks for reports. Blocks as long as the system's resolver and TCP do.
  mutating func open(host: String, port: UInt16) -> OpenResult {
    close()
    unsafe memset(data, 0, MemoryLayout<gps_data_t>.size)
    let result = unsafe gps_open(host, String(port), data)
    guard result == 0 else {
      // libgps answers with its own negative codes, or -1 and errno.
      let reason = unsafe String(cString: gps_errstr(result))
      return .failed(reason: reason)
    }
    isOpen = true
    guard requestReports() else {
      close()
      return .failed(reason: "connection ended at once")
    }
    return .opened
  }

  /// Asks for reports as JSON. gpsd answers each time with its devices, so this also asks whether it still lives.
  mutating func requestReports() -> Bool {
    unsafe gps_stream(data, UInt32(WATCH_ENABLE | WATCH_JSON), nil) != -1
  }

  mutating func close() {
    guard isOpen else { return }
    isOpen = false
    unsafe _ = gps_close(data)
  }

  /// Waits for the next line of gpsd, at most about `milliseconds`.
  mutating func next(waitingAtMost milliseconds: Int32) -> Event {
    guard unsafe gps_waiting(data, milliseconds * 1000) else { return .nothing }
    let count = unsafe gps_read(data, nil, 0)
    if count < 0 { return .ended }
    if count == 0 {
      // Half a line is buffered, for which `gps_waiting` answers true at once; wait for more instead of spinning.
      var wait = unsafe pollfd(fd: data.pointee.gps_fd, events: Int16(POLLIN), revents: 0)
      unsafe poll(&wait, 1, milliseconds)
      return .nothing
    }
    let set = unsafe data.pointee.set
    guard set & MODE_SET != 0 else { return .other }
    let fix = unsafe data.pointee.fix
    func value(_ mask: UInt64, _ number: Double) -> Double? {
      set & mask != 0 && number.isFinite ? number : nil
    }
    let report = RawReport(
      mode: fix.mode,
      latitude: value(UInt64(LATLON_SET), fix.latitude),
      longitude: value(UInt64(LATLON_SET), fix.longitude),
      // HERR_SET speaks of the errors by axis only; libgps clears `eph` to not-a-number before each report.
      horizontalErrorMeters: fix.eph.isFinite ? fix.eph : nil,
      altitudeMSLMeters: value(UInt64(ALTITUDE_SET), fix.altMSL),
      speedMetersPerSecond: value(UInt64(SPEED_SET), fix.speed),
      courseDegrees: value(UInt64(TRACK_SET), fix.track))
    return .report(report, device: devicePath)
  }

  private var devicePath: String {
    unsafe withUnsafeBytes(of: data.pointee.dev.path) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
