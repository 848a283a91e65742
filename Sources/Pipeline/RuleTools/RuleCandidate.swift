import Accounts
import RuleImport

/// A change of the rules suggested by what the user did by hand, before it is tried.
struct RuleCandidate {
    enum Change {
        case rule(RuleFromMail)
        /// Of the rule that the suggestion names.
        case exception(testName: String, test: [String])
    }

    var change: Change
    var account: Account
    var kind: MailKind
    var suggestion: RuleSuggestions.Suggestion
}
