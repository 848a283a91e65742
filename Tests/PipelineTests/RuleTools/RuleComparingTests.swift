import Models
import Rules
import TestSupport
import Testing

@testable import Pipeline

/// A comparison says what asking every rule of every message says, and reads no more than it has to.
@Suite("Rules over history")
struct RuleComparingTests {
    private static let account = AccountID("work")
    private static let inbox = Mailbox(
        account: account, name: .inbox, displayName: "INBOX", delimiter: "/", role: .inbox)
    private static let archive = Mailbox(
        account: account, name: MailboxName("Archive"), displayName: "Archive", role: .archive)

    private static let shapes = [
        "from:@d#.example", "subject:word#", "subject:/w[o0]rd#/", "list-id:*list#*", "body:text#",
        "body:/te(x|y)t#/",
        "is:unread", "is:flagged", "age>#d", "newer:2d", "header:x-number:#", "keyword:k#", "in:archive",
        "text:word#",
    ]

    private static func rules(_ random: inout SeededGenerator) -> RuleSet {
        let actions = [
            "flag", "archive", "{ label: '{{subject}}' }", "{ move: Box# }", "keep", "{ defer: +2 days }",
        ]
        func condition(_ random: inout SeededGenerator) -> String {
            let pair = (0...Int.random(in: 0...1, using: &random)).map { _ in
                shapes.randomElement(using: &random) ?? ""
            }
            return numbered(pair.joined(separator: Bool.random(using: &random) ? " or " : " -"), &random)
        }
        var text = "rules-version: 1\nprotect:\n  - p: '\(condition(&random))'\nrules:\n"
        for number in 0..<12 where Int.random(in: 0..<4, using: &random) > 0 {
            let action = numbered(actions.randomElement(using: &random) ?? "keep", &random)
            text += "  - { id: r\(number), when: '\(condition(&random))', then: \(action)"
            if Int.random(in: 0..<4, using: &random) == 0 {
                text += ", expire: \(numbered("2026-03-1#", &random))"
            }
            text += " }\n"
        }
        let compiled = RuleSet.compile(
            [.init(file: "a.yaml", text: text)], accounts: [], readList: { _ in nil })
        #expect(!compiled.diagnostics.contains { $0.severity == .error }, "\(compiled.diagnostics)")
        return compiled.rules
    }

    private static func numbered(_ text: String, _ random: inout SeededGenerator) -> String {
        text.replacing("#", with: "\(Int.random(in: 0..<4, using: &random))")
    }

    private static func message(_ number: Int, _ random: inout SeededGenerator) -> MessageFacts {
        let id = "m\(number)"
        let day = Workplace.tuesday - Int64(Int.random(in: 0..<400_000, using: &random))
        var facts = MessageFacts(
            id: EmailID(rawValue: id),
            key: MessageKey(account: account, mailbox: .inbox, uidValidity: 1, uid: UInt32(number + 1)),
            mailbox: Bool.random(using: &random) ? inbox : archive, thread: ThreadID(rawValue: id),
            received: day)
        facts.from = [EmailAddress(localPart: "ana", domain: numbered("d#.example", &random))]
        facts.subject = numbered("Re: word# again", &random)
        facts.flags = Bool.random(using: &random) ? [.seen] : [.flagged]
        facts.keywords = [Keyword(numbered("k#", &random))]
        facts.headers = [
            HeaderField(name: "List-Id", body: numbered("<list#.example>", &random)),
            HeaderField(name: "X-Number", body: numbered("#", &random)),
        ]
        facts.text = numbered("Some text# and word#.", &random)
        return facts
    }

