internal import CAvahi
import Glibc
import ServiceRuntime

/// Lets Avahi's client library wait on an `EventLoop`.
///
/// Avahi calls this table for its descriptors and timers and is called back by the loop, so everything of Avahi runs on
/// the loop's thread, one call at a time. Nothing else may touch its objects, and then no lock is needed.
///
/// The table must outlive the client that uses it: free the client first.
@safe final class AvahiEventPoll {
  let loop: EventLoop
  /// What Avahi keeps a pointer to, so it needs an address that stays.
  private let table: UnsafeMutablePointer<AvahiPoll>
  private var descriptors: [Int32: PolledDescriptor] = [:]

  init(loop: EventLoop) {
    self.loop = loop
    unsafe table = .allocate(capacity: 1)
    unsafe table.initialize(to: AvahiPoll())
    // Unretained: `self` owns the table and frees it.
    unsafe table.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
    unsafe table.pointee.watch_new = avahiWatchNew
    unsafe table.pointee.watch_update = avahiWatchUpdate
    unsafe table.pointee.watch_get_events = avahiWatchEvents
    unsafe table.pointee.watch_free = avahiWatchFree
    unsafe table.pointee.timeout_new = avahiTimeoutNew
    unsafe table.pointee.timeout_update = avahiTimeoutUpdate
    unsafe table.pointee.timeout_free = avahiTimeoutFree
  }

  deinit { unsafe table.deallocate() }

  @unsafe var pointer: UnsafePointer<AvahiPoll> { unsafe UnsafePointer(table) }

  fileprivate func add(_ watch: PolledWatch) {
    let descriptor = descriptors[watch.descriptor] ?? PolledDescriptor(watch.descriptor, on: loop)
    descriptors[watch.descriptor] = descriptor
    descriptor.watches.append(watch)
    descriptor.updateInterest()
  }

  fileprivate func update(_ watch: PolledWatch) { descriptors[watch.descriptor]?.updateInterest() }

  fileprivate func remove(_ watch: PolledWatch) {
    guard let descriptor = descriptors[watch.descriptor] else { return }
    descriptor.watches.removeAll { $0 === watch }
    if descriptor.watches.isEmpty {
      descriptor.cancel()
      descriptors[watch.descriptor] = nil
    } else {
      descriptor.updateInterest()
    }
  }
}

/// A descriptor with all its watches: libdbus asks for reading and writing separately, epoll takes a descriptor once.
private final class PolledDescriptor {
  var watches: [PolledWatch] = []
  private let descriptor: Int32
  private let loop: EventLoop
  private var watch: DescriptorWatch?

  init(_ descriptor: Int32, on loop: EventLoop) {
    self.descriptor = descriptor
    self.loop = loop
  }

  func updateInterest() {
    let interest = watches.reduce(into: Readiness()) { $0.formUnion($1.interest) }
    do throws(SystemError) {
      if let watch {
        try watch.update(interest)
      } else {
        watch = try loop.watch(descriptor, for: interest) { [weak self] in self?.ready($0) }
      }
    } catch {
      // Avahi has no way to hear of it here. As if the daemon hung up: it then ends the connection and reports that.
      loop.schedule(after: .milliseconds(100)) { [weak self] in self?.ready(.hangUp) }
    }
  }

  func cancel() {
    watch?.cancel()
    watch = nil
  }

  private func ready(_ readiness: Readiness) {
    for watch in watches where watches.contains(where: { $0 === watch }) {
      let relevant = readiness.intersection(watch.interest.union(.hangUp))
      if !relevant.isEmpty { watch.fire(relevant) }
    }
  }
}

/// What Avahi knows as `AvahiWatch`.
@safe private final class PolledWatch {
  let descriptor: Int32
  var interest: Readiness
  private(set) var happened = AvahiWatchEvent(rawValue: 0)
  unowned let poll: AvahiEventPoll
  private let callback: AvahiWatchCallback
  private let userData: UnsafeMutableRawPointer?

  @unsafe init(
    _ descriptor: Int32, _ interest: Readiness, _ poll: AvahiEventPoll,
    _ callback: @escaping AvahiWatchCallback,
    _ userData: UnsafeMutableRawPointer?
  ) {
    self.descriptor = descriptor
    self.interest = interest
    self.poll = poll
    unsafe self.callback = callback
    unsafe self.userData = userData
  }

  func fire(_ readiness: Readiness) {
    happened = readiness.avahi
    unsafe callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), descriptor, happened, userData)
    happened = AvahiWatchEvent(rawValue: 0)
  }
}

/// What Avahi knows as `AvahiTimeout`.
@safe private final class PolledTimeout {
  private let poll: AvahiEventPoll
  private let callback: AvahiTimeoutCallback
  private let userData: UnsafeMutableRawPointer?
  private var timer: ScheduledTimer?

