import Models
import TestSupport
import Testing
import YAMLSource

@testable import Rules

@Suite struct QueryParserTests {
    private func problems(_ text: String) -> [Diagnostic] {
        switch Query.parse(text) {
        case .success: []
        case .failure(let errors): errors.diagnostics
        }
    }

    private static func joins(_ hex: String) -> String {
        "write it with the letter that it belongs to; in a pattern, write \\x{\(hex)}"
    }

    private static let oneByOne = "from:ana@x.org or from:bob@x.org; in a mapping: [ana@x.org, bob@x.org]"

    @Test(
        "the error about a query says what is wrong, where, and what to write",
        arguments: [
            ("form:ana", "R012", 1, 4, "did you mean 'from'?"),
            ("is:unread subjct:x", "R012", 11, 6, "did you mean 'subject'?"),
            ("is:unred", "R041", 4, 5, "did you mean 'is:unread'?"),
            ("has:pfd", "R012", 5, 3, "did you mean 'has:pdf'?"),
            ("http://x.org", "R012", 1, 4, nil),
            ("a.b:c", "R012", 1, 3, "for text with a colon write \"a.b:c\""),
            ("size>2X", "R024", 6, 2, "500K, 2M, 1G"),
            ("size>", "R020", 5, 1, nil),
            ("age:3d", "R024", 5, 2, "write age>3d or age<3d"),
            ("older:soon", "R024", 7, 4, "7d, 36h, 2 weeks"),
            ("date:someday", "R022", 6, 7, "2026-03-31, 2026-03, yesterday, '3 days ago'"),
            ("weekday:noday", "R022", 9, 5, "mon, sat,sun or mon-fri"),
            ("from:", "R020", 5, 1, nil),
            ("from:@vip", "R040", 6, 4, "lists are under 'lists:'; a domain has a dot"),
            ("from:a@x.org,b@x.org", "R023", 6, 15, Self.oneByOne),
            ("-to:@x.org|@y.org", "R023", 5, 13, Self.oneByOne),
            ("cc:*@x.org;*@y.org", "R023", 4, 15, Self.oneByOne),
            ("from:mailto:a@x.org", "R023", 6, 14, Self.oneByOne),
            ("from!=ana", "R030", 5, 2, "write -from:ana"),
            ("size!=3K", "R030", 5, 2, "write -size:3K"),
            ("size>2 MB is:read", "R024", 6, 1, "2MB"),
            ("header:X-Score>5", "R030", 15, 1, "use a pattern: header:X-Score:/^[5-9]/"),
            ("from>ana", "R030", 5, 1, "write from:>ana"),
            ("from:\u{301}ana", "R030", 5, 1, Self.joins("301")),
            ("a\n\u{5BF}e", "R030", 3, 1, Self.joins("5BF")),
            ("(a\u{600})", "R030", 3, 1, Self.joins("600")),
            ("subject:/a(b/", "R021", 10, 3, nil),
            (
                "subject:/x(?=y)/", "R021", 11, 3,
                "look-around is not supported; capture what you need in a group"
            ),
            (
                "subject:/(?<=n)y/", "R021", 10, 3,
                "look-around is not supported; capture what you need in a group"
            ),
            ("subject:/(?<n>y)/", "R021", 10, 3, "a named group is (?P<name>…)"),
            (
                "subject:/a/s", "R030", 12, 1, "a pattern takes no flag but i; others go into it: /(?s)…/"
            ),
            ("subject:/a/ii x", "R030", 13, 1, nil),
            ("subject:\"a\"b", "R030", 12, 1, "put a space between them"),
            ("is:unread,flagged", "R030", 10, 8, "is:unread or is:flagged"),
            ("thread:has(from:ana has:pdf!)", "R030", 28, 1, nil),
            ("subject:/abc", "R030", 9, 1, nil),
            ("subject:\"abc", "R030", 9, 1, nil),
            ("(from:ana", "R030", 1, 1, nil),
            ("from:ana)", "R030", 9, 1, nil),
            ("from:ana or", "R030", 11, 1, nil),
            ("or from:ana", "R030", 1, 1, nil),
            ("-", "R030", 1, 1, nil),
            ("()", "R030", 2, 1, nil),
            ("header:", "R020", 8, 1, "header:X-Spam-Flag:yes"),
            ("matched:x", "R042", 9, 1, nil),
            ("signed:vaild", "R012", 8, 5, "did you mean 'signed:valid'?"),
            ("signed:pgp", "R012", 8, 3, nil),
            ("thread:has", "R020", 1, 10, "thread:has(from:ana)"),
            ("thread:has(form:x)", "R012", 12, 4, "did you mean 'from'?"),
            ("thread:has(thread:has(is:read))", "R020", 1, 10, nil),
            ("thread:unanswerd", "R012", 8, 9, "did you mean 'thread:unanswered'?"),
            ("thread:size>many", "R024", 13, 4, ">=3"),
            ("task:waited>soon", "R024", 13, 4, "7d, 36h, 2 weeks"),
            ("auth:dmarc=good", "R020", 12, 4, nil),
            ("time:25:00-26:00", "R022", 6, 11, "08:00-18:00, <9am, >=18:00"),
        ] as [(String, String, Int, Int, String?)])
    func wrong(_ text: String, _ code: String, _ column: Int, _ length: Int, _ suggestion: String?) throws {
        let first = try #require(problems(text).first)
        #expect(first.code == code)
        #expect(first.column == column)
        #expect(first.length == length)
        if let suggestion { #expect(first.suggestion == suggestion) }
    }

    @Test(
        "a query that only looks wrong is accepted",
        arguments: [
            ("from:<ana@sales.acme.example>", true), ("header:X-Score=5", false), ("size>2 M-Budget", false),
            ("size>2 \"MB\"", false), ("size>2K MB", false), ("\"a@x.org,b@x.org\"", false),
            ("from:=\"a,b@x.org\"", false), ("a!=b", false),
        ])
    func taken(_ text: String, _ holds: Bool) throws {
        #expect(problems(text).isEmpty)
        #expect(try query(text).matches(mail(), in: context()) == holds)
    }

    @Test("all wrong terms of a query are reported at once")
    func several() {
        #expect(problems("form:ana size>2X is:unred to:me").map(\.code) == ["R012", "R024", "R041"])
    }

    @Test("the finding of a query is shown with its caret")
    func golden() {
        #expect(
            problems("is:unread form:ana").first?.rendered() == """
                query:1:11: error[R012]: unknown condition 'form'
                   |
                 1 | is:unread form:ana
                   |           ^^^^ did you mean 'from'?
                """)
    }

