import MailStore
import Models

/// A word that is different for each command: the number that its run will have.
enum CommandToken {
    static func next(in store: Store) throws -> String {
        "command \(try store.runs.lastNumber() + 1)"
    }
}
