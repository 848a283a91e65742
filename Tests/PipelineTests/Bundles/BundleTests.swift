import Models
import Testing

@testable import Pipeline

@Suite("Bundles")
struct BundleTests {
    private func line(_ name: String, from: String, _ labels: String...) -> MessageLine {
        let account = AccountID("work")
        let inbox = Mailbox(account: account, name: .inbox, displayName: "INBOX", role: .inbox)
        var facts = MessageFacts(
            id: EmailID(rawValue: name),
            key: MessageKey(account: account, mailbox: .inbox, uidValidity: 1, uid: 1),
            mailbox: inbox, thread: ThreadID(rawValue: name), received: Timestamp(seconds: 1))
        facts.from = [EmailAddress(from)].compactMap(\.self)
        facts.keywords = Set(labels.map { Keyword($0) })
        return MessageLine(facts: facts, shortID: name, states: [])
    }

    @Test("the messages of a bundle are one line, and each message is in one bundle")
    func grouping() throws {
        let news = try #require(Bundle(name: "News"))
        let (single, bundles) = MailBundle.grouping(
            [
                line("a", from: "a@x.example", "bundle.reading"), line("b", from: "B@x.example"),
                line("c", from: "A@x.example", "Bundle.Reading", "bundle.zoo"),
                line("d", from: "d@x.example", "weekly"), line("e", from: "e@x.example", "bundle."),
            ], labels: [Keyword("weekly"): news])
        #expect(single.map(\.shortID) == ["b", "e"])
        #expect(bundles.map(\.words) == ["News: 1 from 1 sender", "reading: 2 from 1 sender"])
    }

    @Test("in opus inbox a bundle is one item, and a bundle of one message is that message")
    func items() {
        let items = InboxItem.items(of: [
            line("a", from: "a@x.example", "bundle.reading"), line("b", from: "b@x.example"),
            line("c", from: "c@x.example", "bundle.reading"), line("d", from: "d@x.example", "bundle.news"),
        ])
        #expect(items.map { $0.messages.map(\.rawValue) } == [["a", "c"], ["b"], ["d"]])
        #expect(items.first?.from == "reading" && items.first?.subject == "2 from 2 senders")
    }

    @Test("in a plan, messages of a bundle with the same actions are one line")
    func planEntries() throws {
        let reading = try #require(Bundle(name: "Reading"))
        let mark = Plan.Decision(rule: "news", action: .mark(.bundle(reading.label)))
        let items = [
            item("a", "Ann", "a@x.example", [mark]), item("b", "Bo", "b@x.example", []),
            item("c", "Cy", "c@x.example", [mark]),
            item("d", "Di", "d@x.example", [mark, Plan.Decision(rule: "old", action: .archive)]),
            item("e", "Ann", "a@x.example", [mark]),
            item("f", "Fay", "f@x.example", [mark], "precious"),
            item("g", "Gus", "g@x.example", [mark]), item("h", "Hal", "h@x.example", [mark]),
        ]
        #expect(
            entries(items) == ["Reading: 5 from 4 senders: Ann, Cy, Gus and 1 more = acegh", "b", "d", "f"])
        #expect(entries(items, .hand) == ["a", "b", "c", "d", "e", "f", "g", "h"])
        #expect(entries([items[0], items[1]]) == ["a", "b"])
    }

    private func item(
        _ name: String, _ writer: String, _ address: String, _ decisions: [Plan.Decision],
        _ protector: String? = nil
    ) -> Plan.Item {
        let account = AccountID("work")
        var item = Plan.Item(
            message: EmailID(rawValue: name),
            key: MessageKey(account: account, mailbox: .inbox, uidValidity: 1, uid: 1),
            thread: ThreadID(rawValue: name), subject: name, date: Timestamp(seconds: 1))
        item.from = EmailAddress(address, displayName: writer)
        item.decisions = decisions
        item.protectedBy = protector
        return item
    }

    private func entries(_ items: [Plan.Item], _ origin: Plan.Origin = .rules(digest: "")) -> [String] {
        var plan = Plan(
            account: AccountID("work"), now: Timestamp(seconds: 1), timeZone: "UTC", origin: origin)
        plan.items = items
        return plan.entries(of: items, labels: [:]).map { entry in
            switch entry {
            case .message(let item): item.subject
            case .bundle(let names, let all): names.words + " = " + all.map(\.subject).joined()
            }
        }
    }

    @Test(
        "an invalid name of a bundle is refused",
        arguments: ["", "a b", "a\nb", String(repeating: "a", count: 65)])
    func names(name: String) { #expect(Bundle(name: name) == nil) }
}
