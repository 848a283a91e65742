import Testing

@testable import RuleImport

@Suite struct ThunderbirdImportTests {
    static func file(_ condition: String, _ lines: String = "action=\"Mark flagged\"", type: String = "17")
        -> String
    {
        "version=\"9\"\nlogging=\"no\"\nname=\"One\"\nenabled=\"yes\"\ntype=\"\(type)\"\n\(lines)\ncondition=\"\(condition)\"\n"
    }

    @Test(
        "conditions are translated",
        arguments: [
            ("AND (subject,contains,invoice)", "when: { subject: { contains: 'invoice' } }"),
            (
                "OR (subject,contains,a) OR (subject,contains,b)",
                "when: { subject: { contains: ['a', 'b'] } }"
            ),
            ("AND (from,is,ana@x.org)", "when: { from: { equals: 'ana@x.org' } }"),
            ("AND (subject,begins with,Re:)", "when: { subject: { glob: 'Re:*' } }"),
            ("AND (from,ends with,@x.org)", "when: { from: { glob: '*@x.org' } }"),
            ("AND (subject,doesn't contain,x)", "not: { subject: { contains: 'x' } }"),
            ("AND (to or cc,contains,me@x.org)", "- cc: { contains: 'me@x.org' }"),
            ("AND (all addresses,contains,x.org)", "- recipient: { contains: 'x.org' }"),
            ("AND (size,is greater than,100)", "when: { size: '>100K' }"),
            ("AND (age in days,is greater than,30)", "when: { age: '>30d' }"),
            ("AND (date,is before,05-Jan-2026)", "when: { date: '<2026-01-05' }"),
            ("AND (status,is,read)", "when: { is: read }"),
            ("AND (tag,contains,$label1)", "when: { label: '$label1' }"),
            ("AND (has attachment status,is,true)", "when: { has: attachment }"),
            ("AND (\\\"X-Spam\\\",contains,yes)", "when: { header:X-Spam: { contains: 'yes' } }"),
            ("AND (subject,contains,\\\"a) b, c\\\")", "when: { subject: { contains: 'a) b, c' } }"),
            ("ALL", "when: '*'"),
        ])
    func conditions(condition: String, expected: String) throws {
        let imported = try Imported(Self.file(condition), .thunderbird)
        #expect(imported.body.contains(expected), "\(imported.body)")
        #expect(imported.dropped == [])
    }

    @Test("a filter that tests age or state once, on arrival, is not enabled; a periodic one is")
    func changingConditions() throws {
        for condition in [
            "AND (age in days,is greater than,30)", "AND (status,is,read)", "AND (tag,contains,x)",
        ] {
            let once = try Imported(Self.file(condition), .thunderbird)
            #expect(once.body.contains("enabled: false"), "\(once.body)")
            #expect(once.changed.contains { $0.contains("not enabled") })
            let periodic = try Imported(Self.file(condition, type: "273"), .thunderbird)
            #expect(!periodic.body.contains("enabled: false"), "\(periodic.body)")
        }
    }

    @Test(
        "actions are translated",
        arguments: [
            (
                "action=\"Move to folder\"\nactionValue=\"imap://me@x.org/Lists/Swift\"",
                "then: { move: 'Lists/Swift' }"
            ),
            (
                "action=\"Move to folder\"\nactionValue=\"imap://me@x.org/Caf%C3%A9\"",
                "then: { move: 'Café' }"
            ),
            (
                "action=\"Move to folder\"\nactionValue=\"imap://me@x.org/Entw&APw-rfe/R&-D\"",
                "then: { move: 'Entwürfe/R&D' }"
            ),
            (
                "action=\"Move to folder\"\nactionValue=\"imap://me@x.org/R&D\"",
                "then: { move: 'R&D' }"
            ),
            (
                "action=\"Copy to folder\"\nactionValue=\"imap://me@x.org/Entw&APw-rfe/A\"",
                "then: { copy: 'Entwürfe/A' }"
            ),
            (
                "action=\"Copy to folder\"\nactionValue=\"imap://me@x.org/A\"\naction=\"Delete\"",
                "then: [{ copy: 'A' }, trash]"
            ),
            ("action=\"Mark read\"\naction=\"Delete\"", "then: [{ mark: read }, trash]"),
            ("action=\"Mark unread\"", "then: { mark: unread }"),
            ("action=\"AddTag\"\nactionValue=\"$label1\"", "then: { label: '$label1' }"),
            ("action=\"Label\"\nactionValue=\"3\"", "then: { label: '$label3' }"),
            ("action=\"JunkScore\"\nactionValue=\"100\"", "then: junk"),
            ("action=\"Forward\"\nactionValue=\"a@x.org\"", "then: { forward: 'a@x.org' }"),
            ("action=\"Mark flagged\"\naction=\"Stop execution\"", "then: flag\n  stop: true"),
        ])
    func actions(lines: String, expected: String) throws {
        let imported = try Imported(Self.file("AND (subject,contains,x)", lines), .thunderbird)
        #expect(imported.body.contains(expected), "\(imported.body)")
    }

