/// How a command ends when it has printed all that it has to say: with a code of the table and no further message.

import Models
import Pipeline

struct Outcome: Error {
    let status: ExitStatus
}
