import Foundation
import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// Filters of other programs, read from files and written as rules of this workspace.
@Suite("Importing filters")
struct RuleImportingTests {
    private static let sieve = """
        require ["fileinto"];
        if header :contains "subject" "invoice" { fileinto "Bills"; }

        """

    private func read(
        _ text: String, _ name: String, format: String? = nil, _ work: Workplace? = nil
    ) throws -> ImportedRules {
        let work = try work ?? Workplace(rules: [:])
        try work.write(text, to: name)
        return try ImportedRules.read(work.root + "/" + name, format: format, beside: work.options())
    }

    private func refusal(_ text: String, _ name: String, format: String? = nil) throws -> Problem {
        do {
            _ = try read(text, name, format: format)
        } catch {
            return Problem(error)
        }
        throw Problem("test", exit: .bug, message: "it was read")
    }

    @Test("the format is recognised by the file, or is the named one")
    func formats() throws {
        #expect(try read(Self.sieve, "a.sieve").format == "sieve")
        #expect(try read(Self.sieve, "filters").format == "sieve")
        #expect(try read("version=\"9\"\nlogging=\"no\"\n", "msgFilterRules.dat").format == "thunderbird")
        #expect(try read("if true { keep; }", "a.xml", format: "sieve").format == "sieve")
        let problem = try refusal("hello", "notes.txt")
        #expect(problem.code == "unknown-filters" && problem.exit == .badData)
        #expect(problem.next.count == ImportedRules.formats.count)
    }

    @Test("an unreadable filter is refused with its line")
    func broken() throws {
        let problem = try refusal("require \"fileinto\";\nif header {", "a.sieve")
        #expect(problem.code == "bad-filters" && problem.exit == .badData)
        #expect(problem.place?.contains("a.sieve:2:") == true)
        #expect(throws: Problem.self) { try ImportedRules.read("/nowhere/a.sieve", format: nil) }
    }

    @Test("imported rules have no errors, pass their tests, and do what the filter did")
    func used() async throws {
        let work = try Workplace()
        let imported = try read(Self.sieve, "a.sieve", work)
        #expect(imported.ruleCount == 1 && imported.testCount > 0)
        try imported.write(to: work.root + "/rules/05-imported.yaml")
        try work.client.create(MailboxName("Bills"))
        try work.deliver("Invoice 1")
        try await work.synced { session in
            let plan = try session.plan()
            #expect(plan.changes == ["Invoice 1: move"])
            _ = try await session.triage.apply(plan, command: "triage")
        }
        #expect(try work.names("Bills") == ["Invoice-1"])
    }

    @Test("filters imported twice get different ids")
    func takenIDs() throws {
        let work = try Workplace(rules: [:])
        for name in ["10.yaml", "20.yaml"] {
            try read(Self.sieve, "a.sieve", work).write(to: work.root + "/rules/" + name)
        }
        let library = RuleLibrary.load(try work.options().loadWorkspace())
        #expect(library.errors.isEmpty && Set(library.rules.rules.map(\.id)).count == 2)
    }

    @Test("an existing file is not replaced")
    func exclusive() throws {
        let work = try Workplace()
        let imported = try read(Self.sieve, "a.sieve", work)
        let path = work.root + "/rules/10-rules.yaml"
        #expect {
            try imported.write(to: path)
        } throws: { error in
            let problem = Problem(error)
            return problem.code == "cannot-write" && problem.exit == .cannotCreate
                && problem.next == ["choose another file name"]
        }
        #expect(try work.read("rules/10-rules.yaml") == Workplace.rules)
    }

    @Test("parts that a rule cannot express are reported with their lines")
    func notes() throws {
        let imported = try read("require \"reject\";\nreject \"No.\";\n" + Self.sieve, "a.sieve")
        #expect(imported.notes.contains { $0.line == 2 && $0.piece.contains("reject") })
    }
}
