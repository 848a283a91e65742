import Models
import Testing

@testable import Rules

@Suite("Rules as a Sieve script")
struct SieveExportTests {
    static func export(_ rules: String, head: String = "") -> SieveExport {
        let (set, diagnostics) = RuleSet.compile(
            [.init(file: "rules/x.yaml", text: "rules-version: 1\n" + head + "rules:\n" + rules)],
            accounts: [],
            readList: { _ in nil })
        #expect(diagnostics.filter { $0.severity == .error }.isEmpty, "\(diagnostics)")
        return SieveExport(
            set, account: AccountID("work"),
            me: [EmailAddress(displayName: "", localPart: "ana", domain: "x.org")],
            mailboxes: [mailbox("Ablage", .archive), mailbox("Shop")],
            today: LocalDateTime(secondsSinceEpoch: 1_773_100_800).date
        ) { action in
            switch action {
            case .trash: "Trash"
            case .junk: "Junk"
            case _: "Archive"
            }
        }
    }

    private static func mailbox(_ name: String, _ role: MailboxRole? = nil) -> Mailbox {
        Mailbox(account: AccountID("work"), name: MailboxName(name), displayName: name, role: role)
    }

    /// The lines of the script behind `require`, and comments, in one.
    static func body(_ rules: String, head: String = "") -> String {
        export(rules, head: head).text.split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { !$0.hasPrefix("#") && !$0.hasPrefix("require") }.joined(separator: " ")
    }

    static func test(_ when: String) -> String {
        let text = body("  - { id: a, when: '\(when)', then: archive }\n")
        guard text.hasPrefix("if "), let end = text.firstRange(of: " { fileinto") else { return text }
        return String(text[text.index(text.startIndex, offsetBy: 3)..<end.lowerBound])
    }

