import ArgumentParser
import Dispatch
import Glibc
import Models
import Pipeline

/// Ctrl-C ends a command in order: what was done is in the journal and is said, what was not waits for the next
/// run. A second Ctrl-C ends it at once, which loses nothing either.
enum Interruptible {
    static func run(_ command: any AsyncParsableCommand) async throws {
        let box = CommandBox(command: command)
        let work = Task(executorPreference: WorkThreads.shared) {
            var command = box.command
            try await command.run()
        }
        _ = signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
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

/// A parsed command on its way to the one task that runs it.
///
/// `@unchecked`: commands are values, and nobody else keeps this one; the parser's protocol does not say so.
private struct CommandBox: @unchecked Sendable {
    let command: any AsyncParsableCommand
}