    @Test(
        "not binds before and, and before or, and an empty query finds everything",
        arguments: [
            ("is:read from:bob or subject:invoice", true), ("is:read (from:bob or subject:invoice)", false),
            ("not is:read or is:read", true), ("not (is:read or is:unread)", false), ("", true), ("  ", true),
            ("NOT is:read AND subject:invoice", true), ("is:unread and -from:bob", true),
            ("\"or\"", false), ("order", false), ("subject:\"INV-2041: the\"", true),
        ])
    func precedence(_ text: String, _ holds: Bool) throws {
        #expect(try query(text).matches(mail(), in: context()) == holds)
    }

    @Test("nesting and length are limited")
    func bounds() {
        #expect(!problems(String(repeating: "(", count: 100_000)).isEmpty)
        #expect(!problems(String(repeating: "-", count: 9_000) + "x").isEmpty)
        #expect(!problems(String(repeating: "x ", count: 10_000)).isEmpty)
        let fits = String(repeating: "(", count: 30) + "is:unread" + String(repeating: ")", count: 30)
        #expect(problems(fits).isEmpty)
    }

    @Test("a printed condition reads back as the same condition")
    func spelling() throws {
        for entry in RulesLanguage.conditions where entry.name != "matched" {
            let first = try query(entry.example).condition.query
            #expect(try query(first).condition.query == first, "\(entry.name)")
        }
    }

    @Test("random queries never crash, and errors have places in the text")
    func fuzz() {
        var random = SeededGenerator(seed: 4_711)
        let bits = [
            "from", "is", "has", "size", "age", "header", "subject", ":", ">", "<=", "=", "\"", "/", "(", ")",
            "-",
            " ", " or ", " and ", "not ", "*", "@", "x.org", "me", "unread", "2M", "3d", "\\", "é", "日本", "a",
            "attachment:name:", "sender:", "i", "[", "{", "(?P<a>", "\r\n", "e\u{301}", "🙂", "\u{0}",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let text = (0..<random.below(12)).map { _ in bits[random.below(bits.count)] }.joined()
            switch Query.parse(text) {
            case .success(let query):
                read += 1
                _ = query.matches(mail(), in: context())
                _ = query.lookup
            case .failure(let errors):
                #expect(!errors.diagnostics.isEmpty, "\(text)")
                for finding in errors.diagnostics {
                    #expect(
                        finding.column >= 1 && finding.column <= text.count + 1, "\(text.debugDescription)")
                }
            }
        }
        #expect(read > 500)
    }
}
