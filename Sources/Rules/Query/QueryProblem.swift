/// An error in a condition, with its position in the text.
struct QueryProblem: Error, Hashable, Sendable {
    var isWarning = false
    var code: String
    /// In Characters from the beginning of the text.
    var offset: Int
    var length: Int
    var message: String
    var suggestion: String?
}

/// The names that conditions may refer to.
struct KnownNames: Sendable {
    var lists: Set<String> = []
    var defines: Set<String> = []
    var rules: Set<String> = []
    /// Saved searches; rule files have none.
    var searches: Set<String> = []
    /// Outside of rule files, there may be no rules.
    var hasRules = true
}
