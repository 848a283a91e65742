public import Models

/// Rules suggested by the user's actions: a diff, with tests and the evidence. opus does not apply it
/// automatically.
public struct RuleSuggestions: Sendable {
    public struct Suggestion: Sendable {
        /// The new rule, or the rule that gets an exception.
        public var rule: String
        public var isNew: Bool
        /// The observation, in one sentence.
        public var evidence: String
        public var messages: [EmailID]
        /// The number of messages of this kind in 90 days that would have been treated differently.
        public var changes = 0
        /// The number of messages that were judged.
        public var looked = 0
    }

    public var suggestions: [Suggestion] = []
    /// The change of the rule files, in the format of `diff -u`.
    public var diff = ""
    public var notes: [String] = []
}
