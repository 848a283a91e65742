import ArgumentParser
import Dispatch
import Glibc
import Models
import Pipeline
import Synchronization

/// Ctrl-C ends a command cleanly: opus reports the finished steps, and the others wait for the next run. A second
/// Ctrl-C ends it at once, which loses nothing either.
enum Interruptible {
    private static let pauses = Mutex(0)

    /// Runs a program that uses the terminal, such as an editor: Ctrl-C is for that program alone.
    static func paused<Result>(_ body: () throws -> Result) rethrows -> Result {
        pauses.withLock { $0 += 1 }
        defer { pauses.withLock { $0 -= 1 } }
        return try body()
    }

    @MainActor static func run(_ command: any AsyncParsableCommand) async throws {
        let box = CommandBox(command: command)
        // A new task: one that already runs would start on its current thread.
        let work = Task(executorPreference: WorkThreads.shared) {
            var command = box.command
            try await command.run()
        }
        _ = signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        // `@Sendable`: the queue runs it outside of the main actor.
        source.setEventHandler { @Sendable in
            guard pauses.withLock({ $0 == 0 }) else { return }
            _ = signal(SIGINT, SIG_DFL)
            work.cancel()
        }
        source.resume()
        defer { source.cancel() }
        do {
            try await work.value
        } catch {
            throw work.isCancelled ? Outcome(status: .interrupted) : error
        }
        if work.isCancelled { throw Outcome(status: .interrupted) }
    }
}

/// Passes a parsed command to the task that runs it.
///
/// `@unchecked`: commands are values, and one task only uses this one; the protocol of the parser does not require
/// `Sendable`.
private struct CommandBox: @unchecked Sendable {
    let command: any AsyncParsableCommand
}
