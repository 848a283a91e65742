import Models
import TestSupport
import Testing
import YAMLSource

@testable import Rules

/// A rule file with one mistake, and the finding that it must give.
struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let code: String
    let line: Int
    let column: Int
    let suggestion: String?

    init(_ text: String, _ code: String, _ line: Int, _ column: Int, _ suggestion: String? = nil) {
        self.text = text
        self.code = code
        self.line = line
        self.column = column
        self.suggestion = suggestion
    }

    var testDescription: String { "\(code): \(text)" }
}

@Suite struct CompilerTests {
    private func check(_ mistake: Mistake) throws {
        let found = compile(
            mistake.text, lists: ["bad.txt": "ana@x.org\nnonsense here\n"], accounts: [AccountID("work")]
        )
        .diagnostics
        let first = try #require(found.first { $0.code == mistake.code }, "\(found)")
        #expect(found.filter { $0.severity == first.severity }.count == 1, "\(found)")
        #expect((first.line, first.column) == (mistake.line, mistake.column))
        if let suggestion = mistake.suggestion { #expect(first.suggestion == suggestion) }
    }

    private static func rule(_ fields: String) -> String { "rules:\n  - { id: r, \(fields) }" }

    // Line 1 is `rules-version: 1`.
    @Test(
        "structural mistakes are reported with place and suggestion",
        arguments: [
            Mistake("ruels: []", "R010", 2, 1, "did you mean 'rules'?"),
            Mistake("rules: {}", "R002", 2, 8, "begin each entry with '- '"),
            Mistake("rules:\n  - x", "R002", 3, 5),
            Mistake(rule("when: '*', then: flag, stopp: true"), "R011", 3, 37, "did you mean 'stop'?"),
            Mistake("rules:\n  - { when: '*', then: flag }", "R003", 3, 5, "id: a-short-name"),
            Mistake(rule("then: flag"), "R003", 3, 11, "for every message: when: '*'"),
            Mistake(rule("when: '*'"), "R003", 3, 11, "then: archive"),
            Mistake(rule("when: '', then: flag"), "R003", 3, 20, "'*' matches every message"),
            Mistake(rule("when: [from:a], then: flag"), "R002", 3, 20, "write all: or any: before it"),
            Mistake(rule("when: '*', then: flag, stop: maybe"), "R020", 3, 43),
            Mistake("rules:\n  - { id: 'a b', when: '*', then: flag }", "R020", 3, 11),
            Mistake("rules:\n  - { id: none, when: '*', then: flag }", "R020", 3, 11),
            Mistake("accounts: [wrok]", "R043", 2, 12, "did you mean 'work'?"),
            Mistake("time-zone: Europe/Pariss", "R020", 2, 12, "did you mean 'Europe/Paris'?"),
            Mistake("lists: { a: { file: ../secret } }", "R020", 2, 21),
            Mistake("lists: { a: { file: none.txt } }\nprotect: { p: from:@a }", "R045", 2, 21),
            Mistake("lists: { a: [nonsense] }\nprotect: { p: from:@a }", "R023", 2, 14),
            Mistake("lists: { a: { file: bad.txt } }\nprotect: { p: from:@a }", "R023", 2, 1),
            Mistake("define: { unread: is:read }\nprotect: { p: is:unread }", "R044", 2, 11),
            Mistake("protect:\n  - has:pdf", "R002", 3, 5, "open work: has:open-task"),
            Mistake("rules:\n  - choose: []", "R003", 3, 13),
        ])
    func shape(_ mistake: Mistake) throws { try check(mistake) }

    @Test(
        "mistakes in conditions are reported at their place in the YAML text",
        arguments: [
            Mistake(rule("when: { form: x }, then: flag"), "R012", 3, 22, "did you mean 'from'?"),
            Mistake(rule("when: 'is:unread form:x', then: flag"), "R012", 3, 31, "did you mean 'from'?"),
            Mistake(rule("when: { all: ['is:unread', { subjct: x }] }, then: flag"), "R012", 3, 43),
            Mistake(rule("when: { subject: { matches: 'a(b' } }, then: flag"), "R021", 3, 43),
            Mistake(rule("when: { subject: '/a/s' }, then: flag"), "R021", 3, 32),
            Mistake(rule("when: { from: [bob, '/a/gi'] }, then: flag"), "R021", 3, 35),
            Mistake(
                rule("when: { subject: { match: 'ab' } }, then: flag"), "R012", 3, 33,
                "did you mean 'matches'?"),
            Mistake(rule("when: { size: { equals: 3 } }, then: flag"), "R020", 3, 28),
            Mistake(
                rule("when: { is: [unread, unred] }, then: flag"), "R041", 3, 35, "did you mean 'is:unread'?"),
            Mistake(rule("when: { has: pfd }, then: flag"), "R012", 3, 27, "did you mean 'has:pdf'?"),
            Mistake(rule("when: { 'is:unread': true }, then: flag"), "R020", 3, 22, "write is: unread"),
            Mistake(rule("when: { attachment: x }, then: flag"), "R012", 3, 22),
            Mistake(
                rule("when: { header: x }, then: flag"), "R012", 3, 22,
                "write header:<name>: with the field's name"),
            Mistake(rule("when: { from: '@vpi' }, then: flag"), "R040", 3, 29),
            Mistake(rule("when: { matched: q }, then: flag"), "R042", 3, 31),
            Mistake(rule("when: { 'thread:unanswered': 3d }, then: flag"), "R020", 3, 22),
            Mistake(
                rule("when: { signed: vaild }, then: flag"), "R012", 3, 30, "did you mean 'signed:valid'?"),
            Mistake(rule("when: { thread: unanswerd }, then: flag"), "R012", 3, 30),
            Mistake(rule("when: { auth: pass }, then: flag"), "R012", 3, 28),
            Mistake(rule("when: { thread:has: { form: ana } }, then: flag"), "R012", 3, 36),
            Mistake(rule("when: { any: [] }, then: flag"), "R003", 3, 27),
            Mistake(rule("when: { from: [] }, then: flag"), "R003", 3, 28),
            Mistake(rule("when: { size: '>2X' }, then: flag"), "R024", 3, 30),
            Mistake(rule("when: { subject: { matches: '\\bдом' } }, then: flag"), "R084", 3, 43),
            Mistake(rule("when: \"is:unread form:\\u0078\", then: flag"), "R012", 3, 31),
            Mistake(
                "rules:\n  - id: r\n    when: >-\n      is:unread\n      form:x\n    then: flag", "R012", 6, 7
            ),
            Mistake(
                "rules:\n  - id: r\n    when: |\n      is:unread\n      form:x\n    then: flag", "R012", 6, 7),
        ])
    func conditions(_ mistake: Mistake) throws { try check(mistake) }

    @Test(
        "mistakes in actions are reported",
        arguments: [
            Mistake(rule("when: '*', then: archvie"), "R013", 3, 31, "did you mean 'archive'?"),
            Mistake(rule("when: '*', then: [flag, { lable: x }]"), "R013", 3, 40, "did you mean 'label'?"),
            Mistake(rule("when: '*', then: [archive, trash]"), "R050", 3, 41, "keep one of them"),
            Mistake(
                rule("when: '*', then: { task: { titel: x, title: y } }"), "R014", 3, 41,
                "did you mean 'title'?"),
            Mistake(rule("when: '*', then: { task: { list: next } }"), "R003", 3, 39),
            Mistake(rule("when: '*', then: { task: { title: x, due: soon } }"), "R022", 3, 56),
            Mistake(rule("when: '*', then: { task: { title: x, list: a/b } }"), "R020", 3, 57),
            Mistake(rule("when: '*', then: { task: { title: x, priority: 12 } }"), "R020", 3, 61),
            Mistake(rule("when: '*', then: { task: { title: x, remind: soon } }"), "R022", 3, 59),
            Mistake(rule("when: '*', then: { defer: soonish }"), "R022", 3, 40),
            Mistake(rule("when: '*', then: { defer: { till: friday } }"), "R014", 3, 42),
            Mistake(rule("when: '*', then: { label: 'a b' }"), "R020", 3, 40),
            Mistake(rule("when: '*', then: { mark: seen }"), "R020", 3, 39),
            Mistake(rule("when: '*', then: move"), "R020", 3, 31),
            Mistake(rule("when: '*', then: { move: 'x/{{subject}}' }"), "R020", 3, 39, "move: Projects/Acme"),
            Mistake(rule("when: '*', then: { archive: Box }"), "R020", 3, 42),
            Mistake(rule("when: '*', then: { delegate: { note: x } }"), "R003", 3, 43),
            Mistake(rule("when: '*', then: { delegate: bob }"), "R023", 3, 43),
            Mistake(rule("when: '*', then: { delegate: b@-x.org }"), "R023", 3, 45),
            Mistake(rule("when: '*', then: { delegate: b@x!y.org }"), "R023", 3, 46),
            Mistake(rule("when: '*', then: { forward: b@x y.org }"), "R023", 3, 45),
            Mistake(rule("when: '*', then: { delegate: '{{from.address}}' }"), "R023", 3, 43),
            Mistake(rule("when: '*', then: { delegate: { to: a@x.org, send: always } }"), "R020", 3, 64),
            Mistake(rule("when: '*', then: { save-attachment: /etc }"), "R020", 3, 50),
            Mistake(rule("when: '*', then: { save-attachment: { to: ~/x } }"), "R020", 3, 56),
            Mistake(rule("when: '*', then: { save-attachment: a/../.. }"), "R020", 3, 50),
            Mistake(rule("when: '*', then: { save-attachment: 'a/{{subject}}' }"), "R020", 3, 50),
            Mistake(rule("when: '*', then: { save-attachment: .hidden }"), "R020", 3, 50),
            Mistake(rule("when: '*', then: { save-attachment: { name: [] } }"), "R003", 3, 58),
            Mistake(rule("when: '*', then: { save-attachment: { nmae: x } }"), "R014", 3, 52),
            Mistake(rule("when: '*', then: { reply: { txt: x } }"), "R014", 3, 42),
            Mistake(rule("when: '*', then: { reply: {} }"), "R003", 3, 40),
            Mistake(rule("when: '*', then: { forward: { note: x } }"), "R003", 3, 42),
            Mistake(rule("when: '*', then: { forward: '{{from.address}}' }"), "R023", 3, 42),
            Mistake(rule("when: '*', then: { waiting: { for: nobody } }"), "R023", 3, 49),
            Mistake(rule("when: '*', then: [{ delegate: b@x.org }, waiting]"), "R050", 3, 55),
            Mistake(
                rule("when: '*', then: { task: '{{subjct}}' }"), "R060", 3, 40, "did you mean '{{subject}}'?"),
            Mistake(
                rule("when: 'subject:/(?P<num>x)/', then: { task: 'a {{nun}}' }"), "R060", 3, 61,
                "did you mean '{{num}}'?"),
            Mistake(rule("when: '-subject:/(?P<num>x)/', then: { task: '{{num}}' }"), "R060", 3, 60),
            Mistake(rule("when: '*', then: { task: 'a {{subject' }"), "R061", 3, 42),
        ])
    func actions(_ mistake: Mistake) throws { try check(mistake) }

    @Test(
        "mistakes that concern several rules are reported",
        arguments: [
            Mistake(
                "rules:\n  - { id: a, when: '*', then: flag }\n  - { id: a, when: '*', then: flag }", "R051",
                4, 11),
            Mistake("define: { a: is:a }\nprotect: { p: is:a }", "R046", 2, 11),
            Mistake("rules:\n  - { id: a, when: matched:a, then: flag }", "R046", 3, 11),
            Mistake("define: { a: has:pdf }", "R081", 2, 11),
            Mistake("lists: { a: [ana@x.org] }", "R082", 2, 10),
            Mistake(
                "rules:\n  - { id: a, when: '*', then: archive }\n  - { id: b, when: '*', then: flag }",
                "R080", 4, 11),
            Mistake(
                "rules:\n  - { id: a, when: 'from:x', then: archive }\n  - { id: b, when: 'subject:y from:x', then: flag }",
                "R080", 4, 11),
            Mistake(
                "rules:\n  - choose:\n      - { id: a, when: 'from:x', then: flag }\n      - { id: b, when: { from: x, is: read }, then: flag }",
                "R080", 5, 15),
            Mistake(
                "rules:\n  - { id: a, when: 'from:x', then: archive, continue: true }\n  - { id: b, when: 'from:x is:read', then: trash }",
                "R086", 4, 11),
            Mistake("rules:\n  - { id: a, when: 'is:read from:x is:unread', then: flag }", "R087", 3, 11),
            Mistake("rules:\n  - { id: a, when: 'from:x -from:x', then: flag }", "R087", 3, 11),
        ])
    func whole(_ mistake: Mistake) throws { try check(mistake) }

    @Test("a duplicate id is reported at the second rule")
    func twice() {
        let found = compile(
            "rules:\n  - { id: a, when: 'from:x', then: archive }\n  - { id: a, when: 'from:x', then: archive }"
        ).diagnostics
        #expect(found.map { "\($0.code) \($0.line)" }.sorted() == ["R051 4", "R080 4"])
    }

    @Test("rules that only look redundant have no findings")
    func coverIsSound() {
        for text in [
            "rules:\n  - { id: a, when: 'from:x', unless: 'is:read', then: archive }\n  - { id: b, when: 'from:x', then: trash }",
            "rules:\n  - { id: a, when: 'from:x', then: flag }\n  - { id: b, when: 'from:x', then: trash }",
            "rules:\n  - { id: a, when: 'from:x subject:y', then: archive }\n  - { id: b, when: 'from:x', then: trash }",
            "rules:\n  - { id: a, when: 'from:x', then: archive, accounts: [w] }\n  - { id: b, when: 'from:x', then: trash }",
            "rules:\n  - { id: a, when: 'from:x', then: archive, enabled: false }\n  - { id: b, when: 'from:x', then: trash }",
            "rules:\n  - { id: a, when: 'from:x or from:y', then: archive }\n  - { id: b, when: 'from:x', then: trash }",
        ] {
            #expect(compile(text).diagnostics.isEmpty, "\(text)")
        }
    }

    @Test("a rule that sends mail to the user is reported")
    func loops() {
        let text = "rules-version: 1\nrules:\n  - { id: a, when: '*', then: { forward: Me <ME@x.org> } }"
        let own = [EmailAddress(localPart: "me", domain: "x.org")]
        let found = RuleSet.compile(
            [.init(file: "a.yaml", text: text)], accounts: [], own: own, readList: { _ in nil }
        ).diagnostics
        #expect(found.map(\.code) == ["R085"])
    }

    @Test("a cycle is reported at each of its names, and the rules do nothing")
    func cycles() {
        let (set, found) = compile(
            "define: { a: is:b, b: matched:r }\nrules:\n  - { id: r, when: is:a, then: trash }\n  - { id: s, when: '*', then: trash }"
        )
        #expect(found.filter { $0.code == "R046" }.count == 3)
        #expect(
            found.first { $0.code == "R046" }?.message
                == "'a' refers to itself, through is:b → matched:r → is:a")
        #expect(set.evaluate(mail(), in: context()).disposition == .keep)
        #expect(set.ruleCount == 2)
    }

