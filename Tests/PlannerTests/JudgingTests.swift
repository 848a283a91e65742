import Models
import Rules
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

    /// What was asked for, in order.
    final class Reader {
        var asked: [(ids: [EmailID], needs: FactNeeds)] = []
        var gone: Set<EmailID> = []

        func read(_ full: [MessageFacts], _ ids: [EmailID], _ needs: FactNeeds) -> [EmailID: MessageContent] {
            asked.append((ids, needs))
            var contents: [EmailID: MessageContent] = [:]
            for facts in full where ids.contains(facts.id) && !gone.contains(facts.id) {
                contents[facts.id] = MessageContent(
                    headers: facts.headers, text: needs.contains(.text) ? facts.text : nil)
            }
            return contents
        }
    }

    static let full: [MessageFacts] = (1...60).map { number in
        var facts = Sample.facts(UInt32(number), thread: "t\(number / 2)")
        facts.subject = ["quick", "slow", "nothing"][number % 3]
        facts.text = number % 5 == 0 ? "an invoice" : "words"
        let list = number % 4 == 0 ? "news" : number % 7 == 0 ? "ours" : "others"
        facts.headers = [HeaderField(name: "List-Id", body: "<\(list).example.org>")]
        if number % 10 == 0 { facts.openTodos = [TodoID("x")] }
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
        let bare = inbox.map { facts in
            var bare = facts
            bare.take(MessageContent())
            return bare
        }
        return Planning.decide(
            inbox: bare, rules: rules, context: context, account: Sample.account, rulesDigest: "d1",
            mailboxes: [], todoRules: [:]
        ) { reader.read(inbox, $0, $1) }
    }

    @Test func `the plan is the same as with all facts loaded`() {
        let rules = rules()
        let complete = Planning.decide(
            inbox: Self.full, rules: rules, context: context, account: Sample.account, rulesDigest: "d1",
            mailboxes: [])
        let reader = Reader()
        #expect(plan(rules, Self.full, reader) == complete)
        #expect(complete.items.count { !$0.isUntouched } > 30)
        #expect(reader.asked.count == 2, "once for the headers, once for the texts")
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
        #expect(reader.asked.isEmpty)
    }

    @Test func `a message that left the store in the meantime is kept`() {
        let reader = Reader()
        reader.gone = Set(Self.full.map(\.id))
        #expect(plan(rules(), Self.full, reader).items.allSatisfy { $0.isUntouched })
    }
}
