import GRDB
import Models
import TestSupport
import Testing

@testable import MailStore

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
        "a search finds words in order and in their field, ignores case and accents, and completes the last word",
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

    @Test("any text is a valid search, and operators are plain words", arguments: hostileRows)
    func hostile(_ row: Hostile) throws {
        for field in SearchTerm.Field.allCases {
            let found = try store.index.search([SearchTerm(field, row.text)], account: work, limit: 10)
            if field == .any { #expect(found.count == row.count) }
        }
        let many = Array(repeating: SearchTerm(.any, row.text), count: 200)
        #expect(try store.index.search(many, account: nil, limit: 10).count == row.count)
    }

    @Test(
        "a search finds parts of words, Chinese text and file names",
        arguments: [
            (SearchTerm(.subject, "voic", .part), ["m2", "m1"]),
            (SearchTerm(.any, "ick bro", .part), ["m2", "m1"]),
            (SearchTerm(.text, "own", .part), ["m2", "m1"]), (SearchTerm(.subject, "own", .part), []),
            (SearchTerm(.text, "ox and the do", .part), ["m1"]),
            (SearchTerm(.text, "x", .part), ["m2", "m1"]),
            (SearchTerm(.any, "会議"), ["zh"]), (SearchTerm(.any, "議室", .part), ["zh"]),
            (SearchTerm(.any, "議会"), []), (SearchTerm(.fileName, "report"), ["zh"]),
            (SearchTerm(.fileName, "port.pd", .part), ["zh"]), (SearchTerm(.any, "report"), []),
            (SearchTerm(.text, "\u{E000}icon"), ["zh"]), (SearchTerm(.text, "icon"), ["zh"]),
        ])
    func parts(_ term: SearchTerm, _ expected: [String]) throws {
        var third = newMessage(
            "zh", uid: 3, subject: "明日の会議室", text: "\u{E000}Icon", received: 50)
        third.attachments = [
            Attachment(name: "Report.PDF", contentType: "application/pdf", size: 1, section: "2")
        ]
        _ = try store.sync.apply(batch(added: [third]))
        let found = try store.index.search([term], account: work, limit: 10)
        // A part of one letter cannot be looked up.
        #expect(found.filter { expected.contains("\($0)") || term.text != "x" } == expected.map(id))
    }

    @Test("a word that is longer than the index knows hides no word that is missing")
    func longWord() throws {
        let long = String(repeating: "x", count: IndexedText.longestWord + 1)
        _ = try store.sync.apply(
            batch(added: [newMessage("m3", uid: 3, subject: "Long", text: "See \(long) here", received: 300)])
        )
        #expect(
            try store.index.search([SearchTerm(.any, "xxxxx")], account: nil, limit: 9).map(\.rawValue).count
                == 1)
        #expect(try !store.index.occurs(SearchTerm(.any, "invioce")))
        #expect(try !store.index.occurs(SearchTerm(.text, "brown fix")))
        #expect(try store.index.occurs(SearchTerm(.any, "invoic")))
        #expect(try store.index.occurs(SearchTerm(.text, "brown fo")))
    }

    @Test(
        "a removed message leaves the index, and its words are no longer known")
    func forgotten() throws {
        _ = try store.sync.apply(batch { $0.removed = [1] })
        let later = time(1 + Int64(MessageStore.daysUnplaced) * 86_400)
        _ = try store.messages.cleanUp(now: time(0))
        #expect(try store.index.occurs(SearchTerm(.any, "café")))
        #expect(try store.messages.cleanUp(now: later) == 1)
        #expect(try !store.index.occurs(SearchTerm(.any, "café")))
        #expect(try store.index.occurs(SearchTerm(.any, "invoice")))
        #expect(try store.integrityCheck() == [])
    }

    @Test("all pages together are the complete result, newest first")
    func pages() throws {
        var random = SeededGenerator(seed: 4)
        let messages = (0..<2_600).map { number in
            newMessage(
                "p\(number)", uid: UInt32(number + 10), subject: number % 100 == 0 ? "rare common" : "common",
                received: Int64(random.below(500)))
        }
        for start in stride(from: 0, to: messages.count, by: 400) {
            _ = try store.sync.apply(batch(added: Array(messages[start..<min(start + 400, messages.count)])))
        }
        let newest = messages.enumerated().sorted { a, b in
            (a.element.received, a.offset) > (b.element.received, b.offset)
        }.map(\.element)
        for word in ["common", "rare"] {
            var walk = store.index.walk(.words(SearchTerm(.subject, word)), account: work)
            var found: [EmailID] = []
            while case let page = try walk.next(97), !page.isEmpty { found += page }
            #expect(found == newest.filter { $0.subject.contains(word) }.map(\.id))
        }
    }

    @Test(
        "candidates are the same, whether all are looked up, or only some rows, near each other or far apart",
        arguments: [[1, 2], [2, 1], [1, 700, 2], Array(stride(from: 1, to: 40_000, by: 1_000)) + [2]])
    func candidates(_ rows: [Int64]) throws {
        try store.file.reading { db in
            for word in ["\"invoice\"", "\"quick\"", "\"again\"", "\"nothing\""] {
                var all = CandidateRows(word, others: RowSet())
                #expect(try all.lookUpAll(atMost: 2, db))
                var some = CandidateRows(word, others: RowSet())
                try some.look(up: Array(rows.prefix(1)), db)
                try some.look(up: rows, db)
                let (found, expected) = (rows.filter(some.contains), rows.filter(all.contains))
                #expect(found == expected)
            }
            var one = CandidateRows("\"invoice\"", others: RowSet())
            #expect(try !one.lookUpAll(atMost: 1, db))
        }
    }

    @Test(
        "a part of a Greek word finds the word whatever its sigma, also in mail that an earlier version stored"
    )
    func sigma() throws {
        _ = try store.sync.apply(
            batch(added: [
                newMessage("g1", uid: 30, text: "ΟΔΟΣ"), newMessage("g2", uid: 31, text: "οδος"),
                newMessage("g3", uid: 32, text: "οδοσήμανση"),
            ]))
        store.close()
        // Earlier versions listed the word with its final sigma.
        try DatabaseQueue(path: folder.path).write { db in
            try db.execute(
                sql: """
                    INSERT INTO word_part (word_part, rowid, word)
                        SELECT 'delete', id, word FROM word WHERE word = 'οδοσ';
                    UPDATE word SET word = 'οδος' WHERE word = 'οδοσ';
                    INSERT INTO word_part (rowid, word) SELECT id, word FROM word WHERE word = 'οδος';
                    \(Downgrade.latest)
                    DROP TABLE answer_start;
                    PRAGMA user_version = \(try #require(Schema.migrations.firstIndex(of: FinalSigmaSchema.sql)));
                    """)
        }
        let later = try folder.open()
        for text in ["δος", "δοσ", "ΔΟΣ"] {
            let found = try later.index.search([SearchTerm(.text, text, .part)], account: nil, limit: 10)
            #expect(Set(found) == Set(["g1", "g2", "g3"].map(id)), "\(text)")
        }
    }

    @Test(
        "a beginning finds words that stand alone, after an apostrophe and with accents",
        arguments: [
            ("invoi", ["m1", "m2", "b0"]), ("kong", ["b1"]), ("l’inv", ["b0"]), ("hong kö", ["b1"]),
            ("nglich", []),
        ])
    func beginnings(_ text: String, _ expected: [String]) throws {
        let texts = ["l’invoicing", "hong könglich", String(repeating: "word", count: 40)]
        for (number, text) in texts.enumerated() {
            _ = try store.sync.apply(
                batch(added: [newMessage("b\(number)", uid: UInt32(number + 20), text: text)]))
        }
        let found = try store.index.search([SearchTerm(.any, text)], account: nil, limit: 10)
        // A message with a very long word may always be a candidate.
        #expect(Set(found).subtracting([id("b2")]) == Set(expected.map(id)))
    }

    @Test("a search can be narrowed by flag, size, Message-ID and id")
    func facts() throws {
        var third = newMessage("abc", uid: 3, subject: "Third", received: 300)
        third.messageID = MessageID("third@x")
        third.flags = [.flagged]
        third.size = 900
        _ = try store.sync.apply(batch(added: [third]))
        func found(_ wanted: SearchCondition) throws -> [EmailID] {
            var walk = store.index.walk(wanted, account: work)
            return try walk.next(10)
        }
        #expect(try found(.fact(.flag(.flagged, true))) == [id("abc")])
        #expect(try found(.fact(.flag(.flagged, false))) == [id("m2"), id("m1")])
        #expect(try found(.fact(.size(atLeast: 500, atMost: nil))) == [id("abc")])
        #expect(try found(.fact(.messageID("third@x"))) == [id("abc")])
        #expect(try found(.fact(.id("m"))) == [id("m2"), id("m1")])
        let either: SearchCondition = .any([.fact(.id("abc")), .fact(.flag(.flagged, false))])
        #expect(try found(either).count == 3)
        let mixed: SearchCondition = .any([.fact(.id("abc")), .words(SearchTerm(.subject, "again"))])
        #expect(try Set(found(mixed)).isSuperset(of: [id("abc"), id("m2")]))
    }

    @Test("a search suggests words with a similar spelling")
    func similar() throws {
        #expect(try store.index.similarWords(to: "invioce").contains("invoice"))
        #expect(try store.index.similarWords(to: "quikc").contains("quick"))
        #expect(try store.index.similarWords(to: "zz").isEmpty)
    }

    @Test(
        "an older store is indexed in steps, stays searchable meanwhile, and continues after an interruption")
    func catchingUp() throws {
        let more = (0..<40).map {
            newMessage("o\($0)", uid: UInt32($0 + 10), subject: "older mail", received: 10)
        }
        _ = try store.sync.apply(batch(added: more))
        store.close()
        let raw = try DatabaseQueue(path: folder.path)
        try raw.writeWithoutTransaction { db in
            let version = try #require(Schema.migrations.firstIndex(of: SearchSchema.sql))
            let downgrade = [
                Downgrade.fileTexts, Downgrade.endedDeferrals, Downgrade.packedContent, Downgrade.threads,
                Downgrade.search,
            ].joined(separator: " ")
            try db.execute(sql: "\(downgrade) PRAGMA user_version = \(version)")
        }
        try raw.close()
        var later = try folder.open()
        func found(_ word: String) throws -> Int {
            let ids = try later.index.search([SearchTerm(.subject, word)], account: work, limit: 100)
            return try later.messages.facts(.ids(ids)).filter { $0.subject.lowercased().contains(word) }.count
        }
        let isBehind = try later.index.isBehind()
        #expect(isBehind)
        #expect(try found("older") == 40 && found("invoice") == 2)
        #expect(try later.index.catchUp(limit: 10))
        #expect(try later.integrityCheck() == [])
        // As after a kill: another process goes on.
        later.close()
        later = try folder.open()
        _ = try later.sync.apply(batch(added: [newMessage("new", uid: 900, subject: "newest", received: 20)]))
        #expect(try found("older") == 40 && found("invoice") == 2 && found("newest") == 1)
        while try later.index.catchUp(limit: 10) {}
        #expect(try !later.index.isBehind())
        #expect(try found("older") == 40 && found("invoice") == 2 && found("newest") == 1)
        let exact = try later.index.search([SearchTerm(.subject, "invoice")], account: work, limit: 100)
        #expect(exact.count == 2)
        #expect(try later.integrityCheck() == [])
    }

    @Test("a search can be narrowed by account, date and limit")
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

    @Test("a search does not find a message outside any mailbox")
    func unplaced() throws {
        _ = try store.sync.apply(batch { $0.removed = [2] })
        #expect(try store.index.search([SearchTerm(.any, "invoice")], account: nil, limit: 1) == [id("m1")])
    }

    @Test(
        "a message is found by the beginning of its id",
        arguments: [
            ("m", ["m1", "m2"]), ("M1", ["m1"]), ("m1", ["m1"]), ("m11", []), ("", []), ("%", []), ("_", []),
            ("m\0", []), ("m'", []), ("\u{10FFFF}", []),
        ])
    func prefix(_ prefix: String, _ expected: [String]) throws {
        #expect(try store.messages.resolve(prefix: prefix) == expected.map(id))
    }

    @Test("at most ten messages are found for one prefix, and each shortened id is unique")
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

    @Test("ids are shortened the same, many at once or each alone")
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