    @Test("the length of a chain of definitions is limited")
    func chain() {
        let defines = (1...200).map { "d\($0): is:d\($0 - 1)" }.joined(separator: ", ")
        let found = compile("define: { d0: has:pdf, \(defines) }\nprotect: { p: is:d200 }").diagnostics
        #expect(found.contains { $0.code == "R046" })
        #expect(found.count == Report.maximum + 1)
    }

    @Test("a rule that does not match every message leaves later rules reachable")
    func reachable() {
        for fields in [
            "when: from:ana", "when: '*', unless: is:read", "when: '*', accounts: [work]",
            "when: '*', enabled: false", "when: '*', continue: true",
        ] {
            let found = compile(
                "rules:\n  - { id: a, \(fields), then: archive }\n  - { id: b, when: '*', then: flag }"
            ).diagnostics
            #expect(found.isEmpty, "\(fields)")
        }
    }

    @Test(
        "an empty file is an error, because its protections would be lost",
        arguments: ["", "\n", "# nothing\n"])
    func empty(_ text: String) {
        let source = RuleSet.Source(file: "rules/1.yaml", text: text)
        let found = RuleSet.compile([source], accounts: [], readList: { _ in nil }).diagnostics
        #expect(found.map(\.code) == ["R001"])
    }

    @Test("all mistakes of all files are reported at once, in the order of the files")
    func several() {
        let one = RuleSet.Source(
            file: "rules/1.yaml", text: "rules:\n  - { id: a, when: form:x, then: archvie }\n")
        let two = RuleSet.Source(file: "rules/2.yaml", text: "rules-version: 2\nx: [\n")
        let three = RuleSet.Source(
            file: "rules/3.yaml", text: "rules-version: 1\nrules:\n  - { id: a, when: '*', then: flag }\n")
        let found = RuleSet.compile([one, two, three], accounts: [], readList: { _ in nil }).diagnostics
        #expect(
            found.map { "\($0.file) \($0.code)" } == [
                "rules/1.yaml R001", "rules/1.yaml R012", "rules/1.yaml R013", "rules/2.yaml Y001",
                "rules/3.yaml R051",
            ])
    }

    @Test("the findings of a file are sorted by line")
    func fromTheTop() {
        let found = compile(
            """
            lists: { v: { file: none.txt } }
            rules:
              - { id: a, when: form:x, then: archvie }
              - { id: b, when: 'is:nothing', then: { task: { titel: x } } }
              - { id: a, when: 'from:@v', then: flag }
            """
        ).diagnostics
        #expect(found.map(\.code) == ["R045", "R012", "R013", "R041", "R014", "R051"], "\(found)")
        #expect(found.map(\.line) == found.map(\.line).sorted())
    }

    @Test("a protection that is written like a rule is reported, and it still protects")
    func protectionWithFields() throws {
        let (rules, found) = compile("protect:\n  - { name: bosses, when: from:ceo@acme.example }\n")
        let finding = try #require(found.first)
        #expect(found.count == 1 && finding.code == "R011" && finding.severity == .warning)
        #expect(finding.line == 3 && finding.suggestion == "bosses: from:ceo@acme.example")
        #expect(rules.protections.map(\.name) == ["name", "when"])
    }

    @Test("a file has at most twenty findings")
    func many() {
        let rules = (1...60).map { "  - { id: r\($0), when: form:x, then: flag }\n" }.joined()
        let found = compile("rules:\n" + rules).diagnostics
        #expect(found.count == 21)
        #expect(found.prefix(20).allSatisfy { $0.code == "R012" })
        #expect(
            found.last
                == Diagnostic(
                    .warning, code: "R004", file: "rules/a.yaml",
                    message: "40 more findings are not shown: at most 20 are shown for a file"))
    }

    @Test("an error is reported even after many warnings")
    func errorsFirst() {
        let defines = (1...40).map { "d\($0): has:pdf" }.joined(separator: ", ")
        let unused = (1...40).map { "  - { id: r\($0), when: 'subject:/\\bдом/', then: flag }\n" }.joined()
        let found = compile(
            "define: { \(defines) }\nrules:\n\(unused)  - { id: z, when: form:x, then: flag }\n"
        ).diagnostics
        #expect(found.count == 21)
        #expect(found.contains { $0.severity == .error })
    }

    @Test("a finding looks as on the design page")
    func golden() throws {
        let text =
            "\n\n  # a comment\nrules:\n  - id: a\n    when: { form: '*@acme.example' }\n    then: archive\n"
        let found = try #require(compile(text).diagnostics.first)
        #expect(
            found.rendered() == """
                rules/a.yaml:7:13: error[R012]: unknown condition 'form'
                   |
                 7 |     when: { form: '*@acme.example' }
                   |             ^^^^ did you mean 'from'?
                """)
        let pattern = try #require(
            compile("rules:\n  - id: a\n    when: { subject: { matches: 'é日 x(?=y)' } }\n    then: flag\n")
                .diagnostics.first)
        #expect(
            pattern.rendered() == """
                rules/a.yaml:4:38: error[R021]: the pattern cannot be read: invalid perl operator: (?=
                   |
                 4 |     when: { subject: { matches: 'é日 x(?=y)' } }
                   |                                       ^^^ look-around is not supported; capture what you need in a group
                """)
    }

    @Test("mailboxes are compared with the existing ones")
    func mailboxes() throws {
        let set = try rules("rules:\n  - { id: a, when: '*', then: { move: Projcts/Acme } }")
        let found = set.checkMailboxes(against: context().mailboxes)
        #expect(found.map(\.code) == ["R083"])
        #expect(found.first?.suggestion == "did you mean 'Projects/Acme'?")
        #expect((found.first?.line, found.first?.column) == (3, 39))
        #expect(
            try rules("rules:\n  - { id: a, when: '*', then: { move: inbox } }").checkMailboxes(
                against: context().mailboxes
            ).isEmpty)
    }

    @Test(
        "a list entry that can never match is an error",
        arguments: [
            "a@x.org,b@y.org", "a@x.org;b@y.org", "a@x.org|b@y.org", "<a@x.org>", "mailto:a@x.org", "@",
            "a@x.org\u{1}",
        ])
    func wrongEntry(entry: String) {
        let (_, diagnostics) = RuleSet.compile(
            [
                .init(
                    file: "a.yaml",
                    text: "rules-version: 1\nlists: { vip: { file: v.txt } }\nprotect: { p: from:@vip }\n")
            ], accounts: [], readList: { _ in entry + "\n" })
        #expect(diagnostics.map(\.code) == ["R023"])
    }

    @Test("lists are read from files of the workspace, one entry per line")
    func lists() throws {
        let text =
            "lists: { vip: { file: lists/vip.txt } }\nrules:\n  - { id: a, when: from:@vip, then: flag }"
        let set = try rules(
            text,
            lists: [
                "lists/vip.txt":
                    "\u{FEFF}kim@x.org\n# people\nbob@x.org\r\n\nacme.example # domain\n*@*.z.org\n"
            ])
        let senders = [
            "bob@x.org": true, "ann@x.org": false, "a@sub.acme.example": true, "a@notacme.example": false,
            "q@m.z.org": true, "kim@x.org": true,
        ]
        for (sender, holds) in senders {
            let facts = mail { $0.from = [EmailAddress(sender)].compactMap { $0 } }
            #expect(set.evaluate(facts, in: context()).actions.isEmpty != holds, "\(sender)")
        }
    }

    @Test("the example of the design page compiles and passes its tests")
    func example() throws {
        let (set, found) = RuleSet.compile(
            [.init(file: "rules/20-work.yaml", text: designExample)], accounts: [AccountID("work")],
            readList: { $0 == "lists/vip.txt" ? "boss@acme.example\n" : nil })
        #expect(found.map(\.code) == ["R081"])
        #expect((set.fileCount, set.ruleCount, set.testCount) == (1, 2, 2))
        #expect(set.rules.map(\.id) == ["invoice-to-pay", "support-goes-to-bob"])
        #expect(set.runTests(context: context()).map(\.detail) == ["", ""])
    }

    @Test("random broken rule files never crash the compiler, and findings have places in the file")
    func fuzz() {
        var random = SeededGenerator(seed: 7)
        let lines = designExample.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let bits = [
            "{", "}", "[", "]", "'", "\"", ":", "- ", "*", "@", "(?P<", "{{", "}}", "\n", " ", "is:", "x",
            "é", "\u{0}", "|", "-",
        ]
        for _ in 0..<1_500 {
            var text = lines
            for _ in 0...random.below(3) {
                let line = random.below(text.count)
                switch random.below(4) {
                case 0: text.remove(at: line)
                case 1: text.insert(text[random.below(text.count)], at: line)
                case 2: text[line] = String(text[line].prefix(random.below(text[line].count + 1)))
                case _:
                    let letters = Array(text[line])
                    let at = random.below(letters.count + 1)
                    text[line] =
                        String(letters[..<at]) + bits[random.below(bits.count)] + String(letters[at...])
                }
                if text.isEmpty { text = [""] }
            }
            let (set, found) = RuleSet.compile(
                [.init(file: "f", text: text.joined(separator: "\n"))], accounts: [],
                readList: { _ in "a@x.org" })
            for finding in found {
                #expect(finding.line <= text.count + 1)
                #expect(!finding.rendered().isEmpty)
            }
            _ = set.evaluate(mail(), in: context())
            _ = set.runTests(context: context())
        }
    }
}

