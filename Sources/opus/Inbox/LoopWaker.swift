import Glibc
import Synchronization

/// Wakes the loop of a full-screen program at events of other threads and at signals.
final class LoopWaker<Event: Sendable>: Sendable {
    private let events = Mutex<[Event]>([])
    private let ends: (read: Int32, write: Int32)

    init() {
        var pair: [Int32] = [-1, -1]
        pipe(&pair)
        for end in pair {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        ends = (pair[0], pair[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    func post(_ event: Event) {
        events.withLock { $0.append(event) }
        var byte: UInt8 = 0
        _ = Glibc.write(ends.write, &byte, 1)
    }

    /// The events since the last call.
    func take() -> [Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Waits for input, an event or a signal. Returns whether there is input, and the signals received.
    func wait(for input: Int32, milliseconds: Int32) -> (hasInput: Bool, signals: Set<Int32>) {
        var descriptors = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, milliseconds)
        var signals: Set<Int32> = []
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(ends.read, &bytes, bytes.count)
        if count > 0 { signals = Set(bytes.prefix(count).filter { $0 > 0 }.map { Int32($0) }) }
        return (descriptors[0].revents != 0, signals)
    }

    /// Signals wake the loop, until ``SignalWake/stop()``.
    func wake(on signals: [Int32]) { SignalWake.start(signals, writing: ends.write) }
}

/// Signal handlers that only write the number of the signal to a pipe.
enum SignalWake {
    /// The signal handlers read it. It changes only while none is installed.
    nonisolated(unsafe) private static var descriptor: Int32 = -1
    nonisolated(unsafe) private static var before: [(number: Int32, handler: sigaction)] = []

    static func start(_ signals: [Int32], writing end: Int32) {
        descriptor = end
        for number in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = Glibc.write(SignalWake.descriptor, &byte, 1)
                errno = saved
            }
            var old = sigaction()
            sigaction(number, &action, &old)
            before.append((number, old))
        }
    }

    static func stop() {
        for entry in before {
            var handler = entry.handler
            sigaction(entry.number, &handler, nil)
        }
        before = []
        descriptor = -1
    }
}
