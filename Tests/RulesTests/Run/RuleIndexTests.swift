import Models
import TestSupport
import Testing

@testable import Rules

/// The index spares questions and changes no answer.
@Suite struct RuleIndexTests {
    /// Conditions of every kind that the index looks up, and of those that it does not; numbers make them many.
    static let shapes = [
        "from:@d#.example", "from:ana#@d#.example", "to:*@d#.*", "cc:team", "recipient:me",
        "from:known", "from:/a(?P<n>\\d)@d#/", "from:*", "reply-to:@vip", "from:@vip", "subject:word#",
        "subject:\"word# again\"", "subject:=\"Word# Again\"", "subject:*rd#*", "subject:/W[o0]rd#/i",
        "subject:/^(?P<x>re|fwd): /i", "subject:*", "list-id:*list#*", "header:x-number:\"#\"", "list-id:*",
        "body:text#", "text:word#", "body:/te(x|y)t#/", "is:unread", "is:flagged", "has:pdf",
        "has:attachment",
        "is:bulk", "size>#k", "age>1d", "older:#d", "date>=2026-03-1#", "time:0#:00-1#:00", "is:often",
        "matched:r0", "keyword:k#", "in:inbox",
        "delivered-to:@d#.example",
    ]

    private static func condition(_ random: inout SeededGenerator, depth: Int = 0) -> String {
        func one() -> String {
            shapes[random.below(shapes.count)].replacing("#", with: String(random.below(4)))
        }
        func inner() -> String { condition(&random, depth: depth + 1) }
        switch depth < 3 ? random.below(6) : 0 {
        case 0, 1, 2: return one()
        case 3: return inner() + " " + inner()
        case 4: return "(" + inner() + " or " + inner() + ")"
        case _: return "-(" + inner() + ")"
        }
    }

    private static func ruleFile(_ random: inout SeededGenerator) -> String {
        let actions = ["flag", "archive", "{ label: '{{subject}}' }", "keep", "[flag, trash]", "junk"]
        var text =
            "lists:\n  vip: [ana1@d1.example, d2.example]\ndefine:\n  often: from:@d3.example or subject:word1\n"
        text += "protect:\n  - p: '\(condition(&random))'\nrules:\n"
        text += "  - { id: r0, when: 'from:@d0.example or subject:/wor(?P<l>d)2/', then: flag }\n"
        for number in 1..<12 {
            var fields =
                "id: r\(number), when: '\(condition(&random))', then: \(actions[random.below(actions.count)])"
            if random.below(5) == 0 { fields += ", unless: '\(condition(&random))'" }
            if random.below(6) == 0 { fields += ", stop: true" }
            if random.below(6) == 0 { fields += ", continue: true" }
            if random.below(8) == 0 { fields += ", mailboxes: [archive]" }
            if random.below(5) == 0 { fields += ", expire: 2026-03-1\(random.below(9))" }
            text += "  - { \(fields) }\n"
        }
        return text + "  - choose:\n"
            + (0..<4).map {
                "      - { id: c\($0), when: '\(condition(&random))', then: { label: c\($0) } }\n"
            }.joined() + "  - { id: last, when: '*', then: { label: last } }\n"
    }

    private static func message(_ random: inout SeededGenerator) -> MessageFacts {
        func address() -> EmailAddress {
            EmailAddress(
                displayName: ["", "Ana Ruiz", "team"][random.below(3)], localPart: "ana\(random.below(3))",
                domain: (random.below(2) == 0 ? "sub." : "") + "d\(random.below(5)).example")
        }
        return mail {
            $0.from = (0..<random.below(3)).map { _ in address() }
            $0.to = (0..<random.below(3)).map { _ in address() }
            $0.cc = (0..<random.below(2)).map { _ in address() }
            $0.replyTo = (0..<random.below(2)).map { _ in address() }
            $0.subject = ["", "Re: ", "FWD: "][random.below(3)] + "word\(random.below(5)) again"
            $0.text = random.below(4) == 0 ? nil : "Some  Text\(random.below(5))\nÉté word\(random.below(5))"
            $0.flags = random.below(2) == 0 ? [.seen] : [.flagged]
            $0.headers =
                random.below(2) == 0
                ? []
                : [
                    HeaderField(name: "List-Id", body: "<list\(random.below(5)).example>"),
                    HeaderField(name: "X-Number", body: "\(random.below(5))"),
                    HeaderField(name: "Delivered-To", body: "x@d\(random.below(5)).example"),
                ]
            if random.below(2) == 0 { $0.attachments = [] }
            $0.size = random.below(5_000)
        }
    }

    @Test("for random rules and messages, the index decides as the rules do one by one", arguments: 0..<150)
    func sameAnswers(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let set = try rules(Self.ruleFile(&random))
        let evaluator = set.evaluator(in: context())
        for _ in 0..<40 {
            let facts = Self.message(&random)
            let expected = set.evaluate(facts, in: context())
            guard case .decided(let found) = evaluator.answer(facts, having: .content) else {
                Issue.record("nothing is missing")
                continue
            }
            #expect(found == expected, "\(facts.subject) \(facts.from)")
        }
    }