    @Test(
        "each condition has a Sieve test",
        arguments: [
            ("from:ana@x.org", #"address :is "from" "ana@x.org""#),
            ("from:@x.org", #"address :domain :matches "from" ["x.org", "*.x.org"]"#),
            ("to:*@x.org", #"address :matches "to" "*@x.org""#),
            (
                "recipient:me",
                #"anyof (address :is ["to", "cc"] "ana@x.org", address :matches ["to", "cc"] "ana+*@x.org")"#
            ),
            ("from:bob", #"header :regex "from" "(^|[^[:alnum:]Ā-Ŀ])bob""#),
            ("subject:invoice", #"header :regex "subject" "(^|[^[:alnum:]Ā-Ŀ])invoice""#),
            (
                #"subject:"q3 plan""#,
                #"header :regex "subject" "(^|[^[:alnum:]Ā-Ŀ])q3[[:space:]]+plan""#
            ),
            ("subject:=Hello", #"header :is "subject" "hello""#),
            ("subject:*50?off*", #"header :matches "subject" "*50?off*""#),
            (#"subject:/^\[\d+\]/"#, #"header :comparator "i;octet" :regex "subject" "^\\[[0-9]+\\]""#),
            (
                #"subject:/(?i)\binvoice\b/"#,
                #"header :regex "subject" "(^|[^[:alnum:]_])invoice([^[:alnum:]_]|$)""#
            ),
            (#"from:~"@x.org""#, #"address :contains "from" "@x.org""#),
            (#"from:"ana@x""#, #"address :regex "from" "(^|[^[:alnum:]Ā-Ŀ])ana@x""#),
            (#"from:"ana@x.org""#, #"address :is "from" "ana@x.org""#),
            ("header:Received#1:~mx", #"header :index 1 :contains "received" "mx""#),
            ("header:Received#-2:=mx", #"header :index 2 :last :is "received" "mx""#),
            ("header:Received#2", #"header :index 2 :contains "received" """#),
            ("subject:*", #"header :matches "subject" "?*""#), ("header:X-Spam:*", #"exists "x-spam""#),
            ("list-id:*", #"exists "list-id""#),
            ("size>2K", "size :over 2048"), ("size>=2K", "size :over 2047"), ("size<2K", "size :under 2048"),
            ("size<=2K", "size :under 2049"), ("is:unread subject:=a", #"header :is "subject" "a""#),
            (
                "attachment:name:*.pdf",
                #"anyof ( header :mime :anychild :param "filename" :matches "Content-Disposition" "*.pdf","#
                    + #" header :mime :anychild :param "name" :matches "Content-Type" "*.pdf" )"#
            ),
            ("-from:ana@x.org", #"not address :is "from" "ana@x.org""#),
            (
                "from:a@x.org or subject:=b",
                #"anyof (address :is "from" "a@x.org", header :is "subject" "b")"#
            ),
            ("in:inbox -is:flagged from:a@x.org", #"address :is "from" "a@x.org""#),
        ])
    func conditions(when: String, test: String) { #expect(Self.test(when) == test) }

    @Test(
        "a condition that is never true at delivery makes no command",
        arguments: ["is:flagged", "label:a", "in:archive", "is:read"])
    func never(when: String) { #expect(Self.body("  - { id: a, when: '\(when)', then: archive }\n").isEmpty) }

    @Test("mail is left to opus if only opus can tell whether a word begins there, as in réunion")
    func wordBegin() {
        let export = Self.export(
            "  - { id: a, when: 'subject:union', then: trash }\n  - { id: b, when: '-subject:union', then: { move: A } }\n"
        )
        let certain = #"header :regex "subject" "(^|[^[:alnum:]Ā-Ŀ])union""#
        let possible = #"header :regex "subject" "(^|[^[:alnum:]])union""#
        #expect(export.text.contains("if \(certain) {\n    fileinto \"Trash\""), "\(export.text)")
        #expect(export.text.contains("if \(possible) {\n    # Left to opus"))
        #expect(export.text.contains("if not \(possible) {\n    fileinto \"A\""))
        #expect(export.text.contains("if not \(certain) {\n    # Left to opus"))
        #expect(export.notes.isEmpty)
    }

    @Test("mail that may have a file is left to opus, unless the server is certain")
    func files() {
        let export = Self.export("  - { id: a, when: '-has:attachment', then: trash }\n")
        #expect(export.notes.map(\.piece) == ["has:attachment"])
        #expect(
            Self.body("  - { id: a, when: '-has:attachment', then: trash }\n").hasPrefix("if not anyof ("))
        let positive = Self.body("  - { id: a, when: 'has:attachment', then: archive }\n")
        #expect(
            positive.hasPrefix(#"if header :mime :anychild :matches "Content-Disposition" "attachment*" {"#))
        #expect(
            positive.contains(#""application/*""#),
            "the others stay in the inbox, and later rules do not move them")
    }

    @Test(
        "a rule that is not for the inbox, or that has expired, is not in the script",
        arguments: [
            ("mailboxes: [Archive]", "mailboxes: it is not for the inbox"),
            ("mailboxes: [Sent]", "mailboxes: it is not for the inbox"),
            ("expire: 2026-03-09", "expire: 2026-03-09: it has expired"),
        ])
    func absent(scope: String, note: String) {
        let export = Self.export(
            "  - { id: a, \(scope), when: '*', then: trash }\n  - { id: b, when: 'subject:=b', then: archive }\n"
        )
        #expect(export.ruleCount == 1)
        #expect(!export.text.contains("Trash"))
        #expect(export.text.contains("Archive"), "later rules act as if it were not there")
        #expect(export.notes.map { "\($0.piece): \($0.reason)" } == [note])
    }

    @Test(
        "mail of a rule that depends on the time stays in the inbox",
        arguments: ["expire: 2026-03-10", "on: daily 07:00"])
    func timed(scope: String) {
        let export = Self.export(
            "  - { id: a, \(scope), when: 'subject:=a', then: archive }\n"
                + "  - { id: b, when: 'from:@x.org', then: trash }\n")
        #expect(export.ruleCount == 1)
        #expect(!export.text.contains("Archive"))
        #expect(export.text.contains("Left to opus"))
        #expect(export.notes.map(\.piece) == [scope])
    }

    @Test("a rule for the inbox and another mailbox is in the script, and a mailbox has the server's name")
    func mailboxes() {
        let scope = "mailboxes: [inbox, Archive]"
        let inboxToo = Self.body("  - { id: a, \(scope), when: 'subject:=a', then: { move: archive } }\n")
        #expect(inboxToo.contains(#"fileinto "Ablage""#))
        #expect(
            Self.body("  - { id: a, when: 'subject:=a', then: [ { copy: shop }, { move: None } ] }\n")
                .contains(#"fileinto :copy :flags "" "Shop"; fileinto "None""#))
    }

    @Test(
        "a condition that Sieve cannot test leaves its mail in the inbox and ends the script for it")
    func unknown() {
        let export = Self.export(
            "  - { id: a, when: 'from:a@x.org age>3d', then: archive }\n  - { id: b, when: 'subject:=b', then: trash }\n"
        )
        #expect(export.text.contains("if address :is \"from\" \"a@x.org\" {\n    # Left to opus"))
        #expect(export.text.contains("fileinto \"Trash\""))
        #expect(!export.text.contains("fileinto \"Archive\""))
        #expect(export.notes.map(\.piece) == ["age>3d"])
        #expect(export.ruleCount == 1)
    }

    @Test("an alternative that Sieve cannot test is left to opus, and the others are exported")
    func partly() {
        let text = Self.body("  - { id: a, when: 'from:a@x.org or age>3d', then: archive }\n")
        #expect(
            text.hasPrefix(
                "if address :is \"from\" \"a@x.org\" { fileinto \"Archive\"; stop; } if true { stop; }"))
    }

    @Test("an exception that Sieve cannot test keeps the mail")
    func exception() {
        let text = Self.body(
            "  - { id: a, when: 'from:a@x.org', unless: 'age>3d or subject:=b', then: archive }\n")
        #expect(
            text == "if allof (address :is \"from\" \"a@x.org\", not header :is \"subject\" \"b\") { stop; }")
    }

    @Test("mail with a task stays in the inbox; without a move, its marks are exported")
    func actions() {
        #expect(
            Self.body("  - { id: a, when: 'subject:=a', then: [{ task: Pay }, archive] }\n")
                == "if header :is \"subject\" \"a\" { stop; }")
        #expect(
            Self.body(
                "  - { id: a, when: 'subject:=a', then: [{ task: Pay }, { label: bill }, flag, { mark: read }] }\n"
            )
                == #"if header :is "subject" "a" { addflag "bill"; addflag "\\Flagged"; addflag "\\Seen"; stop; }"#
        )
    }

    @Test("no later rule moves mail for which opus has something left to do, also of a branch of choose")
    func leftover() {
        let later = "  - { id: z, when: 'subject:=z', then: archive }\n"
        #expect(
            Self.body("  - { id: a, when: 'subject:=a', then: { task: Pay } }\n" + later)
                .hasPrefix(#"if header :is "subject" "a" { stop; }"#))
        #expect(
            Self.body("  - { id: a, when: 'subject:=a age>3d', then: { copy: Shop } }\n" + later)
                .hasPrefix(#"if header :is "subject" "a" { stop; }"#))
        #expect(
            Self.body("  - { id: a, when: 'subject:=a age>3d', then: flag }\n" + later)
                .hasPrefix(#"if header :is "subject" "z" { fileinto"#))
        let branches = """
              - choose:
                  - { id: a, when: 'from:known', then: { task: Pay } }
                  - { id: b, when: 'subject:=b', then: { move: None } }

            """
        #expect(Self.body(branches + later) == "if true { stop; }")
    }

    @Test("a bundle is exported as a label")
    func bundle() {
        #expect(
            Self.body("  - { id: a, when: 'subject:=a', then: [{ bundle: Reading }] }\n")
                == #"if header :is "subject" "a" { addflag "bundle.Reading"; }"#)
    }

    @Test("a protection that Sieve can test overrides every filing, and others are reported")
    func protection() {
        let head = "protect: [{ people: 'from:@vip.org' }, { open: has:open-task }]\n"
        let export = Self.export("  - { id: a, when: 'subject:=a', then: archive }\n", head: head)
        #expect(
            export.text.contains(
                "    if address :domain :matches \"from\" [\"vip.org\", \"*.vip.org\"] { stop; }\n    fileinto"
            ))
        #expect(export.notes.map(\.rule) == ["open"])
    }

    @Test("only the first matching rule of a group acts")
    func choose() {
        let text = Self.body(
            "  - choose:\n      - { id: a, when: 'subject:=a', then: flag }\n      - { id: b, when: '*', then: trash }\n"
        )
        #expect(
            text
                == #"if header :is "subject" "a" { addflag "\\Flagged"; } if not header :is "subject" "a" { fileinto "Trash"; stop; }"#
        )
    }

    @Test("hostile text stays inside its string")
    func quoting() {
        let text = Self.body(
            #"  - { id: a, when: { subject: { equals: 'a" { discard; } \ "' } }, then: { move: 'x"; discard; "' } }"#
                + "\n")
        #expect(text.contains(#""a\" { discard; } \\ \"""#))
        #expect(text.contains(#"fileinto "x\"; discard; \"";"#))
    }

    @Test(
        "patterns of RE2 become POSIX patterns, or are left out",
        arguments: [
            (#"(?i)a\d+"#, "a[0-9]+"), (#"(?:a|b)\s"#, "(a|b)[[:space:]]"),
            (#"(?P<n>\w+)"#, "([[:alnum:]_]+)"),
            (#"a.*?b"#, "a.*b"), (#"[\d-]x"#, "[0-9-]x"), (#"[^\s]"#, "[^[:space:]]"), (#"a\.b"#, #"a\.b"#),
            (#"\pL"#, nil), (#"a\bb"#, nil), (#"(?m)^a"#, nil), (#"\bfoo|bar"#, nil), (#"\x41"#, nil),
        ] as [(String, String?)])
    func patterns(source: String, translated: String?) {
        #expect(SievePattern.translate(source)?.text == translated)
    }
}
