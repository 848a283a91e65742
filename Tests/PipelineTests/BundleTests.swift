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

    @Test("messages of a bundle are one line; a message is in one bundle only")
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

    @Test("in the session a bundle is one item, and a bundle of one message is that message")
    func items() {
        let items = InboxItem.items(of: [
            line("a", from: "a@x.example", "bundle.reading"), line("b", from: "b@x.example"),
            line("c", from: "c@x.example", "bundle.reading"), line("d", from: "d@x.example", "bundle.news"),
        ])
        #expect(items.map { $0.messages.map(\.rawValue) } == [["a", "c"], ["b"], ["d"]])
        #expect(items.first?.from == "reading" && items.first?.subject == "2 from 2 senders")
    }

    @Test(
        "a name is one word that can be a label",
        arguments: ["", "a b", "a\nb", String(repeating: "a", count: 65)])
    func names(name: String) { #expect(Bundle(name: name) == nil) }
}
