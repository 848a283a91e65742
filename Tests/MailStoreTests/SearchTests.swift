import MailStore
import Models
import Testing

@Suite struct SearchTests {
    private let folder: StoreFolder
    private let store: MailStore

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        var first = newMessage(
            "m1", uid: 1, subject: "Café invoice 42", text: "The quick brown fox AND the dog", received: 100)
        first.from = [EmailAddress(displayName: "Zoë Müller", localPart: "zoe", domain: "example.org")]
        var second = newMessage(
            "m2", uid: 2, subject: "Invoice again", text: "brown quick", received: 200)
        second.to = [EmailAddress(localPart: "fox", domain: "example.org")]
        _ = try store.apply(batch(added: [first, second]))
    }

    @Test(
        "words are found whole, in order, in their field, without regard to case and accents",
        arguments: [
            ([SearchTerm(.any, "invoice")], ["m2", "m1"]),
            ([SearchTerm(.subject, "CAFE")], ["m1"]),
            ([SearchTerm(.subject, "café")], ["m1"]),
            ([SearchTerm(.any, "invoic")], []),
            ([SearchTerm(.text, "quick brown")], ["m1"]),
            ([SearchTerm(.text, "invoice")], []),
            ([SearchTerm(.address, "zoe@example.org")], ["m1"]),
            ([SearchTerm(.address, "zoë muller")], ["m1"]),
            ([SearchTerm(.any, "fox")], ["m2", "m1"]),
            ([SearchTerm(.text, "fox")], ["m1"]),
            ([SearchTerm(.subject, "invoice"), SearchTerm(.text, "fox")], ["m1"]),
            ([SearchTerm(.subject, "invoice"), SearchTerm(.text, "cat")], []),
            ([], ["m2", "m1"]),
        ])
    func finds(_ terms: [SearchTerm], _ expected: [String]) throws {
        let found = try store.search(terms, account: nil, limit: 10)
        #expect(found == expected.map(id))
    }

    @Test(
        "no text is a syntax error, and operators are words",
        arguments: [
            ("\"", 2), ("\"\"", 2), ("'", 2), ("*", 2), ("fox*", 2), ("(", 2), (")(", 2), ("AND", 1),
            ("OR", 0), ("NOT", 0), ("NEAR", 0), ("fox AND dog", 0), ("fox AND the dog", 1),
            ("NEAR(fox dog)", 0),
            ("subject:invoice", 0), ("subject : invoice", 0), ("{subject text} : fox", 0), ("- fox", 2),
            ("^fox", 2),
            ("fox\0dog", 0), ("\0", 2), ("🎉", 2), ("fox 🎉", 2), ("", 2), ("   ", 2), ("fox\" OR \"cat", 0),
            ("search MATCH 'x'", 0), (";DROP TABLE message", 0), ("\u{202E}fox", 2), ("fox + dog", 0),
            ("%", 2),
            (String(repeating: "(", count: 100_000), 2), (String(repeating: "fox ", count: 100_000), 0),
            ("\u{1F}", 2), ("a\u{300}\u{301}\u{302}", 0), ("١٢", 0),
        ])
    func hostile(_ text: String, _ count: Int) throws {
        for field in SearchTerm.Field.allCases {
            let found = try store.search([SearchTerm(field, text)], account: work, limit: 10)
            if field == .any { #expect(found.count == count) }
        }
        let many = Array(repeating: SearchTerm(.any, text), count: 1_000)
        #expect(try store.search(many, account: nil, limit: 10).count == count)
    }

    @Test("account and limit narrow the answer")
    func narrows() throws {
        #expect(try store.search([SearchTerm(.any, "invoice")], account: nil, limit: 1) == [id("m2")])
        #expect(try store.search([SearchTerm(.any, "invoice")], account: AccountID("x"), limit: 9).isEmpty)
        #expect(try store.search([], account: nil, limit: -1).isEmpty)
    }

    @Test("a message that is in no mailbox is not found")
    func unplaced() throws {
        _ = try store.apply(batch { $0.removed = [2] })
        #expect(try store.search([SearchTerm(.any, "invoice")], account: nil, limit: 1) == [id("m1")])
    }

    @Test(
        "an id is found by its beginning",
        arguments: [
            ("m", ["m1", "m2"]), ("M1", ["m1"]), ("m1", ["m1"]), ("m11", []), ("", []), ("%", []), ("_", []),
            ("m\0", []), ("m'", []), ("\u{10FFFF}", []),
        ])
    func prefix(_ prefix: String, _ expected: [String]) throws {
        #expect(try store.resolve(prefix: prefix) == expected.map(id))
    }

    @Test("at most ten ids answer, and a short prefix is unique")
    func prefixes() throws {
        let names = (10..<40).map { "abcd\($0)" } + ["xyz9", "xyz9876", "q"]
        let messages = names.enumerated().map { newMessage($1, uid: UInt32($0 + 50)) }
        _ = try store.apply(batch(added: messages))
        #expect(try store.resolve(prefix: "abcd").count == 10)

        let short = try store.shortPrefix(of: names.map(id))
        #expect(short[id("abcd10")] == "abcd10")
        #expect(short[id("xyz9")] == "xyz9")
        #expect(short[id("xyz9876")] == "xyz98")
        #expect(short[id("q")] == "q")
        for (whole, prefix) in short where whole != id("xyz9") && whole != id("q") {
            #expect(try store.resolve(prefix: prefix) == [whole])
        }
    }
}
