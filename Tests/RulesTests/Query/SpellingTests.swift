import Models
import TestSupport
import Testing

@testable import Rules

/// `mapping → query → mapping`: the two spellings are one language.
@Suite struct SpellingTests {
    private func condition(mapping: String) throws -> Condition {
        try rules("rules:\n  - id: r\n    when: \(mapping)\n    then: flag\n").compiled[0].when
    }

    /// Both spellings of a condition, read again, give both spellings again, and say the same of mails.
    private func check(_ first: Condition) throws {
        let second = try query(first.query).condition
        #expect(second.query == first.query)
        let third = try condition(mapping: second.mapping)
        #expect(third.query == first.query, "\(second.mapping)")
        #expect(third.mapping == second.mapping)
        for facts in Self.mails {
            let answers = [first, second, third].map {
                FactsView(facts, context: context(), tables: RuleTables()).judge($0)
            }
            #expect(answers[0] == answers[1] && answers[1] == answers[2], "\(first.query)")
        }
    }

    private static let mails = [
        mail(), mail { $0.subject = "a/b (c) \"d\" \\e *f" }, mail { $0.text = "= ~ or - ' \n x" },
        mail { $0.from = [EmailAddress(displayName: "Ann (a) Lee", localPart: "a.lee", domain: "x.org")] },
    ]

    @Test("every example of the table means the same in both spellings")
    func examples() throws {
        for entry in RulesLanguage.conditions where entry.name != "matched" {
            try check(try query(entry.example).condition)
        }
    }

    @Test("random conditions mean the same in both spellings")
    func random() throws {
        var random = SeededGenerator(seed: 60_606)
        var read = 0
        for _ in 0..<600 {
            guard let first = try? condition(mapping: Self.tree(&random, depth: 3)) else { continue }
            read += 1
            try check(first)
        }
        #expect(read > 300, "\(read)")
    }

    private static func tree(_ random: inout SeededGenerator, depth: Int) -> String {
        guard depth > 0, random.below(3) > 0 else { return "{ \(leaf(&random)) }" }
        let children = (0...random.below(2)).map { _ in tree(&random, depth: depth - 1) }
        switch random.below(4) {
        case 0: return "{ all: [\(children.joined(separator: ", "))] }"
        case 1: return "{ any: [\(children.joined(separator: ", "))] }"
        case 2: return "{ not: \(children[0]) }"
        case _: return "{ \(leaf(&random)) }"
        }
    }

    private static func leaf(_ random: inout SeededGenerator) -> String {
        let bits = [
            "a", "b", "é", "日本", " ", "  ", "*", "?", "(", ")", "\"", "'", "\\", "/", "=", "~", "-", "or",
            ":", ">",
            "x.org", "@", ".", "\t", "[", "|", "\u{1}",
        ]
        let value = (0...random.below(5)).map { _ in bits[random.below(bits.count)] }.joined()
        let text = Rules.Spelling.quoted(value)
        let field = ["subject", "body", "text", "from", "header:X-A", "attachment:name"][random.below(6)]
        switch random.below(9) {
        case 0: return "\(field): \(text)"
        case 1: return "\(field): { contains: \(text) }"
        case 2: return "\(field): { equals: \(text) }"
        case 3: return "\(field): { glob: \(text) }"
        case 4: return "\(field): { matches: \(text) }"
        case 5: return "label: \(text)"
        case 6: return "is: unread"
        case 7: return "size: '>\(random.below(9))K'"
        case _: return "thread:has: { subject: \(text) }"
        }
    }
}
