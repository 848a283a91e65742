import Models
import Testing

@testable import Rules

@Suite struct PatternTests {
    @Test(
        "patterns that hang other engines take linear time on 200 KiB",
        arguments: [
            "(a+)+$", "^(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)*x", "(a|a?)+b", "a*a*a*a*a*a*a*b", "(x+x+)+y",
        ])
    func hostile(_ source: String) throws {
        let pattern = try Pattern(source)
        let text = FoldedText(String(repeating: "a", count: 200 * 1_024) + "!")
        // The best of five, because the machine may be busy; other engines need years.
        let times = (0..<5).map { _ in ContinuousClock().measure { _ = pattern.matches(text) } }
        #expect(try #require(times.min()) < .milliseconds(50))
    }

    @Test("a mail made to slow down a rule is judged in bounded time")
    func hostileMail() throws {
        let set = try rules("rules:\n  - { id: r, when: { body: { matches: '(a+)+$' } }, then: flag }")
        let facts = mail { $0.text = String(repeating: "a", count: 200 * 1_024) + "!" }
        _ = set.evaluate(facts, in: context())
        let time = ContinuousClock().measure { #expect(set.evaluate(facts, in: context()).decisions.isEmpty) }
        #expect(time < .seconds(5), "\(time)")
    }

    @Test("named groups are returned, without those that did not match")
    func groups() throws {
        let pattern = try Pattern("(?i)(?P<a>x+)|(?P<b>é+)")
        #expect(pattern.firstMatch(in: "..ÉÉ")?.groups == ["b": "ÉÉ"])
        #expect(pattern.firstMatch(in: "..XX")?.groups == ["a": "XX"])
        #expect(pattern.firstMatch(in: "...") == nil)
        #expect(try Pattern("(?P<a>)").firstMatch(in: "")?.groups == ["a": ""])
    }

    @Test("a pattern that needs too much memory is refused")
    func memory() {
        #expect(throws: Pattern.Refusal.self) { try Pattern("((\\pL{100}){100}){100}") }
        #expect(throws: Pattern.Refusal.self) { try Pattern(String(repeating: "a", count: 20_000)) }
    }

    @Test(
        "globs match the whole text, ignore case, and contain no patterns",
        arguments: [
            ("*invoice*", "An INVOICE here", true), ("invoice*", "an invoice", false), ("a.c", "abc", false),
            ("a?c", "aéc", true), ("*", "", true), ("(x)[y]*", "(x)[y]z", true), ("*\\d*", "5", false),
            ("ü*", "Über", true), ("*a*b*", "xx a yy b", true),
        ])
    func globs(_ glob: String, _ text: String, _ holds: Bool) throws {
        #expect(try Pattern.glob(glob).matches(FoldedText(text)) == holds)
    }

    @Test(
        "words are found from their beginning, in any case, composition and spacing",
        arguments: [
            ("The Q3\n  plan", "q3 plan", true), ("Re: cafe\u{301}", "café", true), ("ΟΔΟΣ", "οδος", true),
            ("οδος", "ΟΔΟΣ", true), ("Η οδος μου", "οδοσ", true),
            ("invoice", "voice", false), ("in-voice", "voice", true), ("voice invoice", "voice", true),
            ("invoice voice", "voice", true), ("a\u{A0}b", "a b", true), ("", "x", false), ("x", "", false),
            ("ПРИВЕТ мир", "привет", true), ("これは東京です", "東京", true),
        ])
    func phrases(_ text: String, _ phrase: String, _ holds: Bool) {
        #expect(FoldedText(text).containsPhrase(FoldedText(phrase)) == holds)
    }
}
