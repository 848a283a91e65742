import Models
import Rules
import Testing

@testable import Pipeline

/// How rules fare: hits by time, reversals, and what came too late.
@Suite("Statistics of rules")
struct RuleStatisticsTests {
    private static let rules = """
        rules-version: 1
        protect:
          - bills: subject:unpaid
        rules:
          - { id: pay, when: subject:invoice, continue: true, then: archive }
          - { id: bin, when: 'subject:invoice or subject:unpaid', then: trash }

        tests:
          - { name: one, mail: { from: a@x.org, subject: invoice }, expect: { rule: pay } }

        """

    private func lines(
        _ work: Workplace, days: Int64 = 0, account: String? = nil
    ) async throws -> [RuleStatistics] {
        var lines: [RuleStatistics] = []
        try await work.with(at: Workplace.tuesday + days * Workplace.day) { session in
            lines = try session.rules.statistics(try session.rules.library(), account: account)
        }
        return lines
    }

    @Test("hits are counted for 7, 30 and 90 days and in total, once for each message")
    func times() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        for (day, subject) in [(0, "Invoice 1"), (20, "Invoice 2"), (60, "Invoice 3")] as [(Int64, String)] {
            try work.deliver(subject)
            try await work.run(at: Workplace.tuesday + day * Workplace.day)
        }
        let expected: [(Int64, [Int])] = [(60, [1, 1, 3, 3]), (80, [0, 1, 3, 3]), (100, [0, 0, 2, 3])]
        for (day, counts) in expected {
            let pay = try #require(try await lines(work, days: day).first)
            #expect([pay.hits7, pay.hits30, pay.hits90, pay.hits] == counts, "day \(day)")
            #expect(pay.last == Workplace.tuesday + 60 * Workplace.day)
        }
    }

    @Test("a rule that came too late has no hits but its own count, and tests are counted")
    func shadowed() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Invoice 1", "Invoice 2", "Unpaid 1")
        try await work.run()
        let lines = try await lines(work)
        #expect(lines.map(\.rule.id) == ["pay", "bin"])
        #expect(lines.map(\.hits) == [2, 0] && lines.map(\.shadowed) == [0, 3])
        #expect(lines.map(\.tests) == [1, 0])
        for (day, count) in [(89, 3), (91, 0)] as [(Int64, Int)] {
            #expect(try await self.lines(work, days: day).last?.shadowed == count, "day \(day)")
        }
    }

    @Test("with a named account, hits and reversals are those of the account")
    func accounts() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.addAccount("home")
        try work.deliver("Invoice 1")
        try await work.run()
        try await work.with { session in
            _ = try await session.undo.apply(try session.undo.plan(UndoRequest()))
        }
        for (account, count) in [("home", 0), ("work", 1)] {
            let pay = try #require(try await lines(work, account: account).first)
            #expect(pay.hits == count && pay.reversed == count, "\(account)")
        }
    }

    @Test("a Sieve script names the account's own mailboxes and addresses")
    func sieve() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n"
                + "  - { id: pay, when: subject:invoice, then: archive }\n"
                + "  - { id: mine, when: 'to:me', then: trash }\n"
        ])
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir", with: "maildir: Maildir\n    folders: { archive: Kept, trash: Bin }"),
            to: "opus.yaml")
        try await work.synced { session in
            let script = try session.rules.sieve(try session.rules.library(), account: Workplace.account)
            #expect(script.text.contains("fileinto \"Kept\""))
            #expect(script.text.contains("\"Bin\"") && script.text.contains("ana@acme.example"))
        }
    }
}
