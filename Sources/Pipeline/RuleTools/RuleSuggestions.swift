public import Models

/// Rules suggested by what the user did by hand: a diff, with tests and the evidence. opus does not apply it on its
/// own.
public struct RuleSuggestions: Sendable {
    public struct Suggestion: Sendable {
        /// The rule that is new, or that gets an exception.
        public var rule: String
        public var isNew: Bool
        /// The observation, in one sentence.
        public var evidence: String
        public var messages: [EmailID]
        /// How many messages of this kind in 90 days would have been treated differently …
        public var changes = 0
        /// … of how many.
        public var looked = 0
    }

    public var suggestions: [Suggestion] = []
    /// To the rule files, as `diff -u` shows it.
    public var diff = ""
    public var notes: [String] = []
}
