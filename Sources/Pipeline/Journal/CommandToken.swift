import MailStore
import Models

/// A token that is different for each command: the number of its future run.
enum CommandToken {
    static func next(in store: Store) throws -> String {
        "command \(try store.runs.lastNumber() + 1)"
    }
}
