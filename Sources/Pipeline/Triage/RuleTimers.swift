import MailStore
import Models

/// When each rule with a time of its own had its last turn.
enum RuleTimers {
    /// The name of the note in the store.
    static func key(_ account: AccountID, _ rule: String) -> String {
        "timer \(account) \(rule)"
    }
}