    @Test(
        "without header or text, the index decides the same or requests them",
        arguments: 150..<250)
    func asksForContent(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let set = try rules(Self.ruleFile(&random))
        let evaluator = set.evaluator(in: context())
        for _ in 0..<40 {
            let facts = Self.message(&random)
            let expected = set.evaluate(facts, in: context())
            for having: FactNeeds in [[], .headers] {
                var part = facts
                part.text = nil
                let names = try #require(set.headerNames)
                part.headers =
                    having.isEmpty ? [] : facts.headers.filter { names.contains($0.name.lowercased()) }
                switch evaluator.answer(part, having: having) {
                case .decided(let found): #expect(found == expected, "\(facts.subject) \(facts.from)")
                case .asks(let needs): #expect(!needs.isEmpty && !having.isSuperset(of: needs))
                }
            }
        }
    }

    @Test("each message can be judged at another time", arguments: 250..<350)
    func turnedClock(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let zone = ["", "time-zone: Asia/Tokyo\n", "time-zone: America/Los_Angeles\n"][seed % 3]
        let set = try rules(zone + Self.ruleFile(&random))
        let evaluator = set.evaluator(in: context())
        for _ in 0..<40 {
            let facts = Self.message(&random)
            let now = Timestamp(seconds: 1_773_000_000 + Int64(random.below(12 * 86_400)))
            let expected = set.evaluate(facts, in: context { $0.now = now })
            guard case .decided(let found) = evaluator.answer(facts, having: .content, at: now) else {
                Issue.record("nothing is missing")
                continue
            }
            #expect(found == expected, "\(facts.subject) \(now)")
        }
    }

    @Test("rules on senders request neither header nor text")
    func asksForNothing() throws {
        let set = try rules(
            "rules:\n  - { id: a, when: from:@other.example body:x, then: flag }\n  - { id: b, when: from:@acme.example, then: archive }\n  - { id: c, when: body:x, then: flag }"
        )
        guard case .decided(let found) = set.evaluator(in: context()).answer(mail(), having: []) else {
            Issue.record("the second rule ends the triage before the third looks at the text")
            return
        }
        #expect(found.actions == [.archive])
    }

    @Test("a rule whose task needs the text requests it only for matching mail")
    func asksForActions() throws {
        let set = try rules(
            "rules:\n  - { id: a, when: subject:invoice, then: { task: { title: x, due: '{{date-in-body}}' } } }"
        )
        let evaluator = set.evaluator(in: context())
        guard case .asks(let needs) = evaluator.answer(mail { $0.text = nil }, having: []) else {
            Issue.record("the date stands in the text")
            return
        }
        #expect(needs == .text)
        guard case .decided(let none) = evaluator.answer(mail { $0.subject = "Lunch" }, having: []) else {
            Issue.record("the rule does not match")
            return
        }
        #expect(none.decisions.isEmpty)
    }
}

/// RE2's set match beside the patterns one by one.
@Suite struct PatternSetTests {
    static let sources = [
        "a+b", "(?i)invoice", "^re: ", "x$", "\\d{3,5}", "(a|b)*c", "é", "\\bword\\b", "(?s)a.*z", "",
        "[^a-z]q",
    ]

    @Test("a set of patterns finds what each pattern finds", arguments: 0..<200)
    func patterns(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let patterns = try Self.sources.map { try Pattern($0) }
        let set = try #require(PatternSet(patterns: patterns))
        let pieces = ["a", "b", "c", "INVOICE", "re: ", "x", "1234", "é", " word ", "z", "\n", "Q", "q"]
        let text = (0..<random.below(12)).map { _ in pieces[random.below(pieces.count)] }.joined()
        var found: Set<Int> = []
        #expect(Array(text.utf8).withUnsafeBufferPointer { set.match($0) { found.insert($0) } })
        let single = Set(patterns.indices.filter { patterns[$0].firstMatch(in: text) != nil })
        #expect(found == single, "\(text)")
    }

    @Test("literal texts are found whatever characters they contain")
    func literals() throws {
        let literals = ["a.b", "(x", "über", "a b", "\\d", "^"].map { FoldedText($0) }
        let set = try #require(PatternSet(literals: literals))
        for (text, wanted) in [
            ("axb", []), ("A.B", [0]), ("(x^", [1, 5]), ("Über a  b", [2, 3]), ("5 \\D", [4]),
        ] {
            var found: Set<Int> = []
            #expect(FoldedText(text).words.withUnsafeBufferPointer { set.match($0) { found.insert($0) } })
            #expect(found == Set(wanted), "\(text)")
        }
    }

    @Test("a set of patterns does not judge long texts and large patterns")
    func limits() throws {
        let set = try #require(PatternSet(patterns: [try Pattern("a")]))
        let long = [UInt8](repeating: 0x61, count: 5_000)
        #expect(!long.withUnsafeBufferPointer { set.match($0) { _ in } })
        let large = try Pattern("(?:a{50}){15}")
        #expect(!PatternSet.takes(large))
        #expect(PatternSet(patterns: Array(repeating: large, count: 20)) == nil)
    }
}
