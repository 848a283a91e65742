import Accounts
import RuleImport

/// A possible change of the rules, derived from the user's actions, before it is tested.
struct RuleCandidate {
    enum Change {
        case rule(RuleFromMail)
        /// An exception for the rule that the suggestion names.
        case exception(testName: String, test: [String])
    }

    var change: Change
    var account: Account
    var kind: MailKind
    var suggestion: RuleSuggestions.Suggestion
}