    @Test(
        "parts that no rule can express are reported with their lines",
        arguments: [
            ("Copy to folder", "imap://me@x.org/INBOX"), ("Copy to folder", "x"), ("Forward", "@x.org"),
            ("Reply", "x"),
            ("Change priority", "High"),
            ("Watch thread", ""), ("Custom", "z"),
        ])
    func reports(action: String, value: String) throws {
        let imported = try Imported(
            Self.file("ALL", "action=\"Mark read\"\naction=\"\(action)\"\nactionValue=\"\(value)\""),
            .thunderbird)
        #expect(imported.result.notes.first?.line == 7)
        #expect(imported.body.contains("then: { mark: read }"))
    }

    @Test("a folder of another account is reported, and does not become a mailbox of this one")
    func otherAccount() throws {
        func lines(_ action: String, _ folder: String) -> String {
            "action=\"\(action) to folder\"\nactionValue=\"imap://\(folder)\""
        }
        let own = lines("Copy", "me@x.org/A") + "\n" + lines("Copy", "me@x.org/B") + "\n"
        for action in ["Copy", "Move"] {
            let imported = try Imported(
                Self.file("ALL", own + lines(action, "carl@y.org/C")), .thunderbird)
            #expect(imported.body.contains("'A'") && imported.body.contains("'B'"), "\(imported.body)")
            #expect(!imported.body.contains("'C'"))
            #expect(imported.dropped == ["a folder of another account (carl@y.org)"])
            #expect(imported.changed.contains { $0.hasPrefix("taken for the account of these filters") })
            // Without the copy, the only one would be trashed.
            let elsewhere = lines(action, "carl@y.org/C")
            let delete = "action=\"Delete\""
            for pair in [elsewhere + "\n" + delete, delete + "\n" + elsewhere] {
                let imported = try Imported(Self.file("ALL", own + pair), .thunderbird)
                #expect(!imported.outcome { _ in }.contains("trash"), "\(imported.body)")
            }
        }
        let spelled =
            lines("Copy", "me%40x.org@IMAP.x.org:993/A") + "\n" + lines("Move", "me@x.org@imap.x.org/B")
        #expect(try Imported(Self.file("ALL", spelled), .thunderbird).dropped.isEmpty)
    }

    @Test("a comparison with an empty sender is reported: only a name can be empty")
    func emptySender() throws {
        let imported = try Imported(Self.file("AND (from,is,)", "action=\"Delete\""), .thunderbird)
        #expect(imported.result.ruleCount == 0 && !imported.dropped.isEmpty)
    }

    @Test("an unknown condition narrows a filter and never widens it")
    func unknown() throws {
        let any = try Imported(Self.file("OR (priority,is,High) OR (subject,contains,x)"), .thunderbird)
        #expect(any.body.contains("when: { subject: { contains: 'x' } }"))
        let all = try Imported(
            Self.file("AND (from,is in ab,moz-abmdbdirectory://a) AND (subject,contains,x)"), .thunderbird)
        #expect(all.result.ruleCount == 0)
    }

    @Test("a disabled filter, and one that does not run on arrival, becomes a disabled rule")
    func disabled() throws {
        let off = try Imported(Self.file("ALL").replacing("\"yes\"", with: "\"no\""), .thunderbird)
        #expect(off.body.contains("enabled: false") && off.outcome { _ in } == [])
        let manual = try Imported(Self.file("ALL", type: "16"), .thunderbird)
        #expect(manual.body.contains("enabled: false") && manual.changed.count == 1)
        #expect(try Imported(Self.file("ALL"), .thunderbird).outcome { _ in } == ["flag"])
    }

    @Test(
        "a filter on dates has a test with mail that it matches", arguments: ["is after", "is before", "is"])
    func dates(relation: String) throws {
        let imported = try Imported(Self.file("AND (date,\(relation),5-Jan-2026)"), .thunderbird)
        #expect(imported.result.text.contains("one takes its mail"))
    }

    @Test("two filters with one name become two rules")
    func names() throws {
        let imported = try Imported(Self.file("ALL") + Self.file("ALL"), .thunderbird)
        #expect(imported.body.contains("id: one\n") && imported.body.contains("id: one-2\n"))
    }
}
