import Models
import Rules
import Testing

@testable import Pipeline

/// What `opus search` does beyond finding: order, counts, reasons why nothing was found, saved searches, snippets.
@Suite("Searching")
struct SearchingTests {
    private func withMail(_ body: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace()
        try work.deliver("Invoices of March", "Invoice", "Lunch with invoice people")
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            try await body(work, session)
        }
    }

    private func query(_ text: String) throws -> Query {
        switch Query.parse(text) {
        case .success(let query): return query
        case .failure(let errors): throw DiagnosticFailure(errors.diagnostics, exit: .usage)
        }
    }

    @Test("by rank, the exact subject is first, then whole words, then beginnings of words")
    func rank() async throws {
        try await withMail { _, session in
            let lines = try session.messages.search.messages(
                try query("subject:invoice"), account: nil, limit: 10, order: .rank)
            #expect(
                lines.map(\.facts.subject) == ["Invoice", "Lunch with invoice people", "Invoices of March"])
        }
    }

    @Test("messages and conversations are counted, and pages follow up to the limit")
    func counts() async throws {
        try await withMail { _, session in
            let search = session.messages.search
            let found = try search.count(try query("invoice"), account: nil)
            let threads = try search.threadCount(try query("hello"), account: nil)
            let none = try search.count(try query("from:nobody"), account: nil)
            #expect(found == 3 && threads == 3 && none == 0)
            var pages: [Int] = []
            try search.pages(try query("hello"), account: nil, limit: 2) { pages.append($0.count) }
            #expect(pages == [2])
        }
    }

    @Test(
        "a search without results names the unknown word, and a similar one",
        arguments: [
            ("invioce", ["no message has \"invioce\"; did you mean \"invoice\"?"]),
            ("subject:hello", ["no message has \"hello\" in its subject"]),
            ("lunch zzzzzz", ["no message has \"zzzzzz\""]), ("subject:lunch is:flagged", []),
            ("invoice or zzzzzz", []),
        ])
    func doubts(_ text: String, _ expected: [String]) async throws {
        try await withMail { _, session in
            let found = try session.messages.search.doubts(about: try query(text))
            #expect(found == expected)
        }
    }

    @Test("a search is saved in opus.yaml, used, replaced and removed, and then the file is unchanged")
    func saved() throws {
        let work = try Workplace()
        let before = try work.read("opus.yaml")
        func book() throws -> SearchBook { try SearchBook(work.options()) }
        try book().save("bills", "subject:invoice newer:90d")
        try book().save("due", "query:bills is:unread")
        #expect(try book().all.map(\.name) == ["bills", "due"])
        try book().save("due", "query:bills -is:read")
        #expect(try book().all.map(\.query) == ["subject:invoice newer:90d", "query:bills -is:read"])
        #expect(throws: DiagnosticFailure.self) { try book().save("bad", "frm:ana") }
        #expect(throws: DiagnosticFailure.self) { try book().save("bills", "query:due") }
        #expect(TriageTests.refusal { try book().save("a b", "x") } == "bad-search-name 64")
        #expect(TriageTests.refusal { try book().remove("none") } == "no-such-search 66")
        try book().remove("bills")
        try book().remove("due")
        #expect(try work.read("opus.yaml").trimmingCharacters == before.trimmingCharacters)
    }

    @Test("a snippet shows the words in context, on one line")
    func snippet() throws {
        let text =
            String(repeating: "filler ", count: 30) + "please\n  pay the Invoice 42 by friday "
            + String(repeating: "filler ", count: 30)
        let snippet = try #require(Snippet(words: ["invoice", "pay"], text: text, width: 40))
        #expect(snippet.parts.filter(\.isMatch).map(\.text) == ["pay", "Invoice"])
        #expect(snippet.parts.map(\.text).joined().count == 42)
        #expect(snippet.parts.first?.text == "…" && snippet.parts.last?.text == "…")
        #expect(Snippet(words: ["voice"], text: text, width: 40) == nil)
        #expect(Snippet(words: ["会議"], text: "明日の会議室", width: 40)?.parts.contains { $0.isMatch } == true)
        #expect(Snippet(words: [], text: text, width: 40) == nil)
    }
}

extension String {
    fileprivate var trimmingCharacters: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
