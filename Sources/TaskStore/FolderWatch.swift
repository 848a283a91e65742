import Foundation
import Glibc

/// Reports changes in a folder of files, soon after the last of several changes: the task folder, the rules, or the
/// folder of `opus.yaml`.
///
/// It uses inotify on the folder and its lists. A periodic report covers what inotify misses: network file systems, and
/// a folder that comes back. A report does not describe the change, so the listener checks the files. Dot files and
/// `.tmp` files do not count.
public struct FolderWatch: Sendable {
    let root: String
    /// The silence after which a series of changes has ended.
    var quiet = Duration.milliseconds(300)
    /// The longest wait, for a program that never stops writing.
    var patience = Duration.seconds(3)
    var period = Duration.seconds(60)
    /// Whether changes in subfolders count.
    let isDeep: Bool

    public init(root: String, isDeep: Bool = true) {
        self.root = root
        self.isDeep = isDeep
    }

    /// Ends when its reader is cancelled. The folder may be missing at first.
    public func changes() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            guard let loop = Loop(watch: self) else { return continuation.finish() }
            continuation.onTermination = { _ in loop.stop() }
            // Before the listener checks the files, so that later changes are reported.
            loop.addWatches()
            let thread = Thread {
                loop.run { continuation.yield() }
                continuation.finish()
            }
            thread.name = "opus-folder-watch"
            thread.start()
        }
    }

    /// One thread that waits in `poll`; a pipe ends it.
    private final class Loop: Sendable {
        private static let mask = UInt32(
            IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR
        )

        private let watch: FolderWatch
        private let events: Int32
        private let wake: (read: Int32, write: Int32)

        init?(watch: FolderWatch) {
            var ends: [Int32] = [0, 0]
            let events = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
            guard events >= 0, pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            self.watch = watch
            self.events = events
            wake = (ends[0], ends[1])
        }

        func stop() { close(wake.write) }

        func run(_ tell: () -> Void) {
            defer {
                close(events)
                close(wake.read)
            }
            while true {
                switch wait(watch.period) {
                case .stopped: return
                case .nothing:
                    addWatches()
                    tell()
                case .events:
                    guard readEvents() else { continue }
                    guard settle() else { return }
                    // Also watches new lists, before the check that finds the files in them.
                    addWatches()
                    tell()
                }
            }
        }

        private enum Wait {
            case stopped
            case events
            case nothing
        }

        private func wait(_ time: Duration) -> Wait {
            var descriptors = [
                pollfd(fd: events, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds =
                time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000
            let count = poll(&descriptors, 2, Int32(clamping: milliseconds))
            if descriptors[1].revents != 0 { return .stopped }
            return count > 0 ? .events : .nothing
        }

        /// Waits for the end of a series of changes; false: the watch must stop.
        private func settle() -> Bool {
            let end = ContinuousClock.now + watch.patience
            while ContinuousClock.now < end {
                switch wait(watch.quiet) {
                case .stopped: return false
                case .nothing: return true
                case .events: _ = readEvents()
                }
            }
            return true
        }

        /// Keeps existing watches, and adds one for each new list.
        func addWatches() {
            inotify_add_watch(events, watch.root, Self.mask)
            guard watch.isDeep else { return }
            let items = (try? SystemCall.items(in: watch.root) { !$0.hasPrefix(".") }) ?? []
            for item in items.prefix(1_000) where item.name.isExact {
                inotify_add_watch(
                    events, watch.root + "/" + item.name.text, Self.mask | UInt32(IN_DONT_FOLLOW))
            }
        }

        /// Reads all events; true when one of them is about a task.
        private func readEvents() -> Bool {
            var isChange = false
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(events, &buffer, buffer.count)
                guard count > 0 else { return isChange }
                var place = 0
                while place + 16 <= count {
                    let (mask, length) = buffer.withUnsafeBytes {
                        (
                            $0.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                            Int($0.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                        )
                    }
                    let name = buffer[min(place + 16, count)..<min(place + 16 + length, count)].prefix {
                        $0 != 0
                    }
                    let isOurs = name.first == UInt8(ascii: ".") || name.suffix(4).elementsEqual(".tmp".utf8)
                    // A new file is reported when it is closed; a folder, at once.
                    let isBegun = mask & UInt32(IN_CREATE) != 0 && mask & UInt32(IN_ISDIR) == 0
                    if !isOurs, !isBegun { isChange = true }
                    place += 16 + length
                }
            }
        }
    }
}
