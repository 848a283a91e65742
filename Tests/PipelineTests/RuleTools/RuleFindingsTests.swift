import Foundation
import Models
import Testing

@testable import Pipeline

/// Findings of rules that take the mail of the store: mailboxes that are missing, and rules that nothing needs.
@Suite("Findings of rules and mail")
struct RuleFindingsTests {
    private static let rules = """
        rules-version: 1
        protect:
          - kept: subject:unpaid
        rules:
          - { id: pay, when: subject:invoice, continue: true, then: archive }
          - { id: late, when: subject:invoice, then: trash }
          - { id: held, when: subject:unpaid, then: archive }
          - { id: never, when: subject:never, then: archive }
          - { id: off, enabled: false, when: subject:never, then: archive }

        """

    /// The warnings some days after the first run, for a rule file of that age in days.
    private func warnings(days: Int64, fileAge: Int64) async throws -> [Diagnostic] {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Invoice 1", "Unpaid 1")
        try await work.run(at: Workplace.tuesday - days * Workplace.day)
        let date = Date(timeIntervalSince1970: Double(Workplace.tuesday.seconds - fileAge * Workplace.day))
        try FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: work.root + "/rules/10.yaml")
        let workspace = try work.options().loadWorkspace()
        return try RuleFindings.ofStore(RuleLibrary.load(workspace), work.options())
    }

    @Test("a rule without a match in ninety days of runs is reported, unless it came too late")
    func neglected() async throws {
        let found = try await warnings(days: 100, fileAge: 95)
        #expect(found.map(\.code) == ["R088"])
        #expect(found.map(\.message) == ["'never' has matched nothing in 100 days of runs"])
        #expect(found.map(\.suggestion) == ["opus explain ID --rule never"])
        #expect(found.allSatisfy { $0.severity == .warning && $0.file == "rules/10.yaml" })
    }

    @Test("a new file and a short history of runs give no findings")
    func silent() async throws {
        #expect(try await warnings(days: 100, fileAge: 10).isEmpty)
        #expect(try await warnings(days: 89, fileAge: 95).isEmpty)
    }

    @Test("without a store, or before the first sync, there are no findings")
    func nothingKnown() async throws {
        let work = try Workplace(rules: [
            "10.yaml":
                "rules-version: 1\nrules:\n  - { id: far, when: subject:far, then: { move: Nowhere } }\n"
        ])
        func found() throws -> [String] {
            try RuleFindings.ofStore(RuleLibrary.load(try work.options().loadWorkspace()), work.options())
                .map(\.code)
        }
        #expect(try found().isEmpty)
        try await work.with { _ in }
        #expect(try found().isEmpty)
        try await work.synced { _ in }
        #expect(try found() == ["R083"])
        try work.addAccount("home")
        #expect(try found().isEmpty, "an account that was never synced may have the mailbox")
    }

    @Test("a check lists the findings of files, tests and mail in the order of the files")
    func order() async throws {
        let tests = "tests:\n  - { name: t, mail: { from: a@x.org, subject: far }, expect: { rule: far } }\n"
        let work = try Workplace(rules: [
            "10.yaml":
                "rules-version: 1\nrules:\n  - { id: far, when: subject:far, then: { move: Nowhere } }\n"
                + tests,
            "05.yaml": "rules-version: 1\nrules:\n  - { id: first, when: subject:far, then: archive }\n",
        ])
        try await work.synced { _ in }
        let library = RuleLibrary.load(try work.options().loadWorkspace())
        let found = try library.check(work.options())
        #expect(found.map(\.file) == found.map(\.file).sorted())
        #expect(found.contains { $0.code == "R083" } && found.contains { $0.code == "R090" })
    }
}
