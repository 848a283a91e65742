import Models
import Rules

/// The mail that a command looks back on: a time (`90d`), or a query.
enum QuerySpan {
    /// `90d`, `12w`, `2 years` are the time up to now, and so is any text of that form; anything else is a query.
    static func parse(_ over: String, rules: RuleSet) throws -> (query: Query, text: String) {
        let number = over.prefix { $0.isASCII && $0.isNumber }
        let unit = over.dropFirst(number.count).drop { $0 == " " }
        let isAge =
            (1...5).contains(number.count) && !unit.isEmpty && unit.allSatisfy { $0.isASCII && $0.isLetter }
        let text = isAge ? "newer:\(number)\(unit)" : over
        switch Query.parse(text, rules: rules) {
        case .success(let query): return (query, text)
        case .failure(let errors): throw DiagnosticFailure(errors.diagnostics, exit: .usage)
        }
    }
}
