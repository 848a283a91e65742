import Foundation
import Glibc
import Models

/// Lets only one process at a time change a store: an advisory lock on a file beside it.
///
/// The lock is released when the process ends, for whatever reason. The file stays. It has the process id of
/// the holder, and is emptied when the lock is released.
final class StateLock: Sendable {
    private let descriptor: Int32
    /// While it exists, the watch of the workspace does not use the store.
    private let pause: WatchPeer.Pause?

    private init(descriptor: Int32, pause: WatchPeer.Pause? = nil) {
        self.descriptor = descriptor
        self.pause = pause
    }

    /// Unlocks before it closes: a program that is just being started (a password command) has a copy of the
    /// descriptor until its `exec`, and would keep the lock that long.
    deinit {
        // Removes the name, so that the next holder is not mistaken for this one until it writes its own.
        _ = ftruncate(descriptor, 0)
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// How long to wait for another holder, and what to do when the wait takes longer than a moment.
    struct Patience: Sendable {
        var longest: Duration
        /// Called once, with the process that holds the lock.
        var note: @Sendable (Int?) -> Void = { _ in }
    }

    /// How long to wait for a holder that needs the lock only briefly, as a watch does for each sync.
    private static let patience = Duration.seconds(5)
    /// A wait that takes longer is noted.
    private static let moment = Duration.seconds(1)
    /// How long to wait for a watch that finishes its current work.
    private static let pausePatience = Duration.seconds(60)
    private static let brief = "brief"

    /// - Parameters:
    ///   - path: The file of the lock.
    ///   - isBrief: The lock is released soon, so other processes wait for it instead of failing.
    ///   - watch: The watch that pauses if it holds the lock.
    ///   - waiting: How long to wait for a holder that keeps the lock; nil: not at all.
    /// - Returns: The lock, which is released with the value.
    /// - Throws: ``Problem`` if another process keeps the lock.
    static func take(
        path: String, isBrief: Bool = false, watch: WatchPeer? = nil, waiting: Patience? = nil
    ) throws(Problem) -> StateLock {
        let start = ContinuousClock.now
        let lastEnd = waiting.map { start + $0.longest }
        var end = start + patience
        var pause: WatchPeer.Pause?
        var watch = watch
        var isNoted = false
        while true {
            do {
                return try takeNow(path: path, isBrief: isBrief, pause)
            } catch {
                let now = ContinuousClock.now
                // A watch retries later, so it does not block a thread.
                guard error.code == "locked", !isBrief,
                    isHeldBriefly(path) && now < end || lastEnd.map({ now < $0 }) ?? false
                else { throw error }
                guard !Task.isCancelled else {
                    throw Problem("interrupted", exit: .interrupted, message: "interrupted")
                }
                if let waiting, !isNoted, now - start > moment {
                    waiting.note(holder(path))
                    isNoted = true
                }
                if let peer = watch {
                    pause = peer.pause()
                    if pause != nil { end = ContinuousClock.now + pausePatience }
                    watch = nil
                }
                usleep(20_000)
            }
        }
    }

    /// A holder that has not written its kind yet acquired the lock just now.
    private static func isHeldBriefly(_ path: String) -> Bool {
        (try? String(contentsOfFile: path, encoding: .utf8)).map { $0.isEmpty || $0.contains(brief) } ?? false
    }

    /// The process that holds the lock, if it has named itself.
    private static func holder(_ path: String) -> Int? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return readHolder(descriptor)
    }

    /// Whether a process holds the lock now.
    static func isHeld(path: String) -> Bool {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        if isFree { flock(descriptor, LOCK_UN) }
        return !isFree
    }

    private static func takeNow(
        path: String, isBrief: Bool, _ pause: WatchPeer.Pause?
    ) throws(Problem) -> StateLock {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Problem(
                "cannot-lock", exit: .cannotCreate,
                message: "cannot open \(path): \(String(cString: strerror(errno)))",
                next: ["check the permissions of the folder"])
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = readHolder(descriptor)
            close(descriptor)
            throw Problem(
                "locked", exit: .temporary,
                message: "another opus process is using this store"
                    + (holder.map { " (process \($0))" } ?? ""),
                place: path, next: ["wait until it is done, then run the same command again"])
        }
        let mark = Array((isBrief ? "\(getpid())\n\(brief)\n" : "\(getpid())\n").utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, mark, mark.count, 0)
        return StateLock(descriptor: descriptor, pause: pause)
    }

    private static func readHolder(_ descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").first.flatMap {
            Int($0)
        }
    }
}
