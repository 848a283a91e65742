import CLibical
import Foundation
import Synchronization

/// The thread on which libical works.
///
/// libical does not profit from threads, and each thread that calls it keeps a ring of up to 2,500 buffers. So all of
/// its work runs here, one piece after the other, while the caller waits. A piece that starts another piece is already
/// on the thread and continues at once, so a caller that reads ten thousand files switches threads once:
///
///     CalendarThread.run { files.map { read($0) } }
public enum CalendarThread {
    /// Runs `body` on the thread, and returns or throws its result.
    public static func run<Success, Failure: Error>(
        _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        if worker.isCurrent { return try body() }
        let outcome: Result<Success, Failure> = withoutActuallyEscaping(body) { body in
            let slot = Slot<Success, Failure>(body)
            worker.perform(Piece(run: slot.run))
            return slot.outcome
        }
        return try outcome.get()
    }

    private static let worker = Worker()

    /// Holds the result of one piece of work. The caller accesses it before and after the piece, never during it.
    private final class Slot<Success, Failure: Error> {
        private let body: () throws(Failure) -> Success
        private var result: Result<Success, Failure>?

        init(_ body: @escaping () throws(Failure) -> Success) { self.body = body }

        func run() {
            do throws(Failure) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
        }

        var outcome: Result<Success, Failure> {
            guard let result else {
                preconditionFailure("the calendar thread returned before its work was done")
            }
            return result
        }
    }

    /// Sent to the thread although it is not `Sendable`: the caller waits until it has run.
    private struct Piece: @unchecked Sendable {
        let run: () -> Void
        let isDone = DispatchSemaphore(value: 0)
    }

    private final class Worker: Sendable {
        private let pieces = Mutex<[Piece]>([])
        private let hasPieces = DispatchSemaphore(value: 0)
        private let identity = Mutex<pthread_t?>(nil)

        init() {
            let thread = Thread { [self] in work() }
            thread.name = "opus-calendar"
            thread.stackSize = 4 << 20
            thread.start()
        }

        var isCurrent: Bool {
            identity.withLock { id in id.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        }

        func perform(_ piece: Piece) {
            pieces.withLock { $0.append(piece) }
            hasPieces.signal()
            piece.isDone.wait()
        }

        private func work() {
            identity.withLock { $0 = pthread_self() }
            // Without this setting, some builds of libical abort on a malformed property.
            icalerror_set_errors_are_fatal(0)
            while true {
                hasPieces.wait()
                doNext()?.signal()
            }
        }

        /// Releases the piece before its caller continues, because it must not outlive the call.
        @inline(never) private func doNext() -> DispatchSemaphore? {
            let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            piece?.run()
            icalmemory_free_ring()
            return piece?.isDone
        }
    }
}
