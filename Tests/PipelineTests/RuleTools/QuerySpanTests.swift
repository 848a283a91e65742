import Models
import Rules
import Testing

@testable import Pipeline

/// What a command looks back on: a time, or a query.
@Suite("Times to look back on")
struct QuerySpanTests {
    private static let rules = RuleSet.compile([], accounts: [], readList: { _ in nil }).rules

    @Test(
        "a number with a unit is a period up to now",
        arguments: [
            ("90d", "newer:90d"), ("12w", "newer:12w"), ("2 years", "newer:2years"), ("1 day", "newer:1day"),
        ])
    func times(_ typed: String, _ text: String) throws {
        #expect(try QuerySpan.parse(typed, rules: Self.rules).text == text)
    }

    @Test("anything else is a query", arguments: ["subject:90d", "90", "from:ana newer:2w", "in:Archive"])
    func queries(_ typed: String) throws {
        #expect(try QuerySpan.parse(typed, rules: Self.rules).text == typed)
    }

    @Test(
        "an unknown unit and an unknown prefix are usage errors",
        arguments: [
            "90q", "5 parsecs", "sendr:ana", "subject:(",
        ])
    func refusals(_ typed: String) {
        #expect {
            try QuerySpan.parse(typed, rules: Self.rules)
        } throws: { error in
            (error as? DiagnosticFailure)?.exit == .usage
        }
    }
}
