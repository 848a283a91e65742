import Models
import Pipeline

/// Ends a command with an exit code and without a message; the command has printed everything.
struct Outcome: Error {
    let status: ExitStatus
}
