import Models
import Testing

@testable import Pipeline

/// The last page of `opus init`: what the rules would do with the inbox.
@Suite("First look")
struct FirstLookTests {
    @Test(
        "each rule has its number of messages and its actions, in the order of the files, and nothing changes"
    )
    func numbers() async throws {
        let work = try Workplace()
        try work.deliver("invoice 1", "invoice 2", "A weekly letter", "A notice", "Lunch")
        try await work.synced { session in
            let look = try FirstLook(session, Workplace.account)
            #expect(look.inbox == 5 && look.mailboxes.contains { $0.role == .inbox })
            #expect(look.numbers.map(\.rule) == ["pay", "ask", "later", "mark"])
            #expect(look.numbers.map(\.messages) == [2, 0, 1, 1])
            #expect(look.numbers.map(\.actions) == [["archive", "task"], [], ["defer"], ["label"]])
            #expect(try !session.journal.hasRunOnMail())
        }
        #expect(try work.names("INBOX").count == 5 && work.taskFiles("invoice").isEmpty)
    }

    @Test("a rule that only keeps mail would do nothing")
    func keep() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nrules:\n  - id: hold\n    when: subject:lunch\n    then: keep\n"
        ])
        try work.deliver("Lunch")
        try await work.synced { session in
            let look = try FirstLook(session, Workplace.account)
            #expect(look.numbers.map(\.messages) == [0] && look.numbers.map(\.actions) == [[]])
        }
    }
}
