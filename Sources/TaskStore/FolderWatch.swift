import Foundation
import Glibc
import Synchronization

/// Reports changes in a folder of files, soon after the last of several changes: the task folder, the rules, or the
/// folder of `opus.yaml`.
///
/// It uses inotify on the folder and its lists. A periodic report covers what inotify misses: network file systems, and
/// a folder that comes back. A report does not describe the change, so the listener checks the files. Dot files and
/// `.tmp` files do not count. Where files may be symbolic links, it also watches the files that they point to.
public struct FolderWatch: Sendable {
    let root: String
    /// The silence after which a series of changes has ended.
    var quiet = Duration.milliseconds(300)
    /// The longest wait, for a program that never stops writing.
    var patience = Duration.seconds(3)
    var period = Duration.seconds(60)
    /// How often it looks for a folder that is missing.
    var absence = Duration.seconds(5)
    /// Whether changes in subfolders count.
    let isDeep: Bool
    /// The links in the folder whose targets are watched.
    let links: Links

    /// Symbolic links in a watched folder.
    public enum Links: Sendable {
        case none
        case named(String)
        case all
    }

    public init(root: String, isDeep: Bool = true, links: Links = .none) {
        self.root = root
        self.isDeep = isDeep
        self.links = links
    }

    /// The files to which the links point, at most 100.
    private func targets() -> [String] {
        var names: [String]
        switch links {
        case .none: return []
        case .named(let name): names = [name]
        case .all:
            names = ((try? SystemCall.items(in: root) { !$0.hasPrefix(".") }) ?? []).map(\.name).filter(
                \.isExact
            )
            .map(\.text)
        }
        names = names.filter { name in
            var status = stat()
            return lstat(root + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        }
        return names.prefix(100).compactMap { name in
            guard let path = realpath(root + "/" + name, nil) else { return nil }
            defer { free(path) }
            return String(validatingCString: path)
        }
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
        /// Permissions count: opus reads no settings and rules that every user can change.
        private static let mask = UInt32(
            IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF
                | IN_MOVE_SELF | IN_ATTRIB
                | IN_ONLYDIR
        )

        private let watch: FolderWatch
        private let events: Int32
        private let wake: (read: Int32, write: Int32)
        private struct Watched {
            /// The folder and its lists.
            var whole: Set<Int32> = []
            /// Other folders, and the names of the targets of links in them.
            var targets: [Int32: Set<[UInt8]>] = [:]
            var isThere = true

            /// The kernel uses -1 when it dropped events.
            func isAbout(_ number: Int32, _ name: [UInt8]) -> Bool {
                if let names = targets[number] { return names.contains(name) }
                return (number == -1 || whole.contains(number)) && name.first != UInt8(ascii: ".")
                    && !name.suffix(4).elementsEqual(".tmp".utf8)
            }
        }

        private let watched = Mutex(Watched())

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
            var reported = ContinuousClock.now
            while true {
                let wasThere = watched.withLock(\.isThere)
                switch wait(wasThere ? watch.period : watch.absence) {
                case .stopped: return
                case .nothing:
                    addWatches()
                    guard
                        wasThere || watched.withLock(\.isThere)
                            || ContinuousClock.now - reported >= watch.period
                    else { continue }
                    reported = .now
                    tell()
                case .events:
                    guard readEvents() else { continue }
                    guard settle() else { return }
                    // Also watches new lists, before the check that finds the files in them.
                    addWatches()
                    reported = .now
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
            let root = inotify_add_watch(events, watch.root, Self.mask)
            var found = Watched(whole: [root], isThere: root >= 0)
            if watch.isDeep { found.whole.formUnion(addLists()) }
            for target in watch.targets() {
                guard let slash = target.lastIndex(of: "/") else { continue }
                let folder = slash == target.startIndex ? "/" : String(target[..<slash])
                // IN_MASK_ADD: the folder may be one that is watched as a whole.
                let number = inotify_add_watch(events, folder, Self.mask | UInt32(IN_MASK_ADD))
                guard number >= 0, !found.whole.contains(number) else { continue }
                found.targets[number, default: []].insert(Array(target[target.index(after: slash)...].utf8))
            }
            watched.withLock { [found] in $0 = found }
        }

        private func addLists() -> [Int32] {
            let items = (try? SystemCall.items(in: watch.root) { !$0.hasPrefix(".") }) ?? []
            return items.prefix(1_000).filter(\.name.isExact).map { item in
                inotify_add_watch(
                    events, watch.root + "/" + item.name.text, Self.mask | UInt32(IN_DONT_FOLLOW))
            }
        }

        /// Reads all events; true when one of them is about a task.
        private func readEvents() -> Bool {
            let watched = watched.withLock { $0 }
            var isChange = false
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(events, &buffer, buffer.count)
                guard count > 0 else { return isChange }
                var place = 0
                while place + 16 <= count {
                    let (number, mask, length) = buffer.withUnsafeBytes {
                        (
                            $0.loadUnaligned(fromByteOffset: place, as: Int32.self),
                            $0.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                            Int($0.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                        )
                    }
                    let name = buffer[min(place + 16, count)..<min(place + 16 + length, count)].prefix {
                        $0 != 0
                    }
                    // A new file is reported when it is closed; a folder, at once.
                    let isBegun = mask & UInt32(IN_CREATE) != 0 && mask & UInt32(IN_ISDIR) == 0
                    if !isBegun, watched.isAbout(number, Array(name)) { isChange = true }
                    place += 16 + length
                }
            }
        }
    }
}
