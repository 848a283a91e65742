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
    /// A signal that comes sooner after the first is the same Ctrl-C: `timeout` and other programs send it to the process
    /// and to its group.
    private static let oneKeyPress = DispatchTimeInterval.milliseconds(300)

    /// Waits for a program that uses the terminal, such as an editor: Ctrl-C is for that program alone.
    ///
    /// Ctrl-C goes to opus too, and the queue may handle it only after the program has ended.
    ///
    /// - Returns: The status as `waitpid` gives it.
    static func wait(for program: pid_t) -> Int32 {
        pauses.withLock { $0 += 1 }
        var status: Int32 = 0
        while waitpid(program, &status, 0) < 0, errno == EINTR {}
        let wasInterrupted = status & 0x7F == SIGINT || (status >> 8) & 0xFF == 128 + SIGINT
        if wasInterrupted {
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) { pauses.withLock { $0 -= 1 } }
        } else {
            pauses.withLock { $0 -= 1 }
        }
        return status
    }

    @MainActor static func run(_ command: any AsyncParsableCommand) async throws {
        let box = CommandBox(command: command)
        let (registration, registered) = AsyncStream.makeStream(of: Never.self)
        // A new task: one that already runs would start on its current thread.
        let work = Task(executorPreference: WorkThreads.shared) {
            // A question puts the handler of Ctrl-C aside and restores it, so it must be there before.
            for await _ in registration {}
            var command = box.command
            try await command.run()
        }
        _ = signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        // `@Sendable`: the queue runs it outside of the main actor.
        source.setEventHandler { @Sendable in
            guard pauses.withLock({ $0 == 0 }) else { return }
            work.cancel()
            DispatchQueue.global().asyncAfter(deadline: .now() + oneKeyPress) { _ = signal(SIGINT, SIG_DFL) }
        }
        source.setRegistrationHandler { @Sendable in registered.finish() }
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
