import MailStore
import Models
import Testing

@Suite struct SearchTests {
    private let folder: StoreFolder
    private let store: Store

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
        _ = try store.sync.apply(batch(added: [first, second]))
    }

    @Test(
        "words are found in order, the last one by its beginning, in their field, without regard to case and accents",
        arguments: [
            ([SearchTerm(.any, "invoice")], ["m2", "m1"]),
            ([SearchTerm(.subject, "CAFE")], ["m1"]),
            ([SearchTerm(.subject, "café")], ["m1"]),
            ([SearchTerm(.any, "invoic")], ["m2", "m1"]),
            ([SearchTerm(.any, "nvoice")], []),
            ([SearchTerm(.text, "qui brown")], []),
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
        let found = try store.index.search(terms, account: nil, limit: 10)
        #expect(found == expected.map(id))
    }

    /// A question and how many of the two messages have all its words.
    struct Hostile: CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let count: Int

        init(_ text: String, _ count: Int, named name: String? = nil) {
            testDescription = name ?? text
            self.text = text
            self.count = count
        }
    }

    static let hostileRows = [
        Hostile("\"", 2), Hostile("\"\"", 2), Hostile("'", 2), Hostile("*", 2), Hostile("fox*", 2),
        Hostile("(", 2), Hostile(")(", 2), Hostile("%", 2), Hostile("^fox", 2), Hostile("- fox", 2),
        Hostile("AND", 1), Hostile("ORx", 0), Hostile("NOT", 0), Hostile("NEAR", 0),
        Hostile("fox AND dog", 0), Hostile("fox AND the dog", 1), Hostile("fox + dog", 0),
        Hostile("fox\" OR \"cat", 0), Hostile("NEAR(fox dog)", 0), Hostile("subject:invoice", 0),
        Hostile("subject : invoice", 0), Hostile("{subject text} : fox", 0), Hostile("search MATCH 'x'", 0),
        Hostile(";DROP TABLE message", 0), Hostile("🎉", 2), Hostile("fox 🎉", 2), Hostile("١٢", 0),
        Hostile("", 2, named: "nothing"), Hostile("   ", 2, named: "blanks"),
        Hostile("\0", 2, named: "NUL"), Hostile("fox\0dog", 0, named: "NUL inside"),
        Hostile("\u{1F}", 2, named: "a separator"), Hostile("\u{202E}fox", 2, named: "a bidi control"),
        Hostile("ax\u{300}\u{301}\u{302}", 0, named: "stacked accents"),
        Hostile(String(repeating: "(", count: 100_000), 2, named: "many parentheses"),
        Hostile(String(repeating: "fox ", count: 100_000), 0, named: "many words"),
    ]

    @Test("no text is a syntax error, and operators are words", arguments: hostileRows)
    func hostile(_ row: Hostile) throws {
        for field in SearchTerm.Field.allCases {
            let found = try store.index.search([SearchTerm(field, row.text)], account: work, limit: 10)
            if field == .any { #expect(found.count == row.count) }
        }
        let many = Array(repeating: SearchTerm(.any, row.text), count: 200)
        #expect(try store.index.search(many, account: nil, limit: 10).count == row.count)
    }

    @Test("account and limit narrow the answer")
    func narrows() throws {
        #expect(try store.index.search([SearchTerm(.any, "invoice")], account: nil, limit: 1) == [id("m2")])
        #expect(
            try store.index.search([SearchTerm(.any, "invoice")], account: AccountID("x"), limit: 9).isEmpty)
        #expect(try store.index.search([], account: nil, limit: -1).isEmpty)
        let newest = try #require(try store.messages.facts(.everything(nil)).first)
        for terms in [[], [SearchTerm(.subject, newest.subject)]] {
            #expect(
                try store.index.search(terms, account: nil, since: newest.date, limit: 9).first == newest.id)
            #expect(try store.index.search(terms, account: nil, since: newest.date + 1, limit: 9).isEmpty)
        }
    }

    @Test("a message that is in no mailbox is not found")
    func unplaced() throws {
        _ = try store.sync.apply(batch { $0.removed = [2] })
        #expect(try store.index.search([SearchTerm(.any, "invoice")], account: nil, limit: 1) == [id("m1")])
    }

    @Test(
        "an id is found by its beginning",
        arguments: [
            ("m", ["m1", "m2"]), ("M1", ["m1"]), ("m1", ["m1"]), ("m11", []), ("", []), ("%", []), ("_", []),
            ("m\0", []), ("m'", []), ("\u{10FFFF}", []),
        ])
    func prefix(_ prefix: String, _ expected: [String]) throws {
        #expect(try store.messages.resolve(prefix: prefix) == expected.map(id))
    }

    @Test("at most ten ids answer, and a short prefix is unique")
    func prefixes() throws {
        let names = (10..<40).map { "abcd\($0)" } + ["xyz9", "xyz9876", "q"]
        let messages = names.enumerated().map { newMessage($1, uid: UInt32($0 + 50)) }
        _ = try store.sync.apply(batch(added: messages))
        #expect(try store.messages.resolve(prefix: "abcd").count == 10)

        let short = try store.messages.shortPrefix(of: names.map(id))
        #expect(short[id("abcd10")] == "abcd10")
        #expect(short[id("xyz9")] == "xyz9")
        #expect(short[id("xyz9876")] == "xyz98")
        #expect(short[id("q")] == "q")
        for (whole, prefix) in short where whole != id("xyz9") && whole != id("q") {
            #expect(try store.messages.resolve(prefix: prefix) == [whole])
        }
    }

    @Test("many ids are abbreviated in one walk, as each by itself")
    func manyShortIDs() throws {
        let names = (0..<700).map { "k" + String(($0 * 7_919) % 100_003, radix: 32) + "z" }
        _ = try store.sync.apply(
            batch(added: names.enumerated().map { newMessage($1, uid: UInt32($0 + 100)) }))
        let all = try store.messages.shortPrefix(of: names.map(id) + [id("stranger")])
        for name in names {
            let alone = try store.messages.shortPrefix(of: [id(name)])
            #expect(alone[id(name)] == all[id(name)])
        }
        #expect(all[id("stranger")] == "stra")
    }
}
