import Foundation
import MailStore
import Models
import Rules
import TestSupport
import Testing

@testable import Pipeline

/// A search and a rule say the same of every message: what the judge of a rule takes is among what the store selects for the
/// query, whatever letters they hold. `OPUS_SEARCH_QUERIES` asks more queries, `OPUS_RANDOM_SEED` others.
@Suite("Search and rules agree")
struct SearchAgreementTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let queries = environment["OPUS_SEARCH_QUERIES"].flatMap(Int.init) ?? 300
    private static let seed = environment["OPUS_RANDOM_SEED"].flatMap(UInt64.init) ?? 1
    private static let account = AccountID("work")

    /// Letters that are composed, folded, split or joined in several ways.
    private static let pieces = [
        "invoice", "Invoice", "voice", "a", "b", "x1", "42", "2026", "Café", "Cafe\u{301}", "naïve", "Straße",
        "Việt", "Ångström", "łódź", "i\u{307}x", "réſumé",
        "STRASSE", "İstanbul", "ΟΔΟΣ", "οδος", "会議", "明日の会議室", "東", "京A1", "ภาษาไทย", "हिन्दी", "한국어",
        "\u{1112}\u{1161}\u{11AB}", "\u{212A}elvin", "ﬁne", "x²", "½", "\u{E000}", "\u{E000}icon", "don’t",
        "don't",
        "a_b", "foo-bar", "q3.42@acme.example", "ana@x.org", "=\u{338}abc", "≠", "→", "🎉", "\u{200D}",
        "\u{AD}",
        "\u{301}", "x\u{301}y", "ⅷ", "Ⅷ", "Ǆ", "ǆ", "Кот", "кот", "й", "и\u{306}", "\u{0}", "\u{1F}",
        "\u{2028}",
        "\u{A0}", "々", "ｶﾅ", "カ\u{3099}", "𝒳", "Ꭰ", "ა", "Ა",
        String(repeating: "long", count: 40), "the", "or", "and", "*", "(", "\"",
    ]
    private static let joints = [
        "", "", " ", " ", " ", "\n", "-", ".", ", ", "\u{3000}", "\t", "’", "/", "@",
    ]

    private static func text(_ random: inout SeededGenerator, most: Int) -> String {
        (0...random.below(most)).map { _ in
            pieces[random.below(pieces.count)] + joints[random.below(joints.count)]
        }.joined()
    }

    private static func message(_ number: Int, _ random: inout SeededGenerator) -> NewMessage {
        let start = Timestamp(seconds: 1_773_000_000)
        var message = NewMessage(
            uid: UInt32(number + 1), id: EmailID(rawValue: "m\(number)"), fingerprint: "f\(number)",
            thread: ThreadID(rawValue: "m\(number / 3 * 3)"), received: start + Int64(random.below(864_000)),
            size: random.below(5_000))
        message.messageID = random.below(4) > 0 ? MessageID("\(number).x@acme.example") : nil
        message.sent = random.below(4) > 0 ? start + Int64(random.below(864_000)) : nil
        message.subject = text(&random, most: 3)
        message.text = text(&random, most: 12)
        message.from = [
            EmailAddress(
                displayName: random.below(2) > 0 ? text(&random, most: 2) : "",
                localPart: ["ana", "Bob.Lee", "müller", "a b", "x"][random.below(5)],
                domain: ["x.org", "mail.acme.example", "bücher.example", "xn--bcher-kva.example", "org"][
                    random.below(5)])
        ]
        message.to =
            random.below(2) > 0 ? message.from : [EmailAddress(localPart: "ana", domain: "acme.example")]
        if random.below(5) == 0 { message.bcc = [EmailAddress(localPart: "secret", domain: "x.org")] }
        if random.below(3) == 0 {
            message.attachments = [
                Attachment(
                    name: text(&random, most: 2) + ".pdf", contentType: "application/pdf", size: 5,
                    section: "2",
                    isInline: random.below(3) == 0)
            ]
        }
        message.flags = Set(Flag.allCases.filter { _ in random.below(3) == 0 })
        return message
    }

    /// A piece of what a message holds, as a person would type it.
    private static func value(
        _ random: inout SeededGenerator, of messages: [NewMessage], files: [String]
    ) -> String {
        let message = messages[random.below(messages.count)]
        let texts =
            [message.subject, message.text, message.from[0].displayName, message.from[0].addrSpec]
            + message.attachments.map(\.name) + (files.isEmpty ? [] : [files[random.below(files.count)]])
        let letters = Array(random.below(4) > 0 ? texts[random.below(texts.count)] : text(&random, most: 2))
        guard !letters.isEmpty else { return "invoice" }
        let from = random.below(letters.count)
        let part = String(letters[from..<min(letters.count, from + 1 + random.below(9))])
        // As a person types who has no key for the accent.
        return random.below(3) > 0
            ? part : PlainLetters.of(part.precomposedStringWithCanonicalMapping.lowercased())
    }

    private static func term(
        _ random: inout SeededGenerator, of messages: [NewMessage], files: [String]
    ) -> String {
        let fields = [
            "", "", "subject:", "body:", "text:", "from:", "to:", "cc:", "recipient:", "bcc:",
            "attachment:name:", "attachment:text:",
        ]
        let field = fields[random.below(fields.count)]
        let raw = value(&random, of: messages, files: files)
        let quoted = "\"" + raw.replacing("\\", with: "").replacing("\"", with: "") + "\""
        switch random.below(14) {
        case 0: return "is:" + ["unread", "read", "flagged", "answered", "draft"][random.below(5)]
        case 1: return "size" + ["<", ">", "<=", ">=", ":"][random.below(5)] + "\(random.below(5_000))"
        case 2:
            return ["date", "received", "sent"][random.below(3)]
                + ["<", ">", "<=", ">=", ":"][random.below(5)]
                + "2026-03-\(10 + random.below(10))"
        case 3: return ["newer:", "older:", "age<", "age>"][random.below(4)] + "\(random.below(12))d"
        case 4: return ["has:attachment", "has:pdf", "in:inbox", "weekday:mon"][random.below(4)]
        case 5: return "mid:\(random.below(messages.count)).x@acme.example"
        case 6: return "id:m\(random.below(messages.count))"
        case 7, 8: return field + "~" + quoted
        case 9: return (field.isEmpty ? "text:" : field) + "=" + quoted
        case 10: return (field.isEmpty ? "text:" : field) + "*" + raw.filter { !$0.isWhitespace } + "*"
        case 11:
            return [
                "from:@x.org", "from:@acme.example", "to:ana@acme.example", "from:*@*.example",
                "from:ana@bücher.example", "to:ana@xn--bcher-kva.example", "from:@bücher.example",
                "from:*b*@xn--bcher-kva.example", "from:bücher.ex", "from:~x@bücher.example",
                "from:=x@bücher.example", "from:müller@xn--bcher",
            ][random.below(12)]
        case 12: return field + raw.filter { !$0.isWhitespace }
        case _: return field + quoted
        }
    }

    private static func query(
        _ random: inout SeededGenerator, of messages: [NewMessage], files: [String], depth: Int = 2
    ) -> String {
        guard depth > 0, random.below(2) > 0 else {
            return (random.below(6) == 0 ? "-" : "") + term(&random, of: messages, files: files)
        }
        let parts = (0...(1 + random.below(2))).map { _ in
            query(&random, of: messages, files: files, depth: depth - 1)
        }
        switch random.below(5) {
        case 0: return "(" + parts.joined(separator: " or ") + ")"
        case 1: return "-(" + parts.joined(separator: " ") + ")"
        case _: return parts.joined(separator: " ")
        }
    }

    @Test("the search index finds what the rules match, for random queries and messages")
    func agree() throws {
        var random = SeededGenerator(seed: Self.seed)
        let folder = try TemporaryFolder()
        let store = try Store.open(path: folder.path + "/store.sqlite")
        let inbox = Mailbox(account: Self.account, name: .inbox, displayName: "INBOX", role: .inbox)
        try store.sync.saveMailboxes([inbox], of: Self.account)
        let messages = (0..<150).map { Self.message($0, &random) }
        var batch = SyncBatch(account: Self.account, mailbox: .inbox, uidValidity: 7)
        batch.added = messages
        _ = try store.sync.apply(batch)

        // The files of some messages were read, with words that are nowhere else.
        var files: [EmailID: String] = [:]
        for message in messages where !message.attachments.isEmpty && random.below(3) > 0 {
            files[message.id] = "jar" + Self.text(&random, most: 6)
            try store.fileTexts.save(files[message.id] ?? "", unread: 0, of: message.id)
        }
        let facts = try store.messages.facts(.everything(Self.account), including: [.text])
        #expect(facts.count == messages.count)
        var context = RuleContext(now: Timestamp(seconds: 1_773_864_000), timeZone: "Europe/Paris")
        context.me = [EmailAddress(localPart: "ana", domain: "acme.example")]
        let texts = store.fileTexts
        context.fileText = { try? texts.text(of: $0) }
        let none = RuleSet.compile([], accounts: [], readList: { _ in nil }).rules
        var (read, narrowed, hits) = (0, 0, 0)
        for _ in 0..<Self.queries {
            let text = Self.query(&random, of: messages, files: Array(files.values))
            guard case .success(let query) = Query.parse(text, rules: none) else { continue }
            read += 1
            let judged = Set(facts.filter(query.matcher(in: context)).map(\.id))
            let span = query.span(in: context)
            var walk = store.index.walk(
                SearchCondition(query.lookup), account: Self.account, since: span.since, until: span.until)
            let selected = try walk.next(1_000)
            #expect(Set(selected).count == selected.count, "\(text.debugDescription)")
            let missing = judged.subtracting(selected)
            #expect(missing.isEmpty, "\(text.debugDescription) misses \(missing.sorted())")
            hits += judged.count
            if selected.count < messages.count { narrowed += 1 }
            if read % 10 == 0 { try rule(text, judged, facts, context) }
        }
        // Most queries are read, and most of these are narrowed by the store; matches are not rare.
        #expect(read > Self.queries / 2, "\(read)")
        #expect(narrowed > read / 2, "\(narrowed) of \(read)")
        #expect(hits > read, "\(hits)")
    }

    /// The same query as the condition of a rule.
    private func rule(
        _ text: String, _ judged: Set<EmailID>, _ facts: [MessageFacts], _ context: RuleContext
    ) throws {
        let quoted = "'" + text.replacing("'", with: "''") + "'"
        guard
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x2028 || $0.value == 0x7F }
            )
        else { return }
        let source = "rules-version: 1\nrules:\n  - id: r\n    when: \(quoted)\n    then: flag\n"
        let compiled = RuleSet.compile(
            [.init(file: "rules/a.yaml", text: source)], accounts: [], readList: { _ in nil })
        guard !compiled.diagnostics.contains(where: { $0.severity == .error }) else { return }
        let matched = facts.filter { compiled.rules.evaluate($0, in: context).matchedRules == ["r"] }
        #expect(Set(matched.map(\.id)) == judged, "\(text.debugDescription)")
    }
}
