import Models
import Rules
import TestSupport
import Testing

@testable import Planner

/// Header and text are read for the messages alone whose rules ask for them, and the plan is the same.
@Suite struct JudgingTests {
    static let rules = """
        rules-version: 1
        protect:
          - bulk of ours: list-id:*ours*
        rules:
          - { id: sender, when: from:ana@example.org subject:quick, then: archive }
          - { id: list, when: list-id:*news*, then: { label: news } }
          - { id: words, when: body:invoice, then: { task: { title: 'Pay {{subject}}' } } }
          - { id: rest, when: -subject:nothing, then: flag }
        """

    /// Content to read, and what was read, in order.
    final class Reader: Sendable {
        let asked = Locked<[(ids: [EmailID], needs: FactNeeds)]>([])
        let gone: Set<EmailID>

        init(gone: Set<EmailID> = []) { self.gone = gone }

        var count: Int { asked.value.count }

        func read(_ full: [EmailID: MessageFacts], _ ids: [EmailID], _ needs: FactNeeds) -> [EmailID:
            MessageContent]
        {
            asked.change { $0.append((ids, needs)) }
            var contents: [EmailID: MessageContent] = [:]
            for id in ids where !gone.contains(id) {
                contents[id] = full[id].map {
                    MessageContent(headers: $0.headers, text: needs.contains(.text) ? $0.text : nil)
                }
            }
            return contents
        }
    }

    static let full = messages(60)

    private static func messages(_ count: Int) -> [MessageFacts] { (1...count).map(message) }

    private static func message(_ number: Int) -> MessageFacts {
        var facts = Sample.facts(UInt32(number), thread: "t\(number / 2)")
        facts.subject = ["quick", "slow", "nothing"][number % 3]
        facts.text = number % 5 == 0 ? "an invoice" : "words"
        let list = number % 4 == 0 ? "news" : number % 7 == 0 ? "ours" : "others"
        facts.headers = [HeaderField(name: "List-Id", body: "<\(list).example.org>")]
        if number % 10 == 0 {
            facts.openTodos = [TodoID("x")]
            facts.headers.append(HeaderField(name: "References", body: "<\(number)@example.org>"))
        }
        return facts
    }

    private func rules() -> RuleSet {
        let (rules, diagnostics) = RuleSet.compile(
            [RuleSet.Source(file: "rules/a.yaml", text: Self.rules)], accounts: [], readList: { _ in nil })
        #expect(diagnostics.filter { $0.severity == .error } == [])
        return rules
    }

    private var context: RuleContext {
        var context = RuleContext(now: Sample.now, timeZone: "Europe/Paris")
        context.mailboxes = [Sample.inbox, Sample.archive]
        return context
    }

    private func plan(_ rules: RuleSet, _ inbox: [MessageFacts], _ reader: Reader) -> Plan {
        let full = Dictionary(uniqueKeysWithValues: inbox.map { ($0.id, $0) })
        return Planning.decide(
            inbox: inbox.map(\.withoutContent), rules: rules, context: context, account: Sample.account,
            rulesDigest: "d1",
            mailboxes: [], todoRules: [:]
        ) { reader.read(full, $0, $1) }
    }

    @Test func `the plan is the same as with all facts loaded`() {
        let rules = rules()
        let complete = Planning.decide(
            inbox: Self.full, rules: rules, context: context, account: Sample.account, rulesDigest: "d1",
            mailboxes: [])
        let reader = Reader()
        #expect(plan(rules, Self.full, reader) == complete)
        #expect(complete.items.count { !$0.isUntouched } > 30)
        #expect(reader.count == 2, "once for the headers, once for the texts")
    }

    @Test func `rules that test only senders read no content`() throws {
        let (rules, _) = RuleSet.compile(
            [
                RuleSet.Source(
                    file: "rules/a.yaml",
                    text: "rules-version: 1\nrules:\n  - { id: a, when: from:@example.org, then: archive }\n"
                        + "  - { id: b, when: body:x from:@nobody.example, then: flag }")
            ], accounts: [], readList: { _ in nil })
        let reader = Reader()
        #expect(plan(rules, Self.full, reader).items.allSatisfy { $0.disposition == .archive })
        #expect(reader.count == 0)
    }

    @Test func `a message that left the store in the meantime is kept`() {
        let reader = Reader(gone: Set(Self.full.map(\.id)))
        #expect(plan(rules(), Self.full, reader).items.allSatisfy { $0.isUntouched })
    }

    /// They are judged in several parts at once.
    @Test func `each of many messages is judged as on its own`() throws {
        let rules = rules()
        let inbox = Self.messages(9_001)
        let plan = plan(rules, inbox, Reader())
        #expect(plan.items.map(\.message) == inbox.map(\.id))
        for (item, facts) in zip(plan.items, inbox) where facts.openTodos.isEmpty && facts.key.uid % 17 == 0 {
            let alone = rules.evaluate(facts, in: context)
            #expect(item.decisions.map(\.rule) == alone.decisions.map(\.rule), "\(facts.id)")
        }
        // The fields by which a conversation finds its tasks belong to their message.
        let full = Dictionary(uniqueKeysWithValues: inbox.map { ($0.id, $0) })
        let judging = Judging(
            [.init(messages: inbox.map(\.withoutContent), rules: rules)], context: context, isComplete: false
        ) { Reader().read(full, $0, $1) }
        #expect(
            judging.inbox.map { $0.headers.map(\.body) }
                == inbox.map { $0.openTodos.isEmpty ? [] : $0.headers.suffix(1).map(\.body) })
    }

    @Test func `an error of the store ends the judgement of many messages`() {
        struct Broken: Error {}
        #expect(throws: Broken.self) {
            _ = try Planning.decide(
                inbox: Self.messages(9_000).map(\.withoutContent), rules: rules(), context: context,
                account: Sample.account, rulesDigest: "d", mailboxes: [], todoRules: [:]
            ) { ids, _ throws(Broken) in
                guard ids.contains(EmailID(rawValue: "m8999")) else { return [:] }
                throw Broken()
            }
        }
    }
}

extension MessageFacts {
    fileprivate var withoutContent: MessageFacts {
        var bare = self
        bare.take(MessageContent())
        return bare
    }
}