let designExample = #"""
    rules-version: 1
    name: work
    accounts: [work]                 # none = all accounts
    time-zone: Europe/Paris

    lists:
      vip: { file: lists/vip.txt }   # one address or domain a line; machine-editable
    define:
      bulk: list-id:* or header:Precedence:/^(bulk|list|junk)$/   # a query, by name: is:bulk

    protect:                          # no rule may archive, move, defer or trash these
      - open work: has:open-task or is:flagged

    rules:
      - id: invoice-to-pay
        description: Invoices become tasks with their due date.
        when:
          all:
            - has: pdf
            - subject: { matches: '(?i)invoice (?P<number>[A-Z]{2,4}-\d+)' }
        unless: from:@vip
        then:
          - task: { title: 'Pay {{number}} ({{from.name}})', list: next, context: '@finance', due: '{{date-in-body}}', due-else: +14 days, remind: 3 days before }
          - archive

      - id: support-goes-to-bob
        when: to:support@acme.example -from:@acme.example       # the same conditions, spelled as a query
        then:
          - delegate: { to: bob@acme.example, note: 'Bob, yours please.', follow-up: +3 business days }
          - archive

    tests:
      - name: an invoice becomes a task
        at: 2026-03-10T09:00:00+01:00
        mail: { from: 'Vendor <billing@vendor.example>', subject: 'Invoice INV-2041', attachments: [{ name: a.pdf, type: application/pdf }] }
        expect: { rule: invoice-to-pay, task: { title: 'Pay INV-2041 (Vendor)', list: next }, disposition: archive }
      - name: a person is never bulk
        mail: { from: 'Ana <ana@example.org>', subject: 'Lunch?' }
        expect: { rule: none }
    """#
