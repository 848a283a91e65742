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

    @Test func `there are two hundred patterns, and each is read or refused with a reason`() {
        #expect(Self.patterns.count == 200)
        for text in Self.patterns {
            do {
                _ = try Pattern(text)
            } catch {
                #expect(!error.reason.isEmpty, "\(text)")
            }
        }
    }

    @Test func `ten times the text is about ten times the work, never more`() throws {
        var worst = 0.0
        for text in Self.patterns {
            guard let pattern = try? Pattern(text) else { continue }
            let times = [1 << 16, 10 << 16].map { size -> Double in
                let text = String(repeating: "ab a", count: size / 4)
                let time = (0..<2).map { _ in ContinuousClock().measure { _ = pattern.firstMatch(in: text) } }
                    .min()
                let parts = (time ?? .zero).components
                return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
            }
            // Below a millisecond the clock says nothing about the work.
            if times[0] > 0.001 { worst = max(worst, times[1] / times[0]) }
        }
        #expect(worst < 60, "\(worst) times the work for ten times the text")
    }

    @Test
    func `a mebibyte and two hundred patterns are judged, and more of a text than that is not looked at`()
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
