import MailStore
import Models
import Testing

/// Command mailboxes, and where ordered messages came from.
@Suite struct OrderTests {
    private let folder: StoreFolder
    private let store: Store
    private let task = MailboxName("Opus/Task")

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.sync.saveMailboxes(
            [mailbox("INBOX", .inbox), mailbox("Archive", .archive), mailbox("Opus/Task")], of: work)
    }

    /// Another program moves the message from one mailbox to another.
    private func move(from source: MailboxName, _ uid: UInt32, to destination: MailboxName, _ new: UInt32)
        throws
    {
        _ = try store.sync.apply(batch(destination, added: [newMessage("a", uid: new)]))
        _ = try store.sync.apply(batch(source) { $0.removed = [uid] })
    }

    @Test func `the last mailbox that a message left is stored, except command mailboxes`() throws {
        try store.orders.note(task, of: work, isOwn: true)
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        #expect(try store.orders.origin(of: id("a")) == nil)
        try move(from: .inbox, 1, to: task, 1)
        #expect(try store.orders.origin(of: id("a")) == .inbox)
        try move(from: task, 1, to: archive, 1)
        #expect(try store.orders.origin(of: id("a")) == .inbox)
        try move(from: archive, 1, to: task, 2)
        #expect(try store.orders.origin(of: id("a")) == archive)
    }

    @Test func `the mailbox that a message left is not stored if there are no command mailboxes`() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        try move(from: .inbox, 1, to: archive, 1)
        #expect(try store.orders.origin(of: id("a")) == nil)
    }

    @Test func `the original mailbox is stored for each place in a command mailbox`() throws {
        try store.orders.note(task, of: work, isOwn: true)
        #expect(try store.orders.mailboxes(of: work) == [task])
        let key = MessageKey(account: work, mailbox: task, uidValidity: 7, uid: 3)
        try store.orders.note(homes: [key: archive])
        #expect(try store.orders.home(of: key) == archive)
        #expect(
            try store.orders.home(of: MessageKey(account: work, mailbox: task, uidValidity: 8, uid: 3)) == nil
        )
        try store.orders.note(task, of: work, isOwn: false)
        #expect(try store.orders.mailboxes(of: work) == [])
    }
}
