import Inspection
import MaildirClient
import Models
import Rules
import Testing

@testable import Pipeline

/// Lists, searches and single messages, as commands see them.
@Suite("Messages")
struct MessagesTests {
    private func withMail(_ body: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A question", "Lunch")
        try work.deliver("Old report", to: MailboxName("Archive"))
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            try await body(work, session)
        }
    }

    private func query(_ text: String) throws -> Query {
        switch Query.parse(text, rules: RuleSet.compile([], accounts: [], readList: { _ in nil }).rules) {
        case .success(let query): return query
        case .failure(let errors): throw DiagnosticFailure(errors.diagnostics, exit: .usage)
        }
    }

    private func subjects(_ lines: [MessageLine]) -> [String] { lines.map(\.facts.subject).sorted() }

    @Test("a list shows the inbox, one mailbox or everything, and can be narrowed by a query")
    func list() async throws {
        try await withMail { _, session in
            func list(_ folder: String?, _ everywhere: Bool, _ text: String?) throws -> [String] {
                subjects(
                    try session.messages.list(
                        account: nil, folder: folder, everywhere: everywhere, matching: try text.map(query)))
            }
            let (inbox, archive) = (try list(nil, false, nil), try list("archive", false, nil))
            #expect(inbox == ["A question", "Invoice 1", "Lunch"])
            #expect(archive == ["Old report"])
            let (all, one, named) = (
                try list(nil, true, nil), try list(nil, false, "subject:lunch"),
                try list(nil, false, "in:Archive")
            )
            #expect(all.count == 4 && one == ["Lunch"] && named == ["Old report"])
            #expect(TriageTests.refusal { try list("Achive", false, nil) } == "no-such-mailbox 66")
        }
    }

    @Test("a search finds mail in every mailbox, up to a limit")
    func search() async throws {
        try await withMail { _, session in
            func search(_ text: String, _ limit: Int) throws -> [String] {
                subjects(try session.messages.search(try query(text), account: nil, limit: limit))
            }
            let (one, two, none) = (
                try search("report", 9), try search("hello", 2), try search("from:nobody", 9)
            )
            #expect(one == ["Old report"] && two.count == 2 && none.isEmpty)
            let doubts = try session.messages.doubts(about: try query("in:Nowhere"), account: nil)
            #expect(!doubts.isEmpty)
        }
    }

    @Test("a message is shown with its mailbox, text and tasks, and its bytes are read from the account")
    func view() async throws {
        try await withMail { work, session in
            _ = try await work.applyRules(session)
            let lines = try session.messages.list(account: nil, folder: nil, everywhere: true, matching: nil)
            let line = try #require(lines.first { $0.facts.subject == "A question" })
            let view = try session.messages.view(line.shortID)
            #expect(view.mailboxes == ["INBOX"] && view.text.contains("Hello."))
            #expect(view.tasks.map(\.todo.summary) == ["Answer A question"])
            #expect(line.states.count == 1)
            let raw = String(decoding: try await session.messages.raw(line.shortID), as: UTF8.self)
            #expect(raw.hasPrefix("From: Bob"))
            #expect(try await session.messages.opened(line.shortID).text.contains("Hello."))
            #expect(try session.messages.thread(of: line.shortID).map(\.facts.id) == [line.facts.id])
        }
    }

    @Test("the bytes of a message outside any mailbox cannot be read")
    func gone() async throws {
        try await withMail { work, session in
            let lines = try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil)
            let lunch = try #require(lines.first { $0.facts.subject == "Lunch" })
            let entry = try #require(try work.client.list(.inbox).first { $0.unique.contains("Lunch") })
            try work.client.remove(.inbox, unique: entry.unique)
            _ = try await session.sync.account(AccountID("work"))
            await #expect(throws: Problem.self) { _ = try await session.messages.raw(lunch.shortID) }
        }
    }

    @Test("an explanation names every rule, the deciding one, and earlier runs")
    func explain() async throws {
        try await withMail { work, session in
            let lines = try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil)
            let line = try #require(lines.first { $0.facts.subject == "Invoice 1" })
            let before = try session.rules.explain(line.shortID, rule: nil)
            #expect(before.rules.map(\.id) == ["pay", "ask", "later", "mark"] && before.history.isEmpty)
            _ = try await work.applyRules(session)
            let after = try session.rules.explain(line.shortID, rule: "pay")
            #expect(after.rules.map(\.id) == ["pay"] && !after.history.isEmpty)
            #expect(after.history.filter { $0.ruleChange != .same }.isEmpty)
            #expect(
                TriageTests.refusal { try session.rules.explain(line.shortID, rule: "none") }
                    == "no-such-rule 66")
            try work.write(
                Workplace.rules.replacing(
                    "list: next }\n      - archive", with: "list: inbox }\n      - archive"),
                to: "rules/10-rules.yaml")
            let edited = try session.rules.explain(line.shortID, rule: "pay")
            #expect(edited.history.filter { $0.ruleChange != .changed }.isEmpty)
        }
    }

    @Test("a list is newest first, of the named account only, and its limit counts for all accounts together")
    func accounts() async throws {
        let work = try Workplace()
        let home = try work.addAccount("home")
        for number in 1...2 {
            _ = try home.addMessage(
                to: .inbox,
                message: Array("From: a@x.example\r\nSubject: Tea\r\n\r\nHello \(number)\r\n".utf8),
                unique: "100.\(number)", received: Workplace.tuesday)
        }
        for day in 1...3 {
            try work.deliver(
                SampleMail(subject: "Day \(day)", date: Workplace.tuesday - Int64(day) * Workplace.day))
        }
        try await work.synced { session in
            _ = try await session.sync.account(AccountID("home"))
            let mine = try session.messages.list(
                account: "work", folder: nil, everywhere: false, matching: nil)
            #expect(mine.map(\.facts.subject) == ["Day 1", "Day 2", "Day 3"])
            let hello = try query("hello")
            let both = try session.messages.search(hello, account: nil, limit: 2)
            #expect(both.map(\.facts.subject) == ["Tea", "Tea"])
            let more = try session.messages.search(hello, account: nil, limit: 3)
            #expect(more.map(\.facts.subject) == ["Tea", "Tea", "Day 1"])
            let one = try session.messages.search(hello, account: "home", limit: 9)
            #expect(one.count == 2)
        }
    }

    @Test("a query about tasks, conversations and senders considers the surrounding mail")
    func surroundings() async throws {
        let work = try Workplace()
        try work.deliver("A question", "Lunch")
        try work.deliver(SampleMail(subject: "New", from: "carl@acme.example"))
        try work.deliver(
            SampleMail(subject: "To Carl", from: "ana@acme.example", to: "carl@acme.example"),
            to: MailboxName("Sent"))
        try await work.run()
        try work.deliver(SampleMail(subject: "Re: Lunch", answers: "Lunch"))
        try await work.synced { session in
            func both(_ text: String) throws -> [[String]] {
                let query = try query(text)
                return [
                    subjects(
                        try session.messages.list(
                            account: nil, folder: nil, everywhere: false, matching: query)),
                    subjects(try session.messages.search(query, account: nil, limit: 9)),
                ]
            }
            for (text, found) in [
                ("has:open-task", ["A question"]), ("thread:size>1", ["Lunch", "Re: Lunch"]),
                ("from:known", ["New"]), ("sender:first-seen -from:me", ["Lunch", "New"]),
                ("sender:count>=3", ["Re: Lunch"]),
            ] {
                let answers = try both(text)
                #expect(answers == [found, found], "\(text)")
            }
        }
    }

    @Test("a conversation lists each message of all mailboxes once, oldest first")
    func thread() async throws {
        let work = try Workplace()
        try work.deliver(
            SampleMail(subject: "Plan", date: Workplace.tuesday - 9_000), to: MailboxName("Archive"))
        try work.deliver(SampleMail(subject: "Plan", date: Workplace.tuesday - 9_000))
        try work.deliver(
            SampleMail(subject: "Re: Plan", answers: "Plan", date: Workplace.tuesday - 8_000),
            to: MailboxName("Sent"))
        try work.deliver(
            SampleMail(subject: "Re: Re: Plan", answers: "Re: Plan", date: Workplace.tuesday - 7_000))
        try await work.synced { session in
            let lines = try session.messages.thread(of: try session.ids("Re: Plan")[0])
            #expect(lines.map(\.facts.subject) == ["Plan", "Re: Plan", "Re: Re: Plan"])
        }
    }

    @Test("a message outside any mailbox is shown from the store, and the error about its bytes says so")
    func goneWords() async throws {
        try await withMail { work, session in
            let id = try session.ids("Lunch")[0]
            try work.client.remove(.inbox, unique: "100.Lunch")
            _ = try await session.sync.account(AccountID("work"))
            let view = try session.messages.view(id)
            #expect(view.mailboxes.isEmpty && view.text.contains("Hello."))
            #expect(view.line.facts.mailbox.displayName == "(no mailbox)")
            await #expect {
                try await session.messages.raw(id)
            } throws: { error in
                let problem = Problem(error)
                return problem.code == "gone" && problem.exit == .notFound
                    && problem.next == ["opus sync", "opus show \(id) (its text is still in the store)"]
            }
        }
    }
}
