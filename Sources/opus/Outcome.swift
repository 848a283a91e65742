import Models
import Pipeline

/// Ends a command that has printed everything, with an exit code and no further message.
struct Outcome: Error {
    let status: ExitStatus
}
