import Foundation
import GRDB
import Models
import TestSupport
import Testing

@testable import MailStore

/// SQLite does not know how many rows a table has. With a wrong guess it reads all messages of an account for each message.
@Suite("Plans of statements")
struct QueryPlanTests {
    @Test("no statement reads all rows of a table that grows with the mail, except the listed ones")
    func statementsFindRowsByAnIndex() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let sources = try SourceStatements()
        let recorded = try RecordedStatements.ofADay(store)
        var statements = Set(recorded)
        for literal in sources.statements {
            if let texts = sources.texts(of: literal) {
                statements.formUnion(texts)
            } else if !recorded.contains(where: literal.makes) {
                Issue.record(
                    "\(literal.place): no test makes this statement; add it to RecordedStatements: \(literal.text)"
                )
            }
        }
        #expect(statements.count > 300)
        var used: Set<String> = []
        try store.file.writing { db in
            statements.formUnion(try Self.triggers(db))
            let plan = try QueryPlan(db)
            for statement in statements.sorted() {
                do {
                    for fault in try plan.faults(of: statement) {
                        if let allowance = Allowance.all.first(where: { $0.allows(fault) }) {
                            used.insert(allowance.statement + allowance.step)
                        } else {
                            Issue.record("\(fault.step): \(fault.statement)")
                        }
                    }
                } catch {
                    Issue.record("\(error): \(statement)")
                }
            }
        }
        for allowance in Allowance.all where !used.contains(allowance.statement + allowance.step) {
            Issue.record("nothing needs this allowance: \(allowance.statement): \(allowance.step)")
        }
    }

    @Test(
        "the check finds a query plan that reads all messages of an account",
        arguments: [
            "SELECT id FROM message WHERE account = ?",
            "SELECT id FROM message AS m WHERE m.size > ?",
            "SELECT uid FROM placement WHERE mailbox = ?",
            "SELECT id FROM message WHERE account = ? AND email_id IN (SELECT value FROM json_each(?))",
        ])
    func faultsAreFound(statement: String) throws {
        let folder = try StoreFolder()
        let faults = try folder.open().file.reading { db in try QueryPlan(db).faults(of: statement) }
        #expect(faults.count == 1)
    }

    /// The statements inside of triggers; a value of the row that fires one is a parameter.
    private static func triggers(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT sql FROM sqlite_schema WHERE type = 'trigger'").flatMap { sql in
            guard let body = sql.firstMatch(of: /(?s)\bBEGIN\b(.*)\bEND/)?.1 else { return [String]() }
            return body.split(separator: ";").map { statement in
                String(statement).onOneLine.replacing(/\b(?:NEW|OLD)\.\w+/, with: "?")
            }.filter { !$0.isEmpty }
        }
    }
}
