import Models
import Testing

@testable import MIMEParser

/// Ids out of fields that only look like lists of ids.
@Suite struct MessageIDRepairTests {
    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    @Test(
        "broken References are read",
        arguments: [
            ("glued", "<a@x><b@x><c@x>", ["a@x", "b@x", "c@x"]),
            ("commas", "<a@x>, <b@x>,<c@x>", ["a@x", "b@x", "c@x"]),
            ("semicolons", "<a@x>;<b@x>", ["a@x", "b@x"]),
            ("folded between", "<a@x>\r\n\t<b@x>\n <c@x>", ["a@x", "b@x", "c@x"]),
            ("folded in the middle", "<long-\r\n id@x.org> <b@\r\n\tx>", ["long-id@x.org", "b@x"]),
            ("no brackets", "a@x b@x, c@x", ["a@x", "b@x", "c@x"]),
            ("no brackets, in quotes", "\"a@x\" 'b@x'", ["a@x", "'b@x'"]),
            ("one pair of brackets for all", "<a@x b@x c@x>", ["a@x", "b@x", "c@x"]),
            ("no closing brackets", "<a@x <b@x <c@x", ["a@x", "b@x", "c@x"]),
            ("no opening brackets", "a@x> b@x> <c@x>", ["a@x", "b@x", "c@x"]),
            ("doubled brackets", "<<a@x>> <b@x>", ["a@x", "b@x"]),
            ("blanks in the brackets", "< a@x >", ["a@x"]),
            ("quotes in the id", "<\"a.b\"@x> <b@[1.2.3.4]>", ["\"a.b\"@x", "b@[1.2.3.4]"]),
            ("no @ is no id", "<12345> <a@x> <yes>", ["a@x"]),
            ("nothing on one side of @", "<@x> <a@> <@> <b@x>", ["b@x"]),
            ("several @", "<a@b@x>", ["a@b@x"]),
            ("in comments", "(<a@x>) <b@x> (was: <c@x>)", ["b@x"]),
            ("a comment without its end", "(<a@x> <b@x>", ["a@x", "b@x"]),
            ("control characters", "<a\u{0}b@x> <c\u{7}@x> <d@x>", ["d@x"]),
            ("8-bit", "<é@x.org> <a@bücher.example>", ["é@x.org", "a@bücher.example"]),
            ("encoded, brackets and all", "=?utf-8?q?=3Ca=40x=2Eorg=3E?=", ["a@x.org"]),
            ("encoded in two words", "=?utf-8?q?=3Ca-long-?=\r\n =?utf-8?q?id=40x=3E?=", ["a-long-id@x"]),
            ("one of them encoded", "<a@x> =?us-ascii?Q?=3Cb=40x=3E?= <c@x>", ["a@x", "b@x", "c@x"]),
            ("the brackets not encoded", "=?utf-8?q?<a@x>?=", ["a@x"]),
            ("an id that looks encoded", "<=?utf-8?q?abc?=@x>", ["=?utf-8?q?abc?=@x"]),
            ("a sentence", "Your message of Thu <a@x> about <b@x>", ["a@x", "b@x"]),
            ("an empty field", "", []), ("only junk", "<> () , ; > <", []),
        ])
    func references(_ name: String, _ input: String, _ expected: [String]) {
        #expect(MessageIDs.references(bytes(input)).map(\.rawValue) == expected, "\(name)")
    }

    @Test(
        "In-Reply-To prefers a message id to an address",
        arguments: [
            (
                "a sentence with an address",
                "Message from Ann <ann@x.org> of \"Thu\" <199604.AA12345@x.org>",
                ["199604.AA12345@x.org"]
            ),
            ("an address behind", "<2026030510.AA1@x.org> from ann@x.org", ["2026030510.AA1@x.org"]),
            ("short ids and nothing else", "<a@x>", ["a@x"]),
            ("text and a short id", "Ann's message <a@x>", ["a@x"]),
            ("typed at a prompt", "yes", []), ("typed with brackets", "<y>", []),
            ("an address alone", "ann@x.org", []),
            ("a bare id", "CAF1234$abc@mail.x.org", ["CAF1234$abc@mail.x.org"]),
            ("an id and a comment with an address", "<a@x> (ann@x.org)", ["a@x"]),
        ])
    func inReplyTo(_ name: String, _ input: String, _ expected: [String]) {
        #expect(MessageIDs.inReplyTo(bytes(input)).map(\.rawValue) == expected, "\(name)")
    }

    @Test(
        "a broken Message-ID is read",
        arguments: [
            ("in brackets", "<a@x>", "a@x"), ("bare", "a@x", "a@x"), ("in quotes", "\"a@x\"", "a@x"),
            ("in quotes and brackets", "\"<a@x>\"", "a@x"),
            ("with junk behind", "<a@x> added by mta@x", "a@x"),
            ("with junk before", "id <a@x>", "a@x"), ("two", "<a@x> <b@x>", "a@x"),
            ("semicolon", "a@x;", "a@x"),
            ("folded", "\r\n <a@x>", "a@x"), ("of Exchange", "<[abc@x.org]>", "[abc@x.org]"),
            ("without @", "<abc>", nil), ("empty", "<>", nil), ("nothing", " ", nil),
        ] as [(String, String, String?)])
    func own(_ name: String, _ input: String, _ expected: String?) {
        #expect(MessageIDs.own(bytes(input))?.rawValue == expected, "\(name)")
    }

    @Test("an id has at most 998 bytes")
    func long() {
        let most = String(repeating: "a", count: 996) + "@x"
        #expect(MessageIDs.own(bytes("<\(most)>"))?.rawValue == most)
        #expect(MessageIDs.references(bytes("<a\(most)> <b@x>")).map(\.rawValue) == ["b@x"])
    }

    @Test("of thousands of ids, the first and the last ones are kept", arguments: ["<", ""])
    func thousands(_ open: String) {
        let close = open.isEmpty ? " " : ">"
        let ids = MessageIDs.references(bytes((0..<9_000).map { "\(open)\($0)@x\(close)" }.joined()))
        #expect(ids.count == MessageIDs.limit)
        #expect(ids.first?.rawValue == "0@x")
        #expect(ids.dropFirst().first?.rawValue == "\(9_000 - MessageIDs.limit + 1)@x")
        #expect(ids.last?.rawValue == "8999@x")
    }

    @Test(
        "hostile fields take linear time",
        arguments: ["<", ">", "(", "@", "<a@", "a@b>", "=?utf-8?q?<", "< ", "a@b "])
    func floods(_ piece: String) {
        let input = bytes(String(repeating: piece, count: 65_536 / piece.utf8.count))
        let time = ContinuousClock().measure {
            _ = MessageIDs.references(input)
            _ = MessageIDs.inReplyTo(input)
        }
        #expect(time < Bound.time)
    }
}
