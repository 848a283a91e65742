import Dispatch
import Glibc
import Synchronization

/// Reports when the machine was suspended, when the process was stopped, when the time of day was set, and when
/// addresses or routes of the machine changed.
///
/// A suspension is detected with the clocks: CLOCK_BOOTTIME includes it, CLOCK_MONOTONIC does not. A new time of
/// day is a jump of CLOCK_REALTIME against CLOCK_BOOTTIME. They are compared every few seconds, and when the kernel
/// reports a change of the network (rtnetlink).
///
/// `@unchecked`: the sources are created once and only cancelled.
public final class MachineChanges: @unchecked Sendable {
    public enum Change: Sendable {
        case resumed
        case network
        case clock
    }

    /// A clock in nanoseconds. Tests replace it.
    typealias Clock = @Sendable (clockid_t) -> Int64

    private static let usualPeriod = DispatchTimeInterval.seconds(4)
    /// In nanoseconds; smaller differences come from rounding and a busy machine.
    private static let sleep: Int64 = 2_000_000_000
    /// In nanoseconds. If a timer is this late, the process was stopped.
    private static let stopped: Int64 = 12_000_000_000
    /// A change causes several messages.
    private static let burst = DispatchTimeInterval.milliseconds(500)

    private struct State {
        var asleep: Int64
        var ticked: Int64
        /// The time of day at boot.
        var origin: Int64
        var isBurst = false
    }

    private let state: Mutex<State>
    private let timer: any DispatchSourceTimer
    private let routes: (any DispatchSourceRead)?
    private let queue = DispatchQueue(label: "opus-machine")
    private let read: Clock
    private let tell: @Sendable (Change) -> Void

    public convenience init(_ tell: @escaping @Sendable (Change) -> Void) {
        self.init(every: Self.usualPeriod, clock: { Self.now($0) }, tell)
    }

    init(
        every period: DispatchTimeInterval, clock: @escaping Clock,
        _ tell: @escaping @Sendable (Change) -> Void
    ) {
        self.tell = tell
        read = clock
        state = Mutex(Self.state(clock))
        timer = DispatchSource.makeTimerSource(queue: queue)
        let socket = Self.routeSocket()
        let queue = queue
        routes = socket.map { DispatchSource.makeReadSource(fileDescriptor: $0, queue: queue) }
        timer.schedule(deadline: .now() + period, repeating: period, leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.compare() }
        routes?.setEventHandler { [weak self] in
            if let socket { Self.drain(socket) }
            self?.routesChanged()
        }
        routes?.setCancelHandler { if let socket { close(socket) } }
        timer.resume()
        routes?.resume()
    }

    deinit {
        timer.cancel()
        routes?.cancel()
    }

    private static func state(_ clock: Clock) -> State {
        let (boot, monotonic) = (clock(CLOCK_BOOTTIME), clock(CLOCK_MONOTONIC))
        return State(asleep: boot - monotonic, ticked: monotonic, origin: clock(CLOCK_REALTIME) - boot)
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private func compare() {
        let now = Self.state(read)
        let (hasSlept, isSet) = state.withLock { state in
            defer { (state.asleep, state.ticked, state.origin) = (now.asleep, now.ticked, now.origin) }
            let hasSlept = now.asleep - state.asleep > Self.sleep || now.ticked - state.ticked > Self.stopped
            return (hasSlept, abs(now.origin - state.origin) > Self.sleep)
        }
        if hasSlept { tell(.resumed) }
        if isSet, !hasSlept { tell(.clock) }
    }

    private func routesChanged() {
        compare()
        let isFirst = state.withLock { state in
            defer { state.isBurst = true }
            return !state.isBurst
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.burst) { [weak self] in
            self?.state.withLock { $0.isBurst = false }
            self?.tell(.network)
        }
    }

    // MARK: rtnetlink

    /// The groups for addresses and routes, IPv4 and IPv6. rtnetlink(7), `RTMGRP_…`.
    private static let groups: UInt32 = 0x10 | 0x40 | 0x100 | 0x400

    /// nil: the system does not report changes; backoff and keepalive still detect them.
    private static func routeSocket() -> Int32? {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(AF_NETLINK, type, 0)
        guard socket >= 0 else { return nil }
        // struct sockaddr_nl, which Swift's Glibc module does not have.
        var address: (family: UInt16, pad: UInt16, pid: UInt32, groups: UInt32) =
            (UInt16(AF_NETLINK), 0, 0, groups)
        let isBound = withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map {
                bind(socket, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
            } ?? false
        }
        guard isBound else {
            close(socket)
            return nil
        }
        return socket
    }

    private static func drain(_ socket: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        // An overflow of messages (ENOBUFS) counts as a change.
        while recv(socket, &buffer, buffer.count, 0) > 0 {}
    }
}
