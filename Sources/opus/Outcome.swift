/// Ends a command that has printed everything, with an exit code and no further message.

import Models
import Pipeline

struct Outcome: Error {
    let status: ExitStatus
}
