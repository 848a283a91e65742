import Models
import Rules
import Testing

@testable import RuleImport

struct SieveCase: Sendable, CustomTestStringConvertible {
    var name: String
    var script: String
    var body: String
    var testDescription: String { name }

    init(_ name: String, _ script: String, _ body: String) {
        (self.name, self.script, self.body) = (name, script, body)
    }
}

@Suite struct SieveImportTests {
    static let cases: [SieveCase] = [
        .init(
            "contains in the subject", #"if header :contains "Subject" "invoice" { fileinto "A"; }"#,
            "- id: move-to-a\n  when: { subject: { contains: 'invoice' } }\n  then: { move: 'A' }"),
        .init(
            "is is the default", #"if header "X-Spam-Flag" "YES" { fileinto "A"; stop; }"#,
            "- id: move-to-a\n  when: { header:X-Spam-Flag: { equals: 'YES' } }\n  then: { move: 'A' }"),
        .init(
            "a wildcard is a glob", #"if header :matches "subject" "*[list]*" { fileinto "A"; }"#,
            "- id: move-to-a\n  when: { subject: { glob: '*[list]*' } }\n  then: { move: 'A' }"),
        .init(
            "a question mark alone takes a pattern", #"if header :matches "subject" "a?c" { keep; }"#,
            #"- id: keep\#n  when: { subject: { matches: '(?is)\Aa.c\z' } }\#n  then: keep"#),
        .init(
            "an escaped star is a star", #"if header :matches "subject" "a\\*b*" { keep; }"#,
            #"- id: keep\#n  when: { subject: { matches: '(?is)\Aa\*b.*?\z' } }\#n  then: keep"#),
        .init(
            "a regular expression", #"if header :regex "subject" "inv-[0-9]+" { keep; }"#,
            "- id: keep\n  when: { subject: { matches: '(?i)inv-[0-9]+' } }\n  then: keep"),
        .init(
            "octets compare with case",
            #"if header :contains :comparator "i;octet" "subject" "ACME" { keep; }"#,
            "- id: keep\n  when: { subject: { matches: 'ACME' } }\n  then: keep"),
        .init(
            "anyof, allof and not",
            #"if allof (anyof (header :contains "subject" "a", header :contains "subject" "b"), not size :over 1M) { keep; }"#,
            "- id: keep\n  when:\n    subject: { contains: ['a', 'b'] }\n    not: { size: '>1M' }\n  then: keep"
        ),
        .init(
            "a whole address", #"if address :is ["to", "cc"] "team@x.org" { fileinto "A"; }"#,
            "- id: move-to-a\n  when:\n    any:\n      - to: 'team@x.org'\n      - cc: 'team@x.org'\n  then: { move: 'A' }"
        ),
        .init(
            "the domain of an address", #"if address :domain "from" "x.org" { keep; }"#,
            "- id: keep\n  when: { from: { glob: '*@x.org' } }\n  then: keep"),
        .init(
            "the local part of an address", #"if address :localpart :matches "to" "bob-*" { keep; }"#,
            "- id: keep\n  when: { to: { glob: 'bob-*@*' } }\n  then: keep"),
        .init(
            "the detail of an address", #"require "subaddress"; if address :detail "to" "news" { keep; }"#,
            "- id: keep\n  when: { to: { matches: '(?i)^[^@+]*\\+news@[^@]+$' } }\n  then: keep"),
        .init(
            "sizes", "if size :over 2M { keep; } if size :under 100 { keep; }",
            "- id: keep\n  when: { size: '>2M' }\n  then: keep\n- id: keep-2\n  when: { size: '<100' }\n  then: keep"
        ),
        .init(
            "exists asks for all", #"if exists ["X-A", "X-B"] { keep; }"#,
            "- id: keep\n  when:\n    header:X-A: '*'\n    header:X-B: '*'\n  then: keep"),
        .init(
            "how many there are", #"if header :count "ge" "list-id" "1" { keep; }"#,
            "- id: keep\n  when: { header:list-id: '*' }\n  then: keep"),
        .init(
            "if, elsif and else choose",
            #"if header :contains "subject" "a" { fileinto "A"; } elsif header :contains "subject" "b" { fileinto "B"; } else { addflag "\\Flagged"; }"#,
            """
            - choose:
                - id: move-to-a
                  when: { subject: { contains: 'a' } }
                  then: { move: 'A' }
                - id: move-to-b
                  when: { subject: { contains: 'b' } }
                  then: { move: 'B' }
                - id: flag
                  when: '*'
                  then: flag
            """),
        .init(
            "stop alone keeps", #"if header :contains "from" "boss" { stop; }"#,
            "- id: stop\n  when: { from: { contains: 'boss' } }\n  then: keep"),
        .init(
            "marks and stop",
            #"require "imap4flags"; if header :contains "from" "boss" { addflag ["\\Flagged", "$work"]; stop; }"#,
            "- id: flag\n  when: { from: { contains: 'boss' } }\n  then: [flag, { label: '$work' }]\n  stop: true"
        ),
        .init(
            "flags of a filing", #"if true { fileinto :flags "\\Seen" "A"; }"#,
            "- id: move-to-a\n  when: '*'\n  then: [{ mark: read }, { move: 'A' }]"),
        .init(
            "flags that replace those set before",
            #"if true { addflag "one"; setflag "two"; addflag "three"; } if true { addflag "one"; fileinto :flags "\\Seen" "A"; }"#,
            """
            - id: label-two
              when: '*'
              then: [{ label: 'two' }, { label: 'three' }]
            - id: move-to-a
              when: '*'
              then: [{ mark: read }, { move: 'A' }]
            """),
        .init(
            "a flag taken off", #"if true { removeflag "old"; removeflag "\\Seen"; }"#,
            "- id: unlabel-old\n  when: '*'\n  then: [{ unlabel: 'old' }, { mark: unread }]"),
        .init(
            "the inbox is where it is", #"if header :contains "subject" "x" { fileinto "INBOX"; }"#,
            "- id: keep\n  when: { subject: { contains: 'x' } }\n  then: keep"),
        .init(
            "names of rules from webmail",
            "# rule:[Swift Forum]\nif header :contains \"list-id\" \"swift\" { fileinto \"A\"; }",
            "- id: swift-forum\n  when: { list-id: { contains: 'swift' } }\n  then: { move: 'A' }"),
        .init(
            "names of rules from Open-Xchange",
            "## Flag: |UniqueId:0|Rulename: Bills of the works and all others there are\nif header :contains \"subject\" \"bill\" { fileinto \"A\"; }",
            "- id: bills-of-the-works-and-all-others-there-are\n  when: { subject: { contains: 'bill' } }\n  then: { move: 'A' }"
        ),
        .init(
            "an editor's memory is no name",
            "/**\n * @type or\n * @comparator contains\n */\nif header :contains \"subject\" \"bill\" { fileinto \"A\"; }",
            "- id: move-to-a\n  when: { subject: { contains: 'bill' } }\n  then: { move: 'A' }"),
        .init(
            "names of mailboxes as on the wire",
            #"if header :contains "subject" "a" { fileinto "Entw&APw-rfe/R&D"; } fileinto "INBOX.Entw&APw-rfe";"#,
            "- id: move-to-entw-apw-rfe-r-d\n  when: { subject: { contains: 'a' } }\n  then: { move: 'Entw&APw-rfe/R&D' }\n- id: move-to-inbox-entw-rfe\n  when: '*'\n  then: { move: 'INBOX.Entwürfe' }"
        ),
        .init(
            "nobody is named in To", #"if header :contains "to" "undisclosed-recipients" { keep; }"#,
            "- id: keep\n  when: { header:To: { contains: 'undisclosed-recipients' } }\n  then: keep"),
        .init(
            "a block in a block",
            #"if header :contains "subject" "a" { if size :over 1M { fileinto "A"; } fileinto "B"; }"#,
            """
            - id: move-to-a
              when:
                subject: { contains: 'a' }
                size: '>1M'
              then: { move: 'A' }
            - id: move-to-b
              when: { subject: { contains: 'a' } }
              then: { move: 'B' }
            """),
        .init(
            "a constant variable", #"set "box" "A"; if true { fileinto "${box}/x"; }"#,
            "- id: move-to-a-x\n  when: '*'\n  then: { move: 'A/x' }"),
        .init(
            "a capture becomes a template",
            #"if header :matches "subject" "[*] *" { addflag "${1}"; }"#,
            "- id: label-m1\n  when: { subject: { matches: '(?s)(?i)\\A\\[(?P<m1>.*?)\\] (?P<m2>.*?)\\z' } }\n  then: { label: '{{m1}}' }"
        ),
        .init(
            "body", #"require "body"; if body :contains ["unsubscribe", "opt out"] { keep; }"#,
            "- id: keep\n  when: { body: { contains: ['unsubscribe', 'opt out'] } }\n  then: keep"),
        .init(
            "special use", #"if header :is "X-Spam" "yes" { fileinto :specialuse "\\Junk" "Spam"; }"#,
            "- id: junk\n  when: { header:X-Spam: { equals: 'yes' } }\n  then: junk"),
        .init(
            "dates", #"if date :value "lt" "date" "date" "2026-01-05" { keep; }"#,
            "- id: keep\n  when: { sent: '<2026-01-05' }\n  then: keep"),
        .init(
            "days of the week", #"if currentdate :is "weekday" ["0", "6"] { keep; }"#,
            "- id: keep\n  when: { weekday: 'sun,sat' }\n  then: keep"),
        .init(
            "comments and long texts",
            "/* a\n * b */ if header :contains \"subject\" text:\nhello\n..dot\n.\n { keep; } # end",
            "- id: a-b\n  when: { subject: { contains: 'hello .dot' } }\n  then: keep"),
        .init(
            "quotes in YAML", #"if header :contains "subject" "it's \"so\": #1" { keep; }"#,
            "- id: keep\n  when: { subject: { contains: 'it''s \"so\": #1' } }\n  then: keep"),
        .init(
            "an answer while away",
            "require \"vacation\";\nset \"day\" \"Monday\"; vacation :days 400 :subject \"Away\" text:\nBack on ${day}.\n\n\"Ana\" \\\n.\n;",
            "- id: vacation\n  when: '*'\n  then: { vacation: { text: \"Back on Monday.\\n\\n\\\"Ana\\\" \\\\\", subject: \"Away\", days: 365 } }"
        ),
        .init(
            "an answer and a place",
            "if header :contains \"subject\" \"a\" { vacation \"away\"; fileinto \"A\"; }",
            "- id: move-to-a\n  when: { subject: { contains: 'a' } }\n  then: [{ vacation: { text: \"away\" } }, { move: 'A' }]"
        ),
        .init("nothing", "keep;", "- id: keep\n  when: '*'\n  then: keep"),
        .init("an empty script", "# nothing\n", ""),
    ]

    @Test(
        "a second copy is recognised by its Message-ID, and other uses of duplicate are reported",
        arguments: [
            ("duplicate", ""), ("duplicate :header \"message-id\"", ""),
            (
                "duplicate :seconds 600",
                ", however old: ':seconds' would limit its age"
            ),
            (
                "duplicate :last :header \"Message-ID\" :seconds 600",
                ", however old: ':last' and ':seconds' would limit its age"
            ),
        ])
    func duplicates(_ test: String, _ memory: String) throws {
        let imported = try Imported("require [\"duplicate\"]; if \(test) { fileinto \"A\"; }", .sieve)
        #expect(imported.body == "- id: move-to-a\n  when: { is: duplicate }\n  then: { move: 'A' }")
        let reason =
            "tests for an earlier message with the same Message-ID that is still here, and not in Sent, Drafts or Junk"
        #expect(imported.result.notes.map(\.reason) == [reason + memory])
        #expect(imported.result.notes.map(\.kind) == [.changed])
        let yaml = imported.result.text
        #expect(yaml.contains("    duplicate: true\n"), "\(yaml)")
    }

    @Test("scripts are translated to the expected rules", arguments: cases)
    func translation(_ item: SieveCase) throws {
        #expect(try Imported(item.script, .sieve).body == item.body)
    }

    @Test(
        "a rule has a test with mail that it matches, and one with other mail"
    )
    func tests() throws {
        let imported = try Imported(
            #"if allof (header :contains "subject" "a", size :over 1M) { fileinto "A"; }"#, .sieve)
        #expect(imported.rules.testCount == 2)
        #expect(imported.result.text.contains("size: 1048577"))
        #expect(imported.result.text.contains("rule: none"))
    }

    @Test("the different meaning of a vacation answer is reported")
    func vacation() throws {
        let imported = try Imported(
            "vacation :seconds 3600 :from \"me@x.org\" :addresses [\"a@x.org\"] :handle \"h\" \"away\";",
            .sieve)
        #expect(imported.body.contains("vacation: { text: \"away\", days: 1 }"))
        #expect(
            imported.changed == [
                "its answers are drafts until the rule says 'send: now'; mail that a rule above has filed is not answered",
                "the answer comes from the account's own address",
                "only mail to the addresses under 'me:' in opus.yaml is answered",
            ])
        #expect(imported.dropped.isEmpty)
    }

    @Test("encoded characters are decoded if the script requires them, and stay otherwise")
    func encodedCharacters() throws {
        let script =
            #"if header :contains "subject" "Gr${unicode:fc}${hex:c3 9f}e" { fileinto "K${UNICODE: f6}ln"; }"#
        let decoded = try Imported(#"require ["fileinto", "encoded-character"]; "# + script, .sieve)
        #expect(decoded.body.contains("subject: { contains: 'Grüße' }"), "\(decoded.body)")
        #expect(decoded.body.contains("move: 'Köln'"), "\(decoded.body)")
        for text in ["${hex:fc}", "${unicode:}", "${unicode:d800}", "${hex:zz}", "${unicode:fc"] {
            #expect(SieveEncodedCharacters.text("x" + text) == "x" + text)
        }
        #expect(try !Imported(script, .sieve).body.contains("ü"))
    }

    @Test(
        "parts that no rule can express are reported with line and reason",
        arguments: [
            (
                "keep;\nredirect \"a@x.org\";", 2,
                "opus cannot redirect mail unchanged ('forward' makes a new mail); the message stays where it is"
            ),
            ("reject \"no\";", 1, "delivered mail cannot be refused; the message stays where it is"),
            ("vacation :mime \"x\";", 1, "a text that is a MIME part is not translated"),
            ("vacation :days 7;", 1, "it has no text"),
            ("vacation \"{{subject}}\";", 1, "'{{' begins a field of the mail"),
            ("vacation \"${x}\";", 1, "its text depends on the mail or on a variable that changes"),
            (
                "if duplicate :handle \"a\" { fileinto \"A\"; }", 1,
                "':handle' is not supported: all rules share one memory"
            ),
            (
                "if duplicate \"a\" { fileinto \"A\"; }", 1,
                "':handle' is not supported: all rules share one memory"
            ),
            (
                "if duplicate :header \"X-Id\" { fileinto \"A\"; }", 1,
                "opus finds copies by their Message-ID, not by another field"
            ),
            (
                "if duplicate :uniqueid \"${x}\" { fileinto \"A\"; }", 1,
                "opus finds copies by their Message-ID, not by a text of the script"
            ),
            ("if duplicate :seconds { fileinto \"A\"; }", 1, "a number is missing"),
            ("if duplicate 5 { fileinto \"A\"; }", 1, "this number has no tag before it"),
            ("if duplicate :frob { fileinto \"A\"; }", 1, "':frob' is not translated"),
            (
                "if header :contains \"s\" \"a\" {\nfileinto :copy \"INBOX\"; }", 2,
                "this copy cannot be made; the message stays where it is"
            ),
            ("if header :mime :contains \"s\" \"a\" { keep; }", 1, "':mime' is not translated"),
            (
                "if true { fileinto \"A\"; addflag \"x\"; }", 1,
                "it comes after the filing, and has no effect on it"
            ),
            (
                "if true { fileinto \"A\"; fileinto \"B\"; }", 1,
                "a message has only one place; no second copy is made"
            ),
            (
                "if header :regex \"s\" \"(?=x)\" { keep; }", 1,
                "the pattern cannot be read: invalid perl operator: (?="
            ),
            (
                "if header :matches \"s\" \"*\" { fileinto \"l.${1}\"; }", 1,
                "the name of a mailbox cannot depend on the mail or on a variable that changes; the message stays where it is"
            ),
            ("stop;\nkeep;", 2, "never reached, after 'stop'"),
            ("frobnicate;", 1, "a rule cannot do 'frobnicate'"),
            ("if false { keep; }", 1, "its condition cannot be translated, or never holds"),
        ])
    func reports(script: String, line: Int, reason: String) throws {
        let notes = try Imported(script, .sieve).result.notes
        #expect(notes.contains { $0.kind == .dropped && $0.line == line && $0.reason == reason }, "\(notes)")
    }

    @Test("an imported rule gets an id that no other file has")
    func ids() throws {
        let result = try RuleImporter.translate(
            Array("keep; if size :over 1M { keep; }".utf8), as: .sieve, name: "x",
            taken: ["keep", "keep-2"])
        #expect(result.text.matches(of: /- id: (\S+)/).map { String($0.1) } == ["keep-3", "keep-4"])
    }

    // MARK: What happens

    @Test("an unknown condition narrows a rule and never widens it")
    func unknownNarrows() throws {
        let any = try Imported(
            #"if anyof (environment "a" "b", header :contains "subject" "x") { fileinto "A"; }"#, .sieve)
        #expect(any.body.contains("when: { subject: { contains: 'x' } }"))
        #expect(any.changed.contains { $0.hasPrefix("matches fewer") })
        let all = try Imported(
            #"if allof (environment "a" "b", header :contains "subject" "x") { fileinto "A"; }"#, .sieve)
        #expect(all.result.ruleCount == 0)
        let negated = try Imported(
            #"if not anyof (environment "a" "b", header :contains "subject" "x") { fileinto "A"; }"#, .sieve)
        #expect(negated.result.ruleCount == 0)
    }

    @Test(
        "the existence of a mailbox is assumed only where the branch files into it and does nothing else",
        arguments: [
            (#"if mailboxexists "A" { fileinto "A"; }"#, true),
            (#"if mailboxexists "A" { if exists "list-id" { fileinto "A"; } }"#, true),
            (#"if allof (mailboxexists "A", exists "list-id") { fileinto "A"; }"#, true),
            (#"if mailboxexists "A" { discard; }"#, false),
            (#"if mailboxexists "A" { fileinto "B"; }"#, false),
            (#"if not mailboxexists "A" { fileinto "A"; }"#, false),
            (#"if anyof (mailboxexists "A", exists "list-id") { fileinto "A"; }"#, false),
            (#"if mailboxexists "A" { fileinto "A"; } else { fileinto "B"; }"#, false),
        ])
    func mailboxExists(script: String, isAssumed: Bool) throws {
        let imported = try Imported(script, .sieve)
        let isDropped = imported.dropped.contains { $0.contains("existence of a mailbox") }
        #expect(isDropped != isAssumed, "\(imported.result.text)")
        if !isAssumed { #expect(!imported.body.contains("when: '*'"), "\(imported.body)") }
    }

    @Test("branches after an unknown one match nothing")
    func unknownBranch() throws {
        let imported = try Imported(
            #"if environment "a" "b" { keep; } else { discard; } if header :contains "subject" "x" { fileinto "A"; }"#,
            .sieve)
        #expect(imported.result.ruleCount == 1)
        #expect(imported.outcome { _ in } == [])
    }

    @Test("an untranslatable branch still excludes its mail from later branches")
    func excludedBranch() throws {
        let imported = try Imported(
            #"if header :contains "subject" "x" { redirect "a@x.org"; } elsif true { fileinto "A"; }"#, .sieve
        )
        #expect(imported.outcome { $0.subject = "x" } == [])
        #expect(imported.outcome { $0.subject = "y" } == ["move A"])
    }

    @Test(
        "a second copy that opus does not make is reported, and only that",
        arguments: [
            (#"if header :contains "subject" "a" { keep; } fileinto "B";"#, true),
            (#"if header :contains "subject" "a" { fileinto "B"; } keep;"#, true),
            (#"if header :contains "subject" "a" { keep; stop; } fileinto "B";"#, false),
            (#"if header :contains "subject" "a" { fileinto "B"; stop; } keep;"#, false),
            (#"if header :contains "subject" "a" { fileinto "B"; } else { keep; }"#, false),
        ])
    func copies(script: String, makesTwo: Bool) throws {
        let imported = try Imported(script, .sieve)
        #expect(imported.changed.contains { $0.contains("Sieve puts a copy into each") } == makesTwo)
    }

    @Test("flags set before the first filing are kept, and everything after the filing is ignored")
    func order() throws {
        let imported = try Imported(
            """
            if header :contains "subject" "a" { addflag "one"; }
            if header :contains "subject" "b" { fileinto "B"; }
            if header :contains "subject" "c" { fileinto "C"; addflag "two"; }
            """, .sieve)
        #expect(imported.outcome { $0.subject = "a" } == ["label one"])
        #expect(imported.outcome { $0.subject = "a b c" } == ["label one", "move B"])
        #expect(imported.outcome { $0.subject = "c" } == ["move C"])
        #expect(imported.changed.contains { $0.contains("Sieve puts a copy into each") })
    }

    @Test("a message that is discarded and later filed is filed; discard with stop deletes it")
    func discard() throws {
        let imported = try Imported(
            """
            if header :contains "subject" "a" { discard; }
            if header :contains "subject" "stop" { stop; }
            if header :contains "subject" "b" { fileinto "B"; }
            """, .sieve)
        #expect(imported.outcome { $0.subject = "a" } == ["trash"])
        #expect(imported.outcome { $0.subject = "a b" } == ["move B"])
        #expect(imported.outcome { $0.subject = "a stop" } == ["trash"])
        #expect(imported.outcome { $0.subject = "stop b" } == ["keep"])
    }

    @Test(
        "no mail is deleted if an untranslated command might file it",
        arguments: [
            "if size :over 0 { discard; } if environment \"a\" \"b\" { fileinto \"A\"; }",
            "if size :over 0 { discard; } if anyof (environment \"a\" \"b\", size :over 1G) { fileinto \"A\"; }",
            "if size :over 0 { discard; } if header :regex \"s\" \"(?=x)\" { fileinto \"A\"; }",
            "if size :over 0 { discard; } elsif size :over 1G { keep; } if environment \"a\" \"b\" { keep; }",
        ])
    func spared(script: String) throws {
        let imported = try Imported(script, .sieve)
        let outcome = imported.outcome { $0.size = 5 }
        #expect(!outcome.contains("trash"), "\(imported.result.text)")
        #expect(!imported.dropped.isEmpty)
    }

    @Test("a copy is made, and the message itself is filed by the rest of the script")
    func copies() throws {
        let imported = try Imported(
            """
            require ["fileinto", "copy"];
            if header :contains "subject" "a" { fileinto :copy "A"; }
            if header :contains "subject" "b" { fileinto "B"; }
            """, .sieve)
        #expect(imported.dropped.isEmpty, "\(imported.result.text)")
        #expect(imported.outcome { $0.subject = "a" } == ["copy A"])
        #expect(imported.outcome { $0.subject = "a b" } == ["copy A", "move B"])
    }

    @Test(
        "numbers in a header are compared as numbers",
        arguments: [
            (
                "ge", "15",
                [
                    "14": false, "15": true, "016": true, "20": true, "99": true, "100": true, "1": false,
                    "x": false,
                ]
            ),
            ("gt", "9", ["9": false, "10": true, "09": false, "11.5": true, "8": false]),
            ("lt", "5", ["4.9": true, "5": false, "12": false, "0": true, "": false]),
            ("le", "20", ["20": true, "21": false, "3": true, "200": false]),
            ("eq", "0", ["0": true, "00": true, "10": false, "abc": false]),
            ("ne", "7", ["7": false, "8": true]),
        ])
    func numbers(relation: String, number: String, values: [String: Bool]) throws {
        let imported = try Imported(
            "if header :value \"\(relation)\" :comparator \"i;ascii-numeric\" \"X-Score\" \"\(number)\" { fileinto \"A\"; }",
            .sieve)
        for (value, expected) in values {
            let outcome = imported.outcome { $0.headers = [HeaderField(name: "X-Score", body: value)] }
            #expect(outcome == (expected ? ["move A"] : []), "\(value) \(relation) \(number)")
        }
    }

    @Test("spaces around a search text are significant")
    func blanks() throws {
        let imported = try Imported(#"if header :contains "subject" " in " { fileinto "A"; }"#, .sieve)
        #expect(imported.outcome { $0.subject = "log in now" } == ["move A"])
        #expect(imported.outcome { $0.subject = "login" } == [])
    }

    @Test("a captured text is inserted into a label")
    func capture() throws {
        let imported = try Imported(#"if header :matches "subject" "[*] *" { addflag "${1}"; }"#, .sieve)
        #expect(imported.outcome { $0.subject = "[dev] Hello" } == ["label dev"])
    }
}
