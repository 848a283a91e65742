import MailStore
import Models
import Testing

/// What the screener and the list of senders know.
@Suite struct SenderTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    private func mail(
        _ name: String, uid: UInt32, from: String, to: String = "ana@acme.example", received: Int64 = 1_000,
        header: String = "", flags: Set<Flag> = []
    ) -> NewMessage {
        var message = newMessage(name, uid: uid, received: received)
        message.from = [EmailAddress(from)].compactMap(\.self)
        message.to = [EmailAddress(to)].compactMap(\.self)
        message.headerBlock = Array(header.utf8)
        message.flags = flags
        return message
    }

    @Test func `the screener considers only mail that arrived after it began`() throws {
        _ = try store.sync.apply(batch(added: [mail("old", uid: 1, from: "old@x.example")]))
        #expect(try !store.senders.hasBegun(work))
        #expect(try store.senders.begin(work))
        #expect(try store.senders.hasBegun(work) && !store.senders.begin(work))
        _ = try store.sync.apply(batch(added: [mail("new", uid: 2, from: "new@x.example")]))
        _ = try store.sync.apply(batch(archive, added: [mail("put away", uid: 1, from: "new@x.example")]))
        #expect(try store.senders.unscreened(account: work) == [id("new")])
        let writers = try store.senders.earlierWriters(
            among: ["old@x.example", "new@x.example"], account: work)
        #expect(writers == ["old@x.example"])
    }

    @Test
    func `volumes count messages and read messages by sender, largest first, without the user's own mail`()
        throws
    {
        _ = try store.sync.apply(
            batch(added: [
                mail("a1", uid: 1, from: "A@x.example", received: 10, flags: [.seen]),
                mail("a2", uid: 2, from: "a@x.example", received: 30),
                mail("b1", uid: 3, from: "b@x.example", received: 20),
            ]))
        _ = try store.sync.apply(
            batch(MailboxName("Sent"), added: [mail("own", uid: 1, from: "ana@acme.example", received: 40)]))
        let volumes = try store.senders.volumes(account: work)
        #expect(volumes.map(\.messages) == [2, 1] && volumes.map(\.read) == [1, 0])
        #expect(volumes.map(\.newest) == [id("a2"), id("b1")])
        #expect(volumes.map(\.lastRead) == [time(10), nil])
        #expect(try store.senders.volumes(account: work, since: time(20)).map(\.messages) == [1])
    }

    @Test func `an unsubscription is stored once for each sender, with its latest mail`() throws {
        _ = try store.sync.apply(batch(added: [mail("a", uid: 1, from: "a@x.example")]))
        let first = Unsubscription(account: work, sender: "a@x.example", at: time(5), way: "post")
        var second = first
        second.at = time(9)
        second.way = "mail"
        second.mail = MessageID("leave@acme.example")
        try store.senders.note(first)
        #expect(try store.senders.unsubscriptions(of: work) == [first])
        try store.senders.note(second)
        #expect(try store.senders.unsubscriptions(of: work) == [second])
        #expect(try store.senders.unsubscriptions(of: AccountID("home")) == [])
    }

    @Test(arguments: [
        ("", true), ("Auto-Submitted: no\r\n", true), ("Auto-Submitted: auto-generated\r\n", true),
        ("Auto-Submitted: auto-replied\r\n", false),
        ("Subject: x\r\nauto-submitted:AUTO-REPLIED (vacation)\r\n", false),
        ("Subject: Auto-Submitted: auto-replied\r\n", true),
    ])
    func `the recipient of an automatic reply is not a correspondent`(_ header: String, _ isWritten: Bool)
        throws
    {
        let sent = MailboxName("Sent")
        _ = try store.sync.apply(
            batch(
                sent,
                added: [mail("a", uid: 1, from: "ana@acme.example", to: "eve@x.example", header: header)]))
        #expect(try store.sync.writtenTo(accounts: [work]) == (isWritten ? ["eve@x.example"] : []))
        // The same when the store learns later that a mailbox is for sent mail, and from another place of the message.
        _ = try store.sync.apply(
            batch(
                archive,
                added: [mail("b", uid: 2, from: "ana@acme.example", to: "zed@x.example", header: header)]))
        try store.sync.saveMailboxes(
            [mailbox("INBOX", .inbox), mailbox("Archive", .sent), mailbox("Sent")], of: work)
        #expect(try store.sync.writtenTo(accounts: [work]).contains("zed@x.example") == isWritten)
    }
}
