import Models
import Testing

@testable import Rules

/// Patterns that take other engines minutes, over a mebibyte: the work is bounded by the text, whatever the two are.
@Suite struct HostilePatternTests {
    /// Two hundred of them: nested repeats, alternatives that overlap, long counts, classes, and no match at the end.
    static let patterns: [String] = {
        let cores = ["a", "ab", "[a-z]", "\\w", ".", "(a|ab)", "(a|a)", "a?", "(?:a|b)*", "\\pL"]
        let shapes = [
            "(@+)+$", "(@*)*b", "(@|@@)+c", "@{1,50}@{1,50}x", "(@+)*(@+)*y", "^(@+)+z$", ".*@.*@.*@.*q",
            "(@?){30}@{30}w",
            "(?i)(@+)+!", "@*@*@*@*@*k", "((@*)*)*#", "(@+|@+)+%", "(?s).*(@+)+=", "\\b(@+\\s?)+~",
            "(?P<g>@+)+\\d",
            "(@{2,9}){2,9}v", "[^b]*@[^b]*;", "(?:@+,?)+:", "(?:(?:@)+)+-", "^(?:.*@){8}u",
        ]
        return shapes.flatMap { shape in cores.map { shape.replacing("@", with: $0) } }
    }()

    static let texts = [
        String(repeating: "a", count: 1 << 20), String(repeating: "ab ", count: (1 << 20) / 3),
        String(repeating: "aé", count: (1 << 20) / 3),
    ]

    @Test func `each of two hundred patterns is read, or refused with a reason`() {
        #expect(Self.patterns.count == 200)
        for text in Self.patterns {
            do {
                _ = try Pattern(text)
            } catch {
                #expect(!error.reason.isEmpty, "\(text)")
            }
        }
    }

    @Test func `all patterns together take linear time`() {
        let patterns = Self.patterns.compactMap { try? Pattern($0) }
        let times = [1 << 14, 10 << 14].map { size -> Double in
            let text = String(repeating: "ab a", count: size / 4)
            let time = (0..<2).map { _ in
                ContinuousClock().measure { for pattern in patterns { _ = pattern.firstMatch(in: text) } }
            }.min()
            let parts = (time ?? .zero).components
            return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
        }
        #expect(times[1] < 50 * times[0], "\(times)")
    }

    @Test func `each accepted pattern takes less than fifty milliseconds for a mebibyte`() {
        for pattern in Self.patterns.compactMap({ try? Pattern($0) }) {
            #expect(pattern.programSize <= Pattern.maximumProgram)
            for var text in Self.texts {
                // The best of some, because the machine may be busy.
                let isFast = (0..<10).contains { _ in
                    ContinuousClock().measure { _ = text.withUTF8 { pattern.matches($0) } }
                        < .milliseconds(50)
                }
                #expect(isFast, "\(pattern.source)")
            }
        }
    }

    @Test func `a pattern that counts many letters is refused with its number of steps`() throws {
        #expect(throws: Pattern.Refusal.self) { try Pattern("(\\pL?){30}\\pL{30}w") }
        #expect(try Pattern("\\pL{2,9}").programSize < Pattern.maximumProgram)
    }

    @Test
    func `patterns are judged on the first mebibyte of a text`()
        throws
    {
        for text in Self.texts {
            let facts = mail { $0.text = text }
            let view = FactsView(facts, context: context(), tables: RuleTables())
            for pattern in Self.patterns.prefix(40) {
                guard let query = try? query("body:/\(pattern.escapingSlashes)/") else { continue }
                #expect(view.judge(query.condition) != .unknown)
            }
        }
        let late = String(repeating: "a", count: Pattern.maximumInput) + "needle"
        #expect(try Pattern("needle").firstMatch(in: late) == nil)
    }
}