  @unsafe init(
    _ poll: AvahiEventPoll, _ callback: @escaping AvahiTimeoutCallback, _ userData: UnsafeMutableRawPointer?
  ) {
    self.poll = poll
    unsafe self.callback = callback
    unsafe self.userData = userData
  }

  /// Avahi gives a time of the wall clock; it becomes a span at once, so that a later clock step (a GPS fix sets the
  /// clock of a vehicle) neither delays nor hastens it.
  func set(_ time: timeval?) {
    timer?.cancel()
    timer = nil
    guard let time else { return }
    var now = timeval()
    unsafe gettimeofday(&now, nil)
    let (seconds, overflow) = time.tv_sec.subtractingReportingOverflow(now.tv_sec)
    let delay: Duration =
      overflow || seconds > 86_400
      ? .seconds(86_400) : .seconds(max(seconds, -1)) + .microseconds(time.tv_usec - now.tv_usec)
    timer = poll.loop.schedule(after: max(delay, .zero)) { [self] in
      timer = nil
      unsafe callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), userData)
    }
  }
}

extension Readiness {
  fileprivate init(avahi event: AvahiWatchEvent) {
    var value: Readiness = []
    if event.rawValue & AVAHI_WATCH_IN.rawValue != 0 { value.insert(.readable) }
    if event.rawValue & AVAHI_WATCH_OUT.rawValue != 0 { value.insert(.writable) }
    self = value
  }

  fileprivate var avahi: AvahiWatchEvent {
    var value: UInt32 = 0
    if contains(.readable) { value |= AVAHI_WATCH_IN.rawValue }
    if contains(.writable) { value |= AVAHI_WATCH_OUT.rawValue }
    if contains(.hangUp) { value |= AVAHI_WATCH_HUP.rawValue }
    return AvahiWatchEvent(rawValue: value)
  }
}

// The functions of the table. Watches and timeouts are handed to Avahi retained and released when it frees them; a
// call in progress holds its own reference, so that Avahi may free an object from within that object's callback.

private func avahiWatchNew(
  _ api: UnsafePointer<AvahiPoll>?, _ descriptor: Int32, _ event: AvahiWatchEvent,
  _ callback: AvahiWatchCallback?,
  _ userData: UnsafeMutableRawPointer?
) -> OpaquePointer? {
  guard let context = unsafe api?.pointee.userdata, let callback = unsafe callback else { return nil }
  let poll = unsafe Unmanaged<AvahiEventPoll>.fromOpaque(context).takeUnretainedValue()
  let watch = unsafe PolledWatch(descriptor, Readiness(avahi: event), poll, callback, userData)
  poll.add(watch)
  return unsafe OpaquePointer(Unmanaged.passRetained(watch).toOpaque())
}

private func avahiWatchUpdate(_ pointer: OpaquePointer?, _ event: AvahiWatchEvent) {
  guard let pointer = unsafe pointer else { return }
  let watch = unsafe Unmanaged<PolledWatch>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  watch.interest = Readiness(avahi: event)
  watch.poll.update(watch)
}

private func avahiWatchEvents(_ pointer: OpaquePointer?) -> AvahiWatchEvent {
  guard let pointer = unsafe pointer else { return AvahiWatchEvent(rawValue: 0) }
  return unsafe Unmanaged<PolledWatch>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue().happened
}

private func avahiWatchFree(_ pointer: OpaquePointer?) {
  guard let pointer = unsafe pointer else { return }
  let watch = unsafe Unmanaged<PolledWatch>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue()
  watch.poll.remove(watch)
}

private func avahiTimeoutNew(
  _ api: UnsafePointer<AvahiPoll>?, _ time: UnsafePointer<timeval>?, _ callback: AvahiTimeoutCallback?,
  _ userData: UnsafeMutableRawPointer?
) -> OpaquePointer? {
  guard let context = unsafe api?.pointee.userdata, let callback = unsafe callback else { return nil }
  let poll = unsafe Unmanaged<AvahiEventPoll>.fromOpaque(context).takeUnretainedValue()
  let timeout = unsafe PolledTimeout(poll, callback, userData)
  unsafe timeout.set(time?.pointee)
  return unsafe OpaquePointer(Unmanaged.passRetained(timeout).toOpaque())
}

private func avahiTimeoutUpdate(_ pointer: OpaquePointer?, _ time: UnsafePointer<timeval>?) {
  guard let pointer = unsafe pointer else { return }
  unsafe Unmanaged<PolledTimeout>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue().set(
    time?.pointee)
}

private func avahiTimeoutFree(_ pointer: OpaquePointer?) {
  guard let pointer = unsafe pointer else { return }
  unsafe Unmanaged<PolledTimeout>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue().set(nil)
}
