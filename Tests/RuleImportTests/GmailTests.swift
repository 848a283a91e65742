import Models
import Testing

@testable import RuleImport

@Suite struct GmailImportTests {
    static func feed(_ entries: [[(String, String)]]) -> String {
        let texts = entries.map { properties in
            "<entry><category term='filter'></category><title>Mail Filter</title><content/>\n"
                + properties.map { "<apps:property name='\($0.0)' value='\($0.1)'/>\n" }.joined()
                + "</entry>\n"
        }
        return "<?xml version='1.0' encoding='UTF-8'?><feed xmlns='http://www.w3.org/2005/Atom' "
            + "xmlns:apps='http://schemas.google.com/apps/2006'>\n<title>Mail Filters</title>\n"
            + texts.joined() + "</feed>\n"
    }

    @Test(
        "conditions of filters are translated",
        arguments: [
            ("from", "ana@x.org", "when: { from: 'ana@x.org' }"),
            ("from", "@x.org", "when: { from: '@x.org' }"),
            ("from", "x.org", "- from: ['@x.org', 'x org']"),
            ("from", "anna.smith", "- from: { glob: 'anna.smith@*' }"),
            ("from", "*@x.org", "when: { from: '@x.org' }"),
            ("from", "Ana", "when: { from: 'Ana' }"),
            ("from", "&lt;ana@x.org&gt;", "when: { from: 'ana@x.org' }"),
            ("from", "(a@x.org, b@x.org)", "- from: 'a@x.org'"),
            (
                "to", "undisclosed-recipients",
                "when: { header:To: { contains: 'undisclosed-recipients' } }"
            ),
            ("from", "known", #"when: { from: { matches: '(?i)(?:^|[^\pL\pN])known(?:$|[^\pL\pN])' } }"#),
            ("to", "me", "when: { recipient: 'me' }"),
            ("from", "(a@x.org OR b@x.org)", "when: { from: ['a@x.org', 'b@x.org'] }"),
            ("from", "{a@x.org b@x.org}", "when: { from: ['a@x.org', 'b@x.org'] }"),
            ("from", "a@x.org | b@x.org", "when: { from: ['a@x.org', 'b@x.org'] }"),
            ("to", "team@x.org", "when: { recipient: 'team@x.org' }"),
            ("subject", "&quot;q3 plan&quot;", "when: { subject: 'q3 plan' }"),
            ("subject", "it&apos;s", "when: { subject: 'it''s' }"),
            ("hasTheWord", "invoice", "when: { text: 'invoice' }"),
            (
                "hasTheWord", "list:dev@lists.x.org",
                #"when: { list-id: { matches: '(?i)(?:^|[^\pL\pN])dev\.lists\.x\.org(?:$|[^\pL\pN])' } }"#
            ),
            ("hasTheWord", "has:attachment larger:10M", "has: attachment\n    size: '>10M'"),
            ("hasTheWord", "filename:pdf", "when: { attachment:name: { glob: '*.pdf' } }"),
            ("hasTheWord", "filename:report", "when: { attachment:name: 'report' }"),
            ("hasTheWord", "from:bob -subject:(lunch dinner)", "from: 'bob'"),
            (
                "hasTheWord", "deliveredto:me@x.org",
                #"header:Delivered-To: { matches: '(?i)(?:^|[^\pL\pN])me\@x\.org(?:$|[^\pL\pN])' }"#
            ),
            ("hasTheWord", "older_than:2m", "when: { age: '>60d' }"),
            ("hasTheWord", "before:2026/1/5", "when: { date: '<2026-01-05' }"),
            ("hasTheWord", "is:starred in:spam", "when:"),
            ("doesNotHaveTheWord", "draft test", "not: { text: ['draft', 'test'] }"),
        ])
    func conditions(name: String, value: String, expected: String) throws {
        let imported = try Imported(Self.feed([[(name, value), ("shouldArchive", "true")]]), .gmail)
        #expect(imported.body.contains(expected), "\(imported.body)")
        #expect(imported.result.ruleCount == 1)
        #expect(imported.dropped == [])
    }

    @Test(
        "a word that ends in a colon is a word, and a dash between two words means nothing",
        arguments: [
            ("subject", "Alert:", "when: { subject: 'Alert' }"),
            ("hasTheWord", "AW:", "when: { text: 'AW' }"),
            ("hasTheWord", "subject:(Alert: disk)", "- subject: 'Alert'\n      - subject: 'disk'"),
            ("doesNotHaveTheWord", "Alert:", "not: { text: 'Alert' }"),
            ("hasTheWord", "disk - full", "- text: 'disk'\n      - text: 'full'"),
        ])
    func signs(name: String, value: String, expected: String) throws {
        let imported = try Imported(Self.feed([[(name, value), ("shouldTrash", "true")]]), .gmail)
        #expect(imported.body.contains(expected), "\(imported.body)")
        #expect(imported.dropped == [])
    }

    @Test(
        "a condition that has no words never matches all mail",
        arguments: [
            "from:", "subject:()", "from:(", "list:()", "size:", "filename:", "OR", "|", "()", "{}",
            "&quot;&quot;",
            "&quot;", "-", "-&quot;&quot;", "-from:", "from:*", "from:&quot;&quot;", "{to:}", ",", "+",
            "subject:-",
        ])
    func emptyConditions(value: String) throws {
        for name in ["from", "to", "subject", "hasTheWord", "doesNotHaveTheWord"] {
            let alone = try Imported(Self.feed([[(name, value), ("shouldTrash", "true")]]), .gmail)
            #expect(alone.result.ruleCount == 0, "\(alone.body)")
            #expect(!alone.dropped.isEmpty)
            let other = [("hasTheWord", "size:"), (name, value), ("shouldTrash", "true")]
            #expect(try Imported(Self.feed([other]), .gmail).result.ruleCount == 0)
        }
    }

    @Test("a field with blanks alone does not count")
    func blankField() throws {
        let filter = [("from", "a@x.org"), ("subject", " "), ("shouldTrash", "true")]
        #expect(try Imported(Self.feed([filter]), .gmail).body.contains("when: { from: 'a@x.org' }"))
    }

    @Test("a name with a dot that a filter excepts stays excepted")
    func dottedName() throws {
        let filter = [("from", "x.org"), ("doesNotHaveTheWord", "from:anna.smith"), ("shouldTrash", "true")]
        let imported = try Imported(Self.feed([filter]), .gmail)
        let excepted = try #require(imported.body.firstRange(of: "not:"))
        for part in ["'@anna.smith'", "{ glob: 'anna.smith@*' }", "'anna smith'"] {
            #expect(imported.body[excepted.lowerBound...].contains(part), "\(imported.body)")
        }
    }

    @Test(
        "an excluded word is excluded with any punctuation around it or inside",
        arguments: [
            ("urgent, important", "this is urgent please"), ("urgent!", "urgent"), ("[urgent]", "urgent"),
            ("\u{201C}urgent\u{201D}", "urgent"), ("#urgent", "urgent"), ("urgent,important", "important"),
            ("foo-bar", "foo bar"), ("foo-bar", "foo-bar"), ("\"urgent, please\"", "urgent please"),
            ("\"urgent, please\"", "urgent, please"), ("subject:(x,offer)", "offer"),
            ("\"urgent please\"", "urgent, please"), ("\"e mail\"", "an e-mail"), ("e-mail", "e mail"),
            ("from:(carl,somebody)", "x"), ("from:\"some body\"", "x"), ("from:carl/somebody", "x"),
        ])
    func excludedPunctuation(words: String, subject: String) throws {
        for filter in [
            [("from", "example"), ("doesNotHaveTheWord", words), ("shouldTrash", "true")],
            [("from", "example"), ("hasTheWord", "-{\(words)}"), ("shouldTrash", "true")],
        ] {
            let imported = try Imported(Self.feed([filter]), .gmail)
            let sender = EmailAddress(displayName: "Some-body", localPart: "somebody", domain: "example.net")
            #expect(
                imported.outcome { ($0.subject, $0.from) = (subject, [sender]) } == [], "\(imported.body)")
            let other = EmailAddress(displayName: "Bob", localPart: "bob", domain: "example.org")
            #expect(
                imported.outcome { ($0.subject, $0.from) = ("other", [other]) } == ["trash"],
                "\(imported.body)")
        }
    }

    @Test(
        "a wanted word, an address or a list is not found inside a longer word",
        arguments: [
            ("inv*", "invoice", "reinvention"), ("*vent*", "vent", "invent"), ("=vent", "vent", "invent"),
            ("subject:*vent*", "vent", "invent"), ("&lt;vent", "vent", "invent"),
            ("filename:vention", "vention.txt", "invention.txt"),
            ("from:nan*", "Nan <x@y.example>", "Bob <banana@y.example>"),
            ("from:ana@", "ana@y.example", "banana@y.example"),
            ("from:@foo", "x@foo.example", "x@xfoo.example"),
            ("from:ana@foo", "ana@foo.example", "banana@foo.example"),
            ("from:known", "known@y.example", "unknown@y.example"),
            ("from:me*", "me@y.example", "ana@y.example"),
            ("from:*known*", "known@y.example", "ana@y.example"),
            ("from:@foo*", "x@foo.example", "x@xfoo.example"), ("list:dev", "<dev.x>", "<mydev.x>"),
            ("deliveredto:me", "me@x.example", "some@x.example"),
            ("rfc822msgid:one@x.example", "<one@x.example>", "<done@x.example>"),
        ])
    func wholeWords(query: String, matched: String, passedOver: String) throws {
        let imported = try Imported(Self.feed([[("hasTheWord", query), ("shouldTrash", "true")]]), .gmail)
        #expect(imported.dropped == [])
        for (text, expected) in [(matched, ["trash"]), (passedOver, [])] {
            let outcome = imported.outcome { facts in
                switch query.prefix(while: { $0 != ":" }) {
                case "filename":
                    facts.attachments = [
                        Attachment(name: text, contentType: "text/plain", size: 1, section: "2")
                    ]
                case "from":
                    let parts = text.split { " <>@".contains($0) }.map(String.init)
                    facts.from = [
                        EmailAddress(
                            displayName: parts.count == 3 ? parts[0] : "Bob",
                            localPart: parts[parts.count - 2],
                            domain: parts[parts.count - 1])
                    ]
                case "list": facts.headers.append(HeaderField(name: "List-Id", body: text))
                case "deliveredto": facts.headers.append(HeaderField(name: "Delivered-To", body: text))
                case "rfc822msgid": facts.headers.append(HeaderField(name: "Message-ID", body: text))
                case _: facts.subject = text
                }
            }
            #expect(outcome == expected, "\(text): \(imported.body)")
        }
    }

    @Test("a wanted word has no punctuation at its ends, and keeps the one inside")
    func wantedPunctuation() throws {
        for (words, expected) in [("urgent,", "'urgent'"), ("\"q3, plan\"", "'q3, plan'"), ("c++", "'c++'")] {
            let filter = [("hasTheWord", words), ("shouldArchive", "true")]
            let body = try Imported(Self.feed([filter]), .gmail).body
            #expect(body.contains("when: { text: \(expected) }"), "\(body)")
        }
    }

    @Test(
        "a rule with a condition that changes after arrival is not enabled",
        arguments: ["older_than:30d", "is:read", "-newer_than:2d", "label:done"])
    func changingConditions(query: String) throws {
        let filter = [("from", "a@x.org"), ("hasTheWord", query), ("shouldTrash", "true")]
        let imported = try Imported(Self.feed([filter]), .gmail)
        #expect(imported.body.contains("enabled: false"), "\(imported.body)")
        #expect(imported.changed.contains { $0.contains("not enabled") })
        let other = try Imported(Self.feed([[("from", "a@x.org"), ("shouldTrash", "true")]]), .gmail)
        #expect(!other.body.contains("enabled"))
    }

    @Test(
        "actions of filters are translated",
        arguments: [
            ([("shouldArchive", "true")], "then: archive"),
            ([("shouldTrash", "true"), ("shouldArchive", "true")], "then: trash"),
            ([("shouldStar", "true"), ("shouldMarkAsRead", "true")], "then: [flag, { mark: read }]"),
            ([("forwardTo", "bob@x.org"), ("shouldStar", "true")], "then: [{ forward: 'bob@x.org' }, flag]"),
            ([("label", "work")], "then: { label: 'work' }"),
            ([("label", "Mes amis"), ("shouldArchive", "true")], "then: [{ label: 'Mes-amis' }, archive]"),
        ])
    func actions(properties: [(String, String)], expected: String) throws {
        let imported = try Imported(Self.feed([[("from", "a@x.org")] + properties]), .gmail)
        #expect(imported.body.contains(expected), "\(imported.body)")
    }

    @Test(
        "parts that no rule can express are reported with their lines",
        arguments: [
            ("forwardTo", "*@x.org"), ("shouldNeverSpam", "true"), ("shouldAlwaysMarkAsImportant", "true"),
            ("smartLabelToApply", "^smartlabel_personal"), ("cannedResponse", "x"), ("shouldDance", "true"),
        ])
    func reports(name: String, value: String) throws {
        let imported = try Imported(
            Self.feed([[("from", "a@x.org"), ("shouldStar", "true"), (name, value)]]), .gmail)
        let note = try #require(imported.result.notes.first { $0.kind == .dropped })
        #expect(note.line == 6 && note.piece == "\(name)=\(value)")
        #expect(imported.result.ruleCount == 1)
        #expect(imported.result.text.contains("# Not translated: \(name)="))
    }

    @Test("a size without a number is ignored, and one with a number is a condition")
    func sizes() throws {
        let defaults = [("sizeOperator", "s_sl"), ("sizeUnit", "s_smb")]
        let none = try Imported(
            Self.feed([[("from", "a@x.org"), ("shouldStar", "true")] + defaults]), .gmail)
        #expect(none.body.contains("when: { from: 'a@x.org' }"))
        let some = try Imported(Self.feed([[("size", "5"), ("shouldStar", "true")] + defaults]), .gmail)
        #expect(some.body.contains("when: { size: '>5M' }"))
        let small = [("size", "7"), ("sizeOperator", "s_ss"), ("sizeUnit", "s_skb"), ("shouldStar", "true")]
        #expect(try Imported(Self.feed([small]), .gmail).body.contains("when: { size: '<7K' }"))
    }

    @Test("all matching filters act together, and the trash takes precedence")
    func together() throws {
        let imported = try Imported(
            Self.feed([
                [("subject", "news"), ("label", "one"), ("shouldArchive", "true")],
                [("subject", "news"), ("label", "two")],
                [("subject", "spam"), ("shouldTrash", "true")],
            ]), .gmail)
        #expect(imported.outcome { $0.subject = "news" } == ["label one", "label two", "archive"])
        #expect(imported.outcome { $0.subject = "news spam" } == ["label one", "label two", "trash"])
    }

    @Test("OR binds tighter than AND, and this is reported where it matters")
    func precedence() throws {
        let imported = try Imported(
            Self.feed([[("hasTheWord", "subject:a OR subject:b subject:c"), ("shouldStar", "true")]]), .gmail)
        #expect(imported.outcome { $0.subject = "a c" } == ["flag"])
        #expect(imported.outcome { $0.subject = "a" } == [])
        #expect(imported.changed.contains { $0.hasPrefix("read as: OR") })
    }

    @Test("words that must be near each other are reported, and make no rule")
    func near() throws {
        let imported = try Imported(
            Self.feed([[("hasTheWord", "holiday AROUND 10 trip"), ("label", "a")]]), .gmail)
        #expect(imported.result.ruleCount == 0)
        #expect(imported.dropped.contains("opus cannot search for words that are near one another"))
    }

    @Test("an unknown term narrows a filter and never widens it")
    func unknown() throws {
        let any = try Imported(
            Self.feed([[("hasTheWord", "{category:social subject:x}"), ("shouldStar", "true")]]), .gmail)
        #expect(any.body.contains("when: { subject: 'x' }"))
        let all = try Imported(
            Self.feed([[("hasTheWord", "category:social subject:x"), ("shouldStar", "true")]]), .gmail)
        #expect(all.result.ruleCount == 0 && all.result.text.contains("# Not translated: line 3"))
        let without = try Imported(
            Self.feed([[("hasTheWord", "x -category:social"), ("shouldStar", "true")]]), .gmail)
        #expect(without.result.ruleCount == 0)
    }
}