    /// What the older way gave: both versions asked, rule by rule, message by message.
    private static func expected(
        _ old: RuleSet, _ new: RuleSet, _ mail: [MessageFacts], _ context: RuleContext, asOfToday: Bool
    ) -> [String: [String]] {
        var lines: [String: [String]] = [:]
        for original in mail {
            var facts = original
            var context = new.havingMailboxes(
                old.havingMailboxes(context, account: account), account: account)
            if !asOfToday {
                facts.mailbox = inbox
                facts.flags = []
                facts.keywords = []
                context.now = facts.received
            }
            let sides = [old, new].map { rules -> [String: [Action]] in
                let evaluation = rules.evaluate(facts, in: context)
                return Dictionary(
                    uniqueKeysWithValues: evaluation.matchedRules.map { rule in
                        (rule, evaluation.decisions.filter { $0.rule == rule }.map(\.action))
                    })
            }
            for rule in Set(sides.flatMap(\.keys)) where sides[0][rule] != sides[1][rule] {
                let kind = sides[0][rule] == nil ? "+" : sides[1][rule] == nil ? "-" : "~"
                lines[rule, default: []].append(
                    "\(kind) \(facts.id) \(sides[0][rule] ?? []) \(sides[1][rule] ?? [])")
            }
        }
        return lines.mapValues { $0.sorted() }
    }

    @Test(
        "for random rules and mail, the comparison equals a judgement of every message by every rule",
        arguments: 0..<120
    )
    func sameAnswers(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let (old, new) = (Self.rules(&random), Self.rules(&random))
        let mail = (0..<60).map { Self.message($0, &random) }
        var context = RuleContext(now: Workplace.tuesday, timeZone: "Europe/Paris")
        context.mailboxes = [Self.inbox, Self.archive]
        let asOfToday = seed % 3 == 0
        var work = RuleComparing(old: old, new: new, samples: 100, asOfToday: asOfToday)
        let sides = work.sides(in: context, account: Self.account)
        let contents = Dictionary(
            uniqueKeysWithValues: mail.map { ($0.id, MessageContent(headers: $0.headers, text: $0.text)) })
        for start in stride(from: 0, to: mail.count, by: 7) {
            let rows = mail[start..<min(start + 7, mail.count)].map { facts in
                var facts = facts
                facts.take(MessageContent(headers: [], text: nil))
                return facts
            }
            work.judge(rows, having: [], by: sides) { ids, needs in
                var found: [EmailID: MessageContent] = [:]
                for id in ids {
                    found[id] = contents[id]
                    if !needs.contains(.text) { found[id]?.text = nil }
                }
                return found
            }
        }
        var lines: [String: [String]] = [:]
        for rule in work.rules {
            for (kind, group) in [("+", rule.gained), ("-", rule.lost), ("~", rule.changed)] {
                #expect(group.count == group.samples.count)
                lines[rule.rule, default: []] += group.samples.map {
                    "\(kind) \($0.message) \($0.before) \($0.after)"
                }
            }
        }
        #expect(
            lines.mapValues { $0.sorted() }
                == Self.expected(old, new, mail, context, asOfToday: asOfToday))
        #expect(work.messages == mail.count)
    }

    @Test("the content of a message is read only if a version needs it")
    func readsNothing() {
        func rules(_ when: String) -> RuleSet {
            RuleSet.compile(
                [
                    .init(
                        file: "a.yaml",
                        text:
                            "rules-version: 1\nrules:\n  - { id: a, when: '\(when)', then: archive }\n  - { id: b, when: 'body:text1', then: flag }\n"
                    )
                ], accounts: [], readList: { _ in nil }
            ).rules
        }
        var random = SeededGenerator(seed: 1)
        let mail = (0..<40).map { Self.message($0, &random) }
        var work = RuleComparing(
            old: rules("subject:word1"), new: rules("subject:word1 or subject:word2"), samples: 0,
            asOfToday: false)
        let sides = work.sides(
            in: RuleContext(now: Workplace.tuesday, timeZone: "UTC"), account: Self.account)
        let read = Locked<Set<EmailID>>([])
        work.judge(mail, having: [], by: sides) { ids, _ in
            read.change { $0.formUnion(ids) }
            return [:]
        }
        let asked = Set(mail.filter { !$0.subject.contains("word1") }.map(\.id))
        #expect(read.value == asked && !asked.isEmpty && asked.count < mail.count)
        #expect(work.messages == mail.count - asked.count, "what left the store meanwhile is not judged")
    }
}
