import Foundation
import Glibc
import Models

/// One process at a time changes a store: an advisory lock on a file beside it.
///
/// The lock goes with the process, however it ends; the file stays, names the holder, and is empty while there is none.
final class StateLock: Sendable {
    private let descriptor: Int32
    /// While it lasts, the watch of the workspace leaves the store alone.
    private let pause: WatchPeer.Pause?

    private init(descriptor: Int32, pause: WatchPeer.Pause? = nil) {
        self.descriptor = descriptor
        self.pause = pause
    }

    /// Unlocks before it closes: a program that is being started at this moment (a password command) has a copy of the
    /// descriptor until its `exec`, and the lock would last as long.
    deinit {
        // The next holder has not written its name yet: it must not be taken for this one.
        _ = ftruncate(descriptor, 0)
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// How long to wait for a holder that says it is done in a moment, as a watch does for each sync.
    private static let patience = Duration.seconds(5)
    /// How long for a watch that finishes what it has begun, and begins nothing new.
    private static let pausePatience = Duration.seconds(60)
    private static let brief = "brief"

    /// - Parameters:
    ///   - path: the file of the lock.
    ///   - isBrief: it is released in a moment, so that others wait instead of being refused.
    ///   - watch: asked to leave the store alone when the lock is not free.
    /// - Returns: the lock, which ends with the value.
    /// - Throws: ``Problem`` when another process keeps it.
    static func take(
        path: String, isBrief: Bool = false, watch: WatchPeer? = nil
    ) throws(Problem) -> StateLock {
        var end = ContinuousClock.now + patience
        var pause: WatchPeer.Pause?
        var watch = watch
        while true {
            do {
                return try takeNow(path: path, isBrief: isBrief, pause)
            } catch {
                // A watch comes back by itself, and keeps no thread waiting.
                guard error.code == "locked", !isBrief, isHeldBriefly(path), ContinuousClock.now < end else {
                    throw error
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

    /// A holder that has not written its kind yet took the lock just now.
    private static func isHeldBriefly(_ path: String) -> Bool {
        (try? String(contentsOfFile: path, encoding: .utf8)).map { $0.isEmpty || $0.contains(brief) } ?? false
    }

    /// Whether a process holds it now.
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
