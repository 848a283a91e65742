import Models
import TestSupport
import Testing

@testable import MIMEParser

/// Addresses as people type them.
@Suite struct TypedAddressesTests {
    /// A domain of 252 characters, with parts of 63.
    static let longest =
        "l@" + [63, 63, 63, 60].map { String(repeating: "d", count: $0) }.joined(separator: ".")
    /// The address for an answer by mail: a local part of 80 characters.
    static let reply = "reply+" + String(repeating: "A", count: 74) + "@reply.example"

    static let good: [(String, [String])] = [
        ("ana@x.org", ["|ana@x.org"]),
        (" ana@x.org ,bob@x.org; carl@x.org ", ["|ana@x.org", "|bob@x.org", "|carl@x.org"]),
        ("Ana Ruiz <ana@x.org>, <bob@x.org>", ["Ana Ruiz|ana@x.org", "|bob@x.org"]),
        ("\"Smith, Bob\" < bob@x.org >", ["Smith, Bob|bob@x.org"]),
        ("bob@x.org <bob@x.org>", ["bob@x.org|bob@x.org"]),
        ("dora@x.org (Dora (at home))", ["Dora (at home)|dora@x.org"]),
        ("team: ana@x.org, bob@x.org;", ["|ana@x.org", "|bob@x.org"]),
        ("\"a b\"@x.org", ["|\"a b\"@x.org"]),
        ("ana@localhost, bob@[192.0.2.1]", ["|ana@localhost", "|bob@[192.0.2.1]"]),
        (
            "bob@[IPv6:2001:db8::1], Bob <bob@[IPv6:::1]>; bob@[IPv6:::1] (Bob)",
            ["|bob@[ipv6:2001:db8::1]", "Bob|bob@[ipv6:::1]", "Bob|bob@[ipv6:::1]"]
        ),
        (longest, ["|" + longest]), (reply, ["|" + reply]), ("Ana <\(reply)>", ["Ana|" + reply]),
        ("Ana Böll <ana@büro.example>", ["Ana Böll|ana@xn--bro-hoa.example"]),
        ("", []), (" , ;", []),
    ]

    @Test("well-formed addresses are read", arguments: good)
    func reads(typed: String, expected: [String]) throws {
        let found = try DraftText.addresses(typed, field: "To")
        #expect(found.map { $0.displayName + "|" + $0.addrSpec } == expected)
    }

    static let bad: [(String, TypingMistake, Int)] = [
        ("bob@exam ple.org", .blankInAddress, 8), ("a>,<b", .strayBracket, 1),
        ("space here@x", .nameWithoutBrackets, 6), ("bob@-x.org", .hyphenAtEdge, 4),
        ("bob@x-.org", .hyphenAtEdge, 5), ("bob@x..org", .emptyLabel, 6), ("bob@x.org.", .emptyLabel, 10),
        ("bob at acme", .noAddress, 0), ("Bob <bob@x.org", .openBracket, 4), ("Bob <bob>", .noAddress, 5),
        ("Bob, Inc <bob@x.org>", .noAddress, 0), ("ana@x.org bob@x.org", .blankInAddress, 9),
        ("Bob <bob @x.org>", .blankInAddress, 8), ("a@b@c", .badCharacter, 3),
        ("<a@x.org> b", .textAfterAddress, 10), ("<a@x.org> <b@x.org>", .textAfterAddress, 10),
        ("boss@x.org <eve@evil.example>", .addressInName, 0), ("\"Bob <bob@x.org>", .openQuote, 0),
        ("bob@x.org (Bob", .openComment, 10), ("bob@x.org:", .badCharacter, 9), ("@x.org", .noAddress, 0),
        ("bob@", .noAddress, 4), ("bob@[IPv6:::1", .badCharacter, 9),
        ("b ob@[IPv6:::1]", .nameWithoutBrackets, 2),
        ("l" + longest, .addressTooLong, 0), (longest + "dd", .domainTooLong, 2),
        ("b@" + String(repeating: "d", count: 64) + ".org", .domainTooLong, 2),
    ]

    @Test("anything else is an error that names the place", arguments: bad)
    func refuses(typed: String, mistake: TypingMistake, column: Int) throws {
        let error = #expect(throws: BuilderError.self) { try DraftText.addresses(typed, field: "To") }
        #expect(error?.code == .mistyped(mistake))
        let mark = try #require(error?.marked.last)
        #expect(mark == String(repeating: " ", count: column) + "^")
    }

    @Test("two thousand random texts never crash the reader")
    func survives() {
        var random = SeededGenerator(seed: 20)
        let letters = Array("ab@.,;:<>()\"\\ -ü")
        for _ in 0..<2_000 {
            let typed = String(
                (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? "a"
                })
            let found = (try? DraftText.addresses(typed, field: "To")) ?? []
            #expect(found.allSatisfy { $0.addrSpec.contains("@") }, "\(typed)")
        }
    }
}
