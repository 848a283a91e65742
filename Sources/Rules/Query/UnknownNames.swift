import YAMLSource

/// Messages for unknown conditions.
extension QueryParser {
    func unknown(_ name: String, offset: Int) -> QueryProblem {
        Self.unknownCondition(name, offset: offset)
    }

    static func unknownCondition(
        _ name: String, offset: Int, inMapping: Bool = false
    ) -> QueryProblem {
        if let hint = ForeignWords.condition(name) {
            return QueryProblem(
                code: "R012", offset: offset, length: max(1, name.count),
                message: "unknown condition '\(name)'",
                suggestion: "write \(inMapping ? hint.mapping : hint.query)")
        }
        let similar = nearest(to: name, among: ConditionTable.names)
        return QueryProblem(
            code: "R012", offset: offset, length: max(1, name.count), message: "unknown condition '\(name)'",
            suggestion: similar.map { "did you mean '\($0)'?" })
    }

    static func unknownWord(
        _ word: String, family: String, names: KnownNames, offset: Int, inMapping: Bool = false
    ) -> QueryProblem {
        let known = ConditionTable.words(ofFamily: family)
        let foreign = ForeignWords.state(word, family: family).map {
            "write \(inMapping ? ForeignWords.mapping($0) : $0)"
        }
        let candidates = family == "is" ? known + names.defines.sorted() : known
        let similar = nearest(to: word, among: candidates)
        let message =
            family == "is"
            ? "'\(word)' is neither a state nor a name under 'define:'"
            : "unknown condition '\(family):\(word)'"
        return QueryProblem(
            code: family == "is" ? "R041" : "R012", offset: offset, length: max(1, word.count),
            message: message,
            suggestion: foreign ?? similar.map { "did you mean '\(family):\($0)'?" }
                ?? "one of: \(known.joined(separator: ", "))")
    }
}
