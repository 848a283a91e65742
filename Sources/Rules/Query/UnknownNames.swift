import YAMLSource

/// The words for conditions that there are not, or not yet.
extension QueryParser {
    func unknown(_ name: String, offset: Int) -> QueryProblem {
        Self.unknownCondition(name, offset: offset)
    }

    func requireAvailable(_ entry: ConditionEntry, offset: Int, _ name: String) throws(QueryProblem) {
        if let problem = Self.notAvailable(entry, name: name, offset: offset) { throw problem }
    }

    static func notAvailable(_ entry: ConditionEntry, name: String, offset: Int) -> QueryProblem? {
        guard case .notYet(let instead) = entry.meaning else { return nil }
        return QueryProblem(
            code: "R070", offset: offset, length: max(1, name.count),
            message: "the condition '\(name)' is not available yet", suggestion: instead)
    }

    static func unknownCondition(_ name: String, offset: Int) -> QueryProblem {
        let similar = nearest(to: name, among: ConditionTable.names)
        return QueryProblem(
            code: "R012", offset: offset, length: max(1, name.count), message: "unknown condition '\(name)'",
            suggestion: similar.map { "did you mean '\($0)'?" })
    }

    static func unknownWord(
        _ word: String, family: String, names: KnownNames, offset: Int
    ) -> QueryProblem {
        let known = ConditionTable.words(ofFamily: family)
        let candidates = family == "is" ? known + names.defines.sorted() : known
        let similar = nearest(to: word, among: candidates)
        let message =
            family == "is"
            ? "'\(word)' is neither a state nor a name under 'define:'"
            : "unknown condition '\(family):\(word)'"
        return QueryProblem(
            code: family == "is" ? "R041" : "R012", offset: offset, length: max(1, word.count),
            message: message,
            suggestion: similar.map { "did you mean '\(family):\($0)'?" }
                ?? "one of: \(known.joined(separator: ", "))")
    }
}
