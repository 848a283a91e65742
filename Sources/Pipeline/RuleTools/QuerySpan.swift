import Models
import Rules

/// The mail that a command examines: a period (`90d`), or a query.
enum QuerySpan {
    /// `90d`, `12w` and `2 years` are periods until now, as is any text of that form; other texts are
    /// queries.
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
