import Foundation
import Glibc
import Synchronization

/// A local program with a time limit, in its own process group. It is ended with SIGTERM, and if that does not help, SIGKILL.
final class RunningProgram: Sendable {
    /// The time between SIGTERM and SIGKILL.
    private static let grace = DispatchTimeInterval.seconds(2)

    private let state = Mutex<(process: pid_t?, isEnding: Bool)>((nil, false))

    /// - Returns: Whether the program was started. It is not if ``end()`` was called before.
    func start(_ words: [String], _ streams: ChildProcess.Streams, environment: [String]?, folder: String)
        -> Bool
    {
        state.withLock { state in
            guard !state.isEnding,
                let process = try? ChildProcess.start(
                    words, streams, environment: environment, folder: folder)
            else { return false }
            state.process = process
            return true
        }
    }

    /// Waits for the end of the program. Programs that it left in the background do not count.
    ///
    /// - Returns: Its exit status, or 128 and the number of the signal that ended it; nil: it took longer than `limit`, and
    ///   was ended.
    func wait(_ limit: DispatchTimeInterval) -> Int32? {
        guard let process = state.withLock({ $0.process }) else { return nil }
        let ended = DispatchSemaphore(value: 0)
        // On a thread of its own: a shared queue may be full of other waits.
        Thread.detachNewThread {
            var status = siginfo_t()
            // It keeps its number until the signals to it are over.
            while waitid(P_PID, id_t(process), &status, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            ended.signal()
        }
        let isLate = ended.wait(timeout: .now() + limit) == .timedOut
        if isLate {
            signal(SIGTERM)
            if ended.wait(timeout: .now() + Self.grace) == .timedOut {
                signal(SIGKILL)
                ended.wait()
            }
        }
        state.withLock { $0.process = nil }
        // Without a status, it did not succeed.
        var status = Int32(SIGKILL)
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        guard !isLate else { return nil }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Ends the program; returns at once.
    func end() {
        state.withLock { $0.isEnding = true }
        signal(SIGTERM)
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.grace) { self.signal(SIGKILL) }
    }

    /// Signals the program and its child processes.
    private func signal(_ number: Int32) {
        state.withLock { state in
            guard let process = state.process, process > 1 else { return }
            kill(-process, number)
        }
    }
}
