import MailStore
import Models
import Testing

/// What rules may ask beyond a message.
@Suite struct SurroundingTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    private func message(_ name: String, uid: UInt32, from: String?, thread: String) -> NewMessage {
        var message = newMessage(name, uid: uid)
        message.thread = ThreadID(rawValue: thread)
        message.from = [from.flatMap { EmailAddress($0) }].compactMap { $0 }
        return message
    }

    @Test("messages of a sender are counted once each, in every mailbox of the account, without drafts")
    func counts() throws {
        var draft = message("d", uid: 4, from: "ana@x.org", thread: "d")
        draft.flags = [.draft]
        _ = try store.sync.apply(
            batch(added: [
                message("a", uid: 1, from: "Ana@x.org", thread: "a"),
                message("b", uid: 2, from: "bob@x.org", thread: "a"),
                message("c", uid: 3, from: nil, thread: "c"), draft,
            ]))
        _ = try store.sync.apply(
            batch(archive, added: [message("e", uid: 9, from: "ana@x.org", thread: "e")]))
        let counts = try store.threads.messageCounts(of: ["ana@x.org", "eve@x.org"], account: work)
        #expect(counts == ["ana@x.org": 2])
        #expect(try store.threads.messageCounts(of: ["ana@x.org"], account: AccountID("other")).isEmpty)
        let arrivals = try store.threads.arrivals(account: work)
        #expect(arrivals["ana@x.org"]?.count == 2)
        #expect(arrivals.mapValues(\.count)["eve@x.org"] == nil)
        #expect(try store.threads.arrivals(account: AccountID("other")).isEmpty)
    }

    @Test("several conversations are read at once, from every mailbox")
    func threads() throws {
        _ = try store.sync.apply(
            batch(added: [
                message("a", uid: 1, from: nil, thread: "t"), message("b", uid: 2, from: nil, thread: "u"),
                message("c", uid: 3, from: nil, thread: "v"),
            ]))
        _ = try store.sync.apply(batch(archive, added: [message("d", uid: 9, from: nil, thread: "t")]))
        let found = try store.messages.facts(.threads([ThreadID(rawValue: "t"), ThreadID(rawValue: "v")]))
        #expect(Set(found.map(\.id)) == [id("a"), id("c"), id("d")])
    }

    @Test("open tasks are read by id, without completed and missing ones")
    func todos() throws {
        func file(_ name: String, done: Bool) -> TodoFile {
            var todo = Todo(id: TodoID(name), list: .waiting, summary: name)
            if done { todo.status = .completed }
            return TodoFile(
                todo: todo, path: "waiting/\(name).ics", size: 1, modifiedNanoseconds: 1, inode: 1,
                digest: "a")
        }
        try store.todos.saveTodoFiles([file("a", done: false), file("b", done: true)], removing: [])
        let found = try store.todos.openTodos([TodoID("a"), TodoID("b"), TodoID("c")])
        #expect(found.mapValues(\.summary) == [TodoID("a"): "a"])
    }

    /// `name` came at that time, with this Message-ID; all of one name are one conversation, as the threader has it.
    private func copy(_ name: String, uid: UInt32, of original: String?, received: Int64 = 1_000)
        -> NewMessage
    {
        var message = newMessage(name, uid: uid, received: received)
        message.messageID = original.map { MessageID($0) }
        message.thread = ThreadID(rawValue: original.map { "t\($0.utf8.count)" } ?? name)
        return message
    }

    private func earlier(in threads: [ThreadID]? = nil) throws -> [String: Int64] {
        let found = try store.threads.earlierCopies(account: work, in: threads)
        return Dictionary(uniqueKeysWithValues: found.map { ($0.rawValue, $1.seconds) })
    }

    @Test(
        "among messages with one Message-ID, all but the first to arrive are copies, in any mailbox")
    func copies() throws {
        _ = try store.sync.apply(
            batch(added: [
                copy("late", uid: 1, of: "a@x", received: 300),
                copy("second", uid: 2, of: "a@x", received: 200),
                copy("other", uid: 3, of: "b@xy", received: 50), copy("nameless", uid: 4, of: nil),
                copy("reply", uid: 5, of: "c@x", received: 10),
            ]))
        _ = try store.sync.apply(batch(archive, added: [copy("first", uid: 9, of: "a@x", received: 100)]))
        #expect(try earlier() == ["late": 100, "second": 100])
        let thread = ThreadID(rawValue: "t3")
        #expect(
            try earlier(in: [thread, thread, ThreadID(rawValue: "nameless")]) == ["late": 100, "second": 100])
        #expect(try earlier(in: [ThreadID(rawValue: "t4")]).isEmpty)
        #expect(try earlier(in: []).isEmpty)
        #expect(try store.threads.earlierCopies(account: AccountID("other")).isEmpty)
    }

    @Test("of two messages that arrive in the same second, always the same one is the copy")
    func sameSecond() throws {
        _ = try store.sync.apply(batch(added: [copy("b", uid: 1, of: "a@x"), copy("a", uid: 2, of: "a@x")]))
        for _ in 1...3 { #expect(try earlier() == ["a": 1_000]) }
        _ = try store.sync.apply(batch(added: [copy("c", uid: 3, of: "a@x")]))
        #expect(try earlier() == ["a": 1_000, "c": 1_000])
    }

    @Test("a message with two places is not a copy of itself")
    func samePlaces() throws {
        let twice = copy("a", uid: 1, of: "a@x")
        var again = twice
        again.uid = 2
        _ = try store.sync.apply(batch(added: [twice, again]))
        _ = try store.sync.apply(batch(archive, added: [twice]))
        #expect(try earlier().isEmpty)
    }

    @Test(
        "the user's own mail and mail in Junk is neither a copy nor an original",
        arguments: [("Sent", MailboxRole.sent), ("Drafts", .drafts), ("Junk", .junk)])
    func notArrived(_ name: String, _ role: MailboxRole) throws {
        try store.sync.saveMailboxes(
            [mailbox("INBOX", .inbox), mailbox(name, role), mailbox("All", .all)], of: work)
        let own = copy("own", uid: 1, of: "a@x", received: 100)
        _ = try store.sync.apply(batch(MailboxName(name), added: [own]))
        // A view of everything shows it as well.
        _ = try store.sync.apply(batch(MailboxName("All"), added: [own]))
        _ = try store.sync.apply(batch(added: [copy("list", uid: 1, of: "a@x", received: 200)]))
        #expect(try earlier().isEmpty)
        _ = try store.sync.apply(batch(added: [copy("again", uid: 2, of: "a@x", received: 300)]))
        #expect(try earlier() == ["again": 200])
    }

    @Test("removed messages, drafts and implausible Message-IDs do not make copies")
    func goneAndNameless() throws {
        var draft = copy("draft", uid: 7, of: "d@xyz", received: 1)
        draft.flags = [.draft]
        _ = try store.sync.apply(
            batch(added: [
                copy("a", uid: 1, of: "a@x", received: 100), copy("b", uid: 2, of: "a@x", received: 200),
                copy("c", uid: 3, of: "mail"), copy("d", uid: 4, of: "mail"), copy("e", uid: 5, of: "@"),
                copy("f", uid: 6, of: "@"), draft, copy("g", uid: 8, of: "d@xyz", received: 2),
            ]))
        #expect(try earlier() == ["b": 100])
        _ = try store.sync.apply(batch { $0.removed = [1] })
        #expect(try earlier().isEmpty)
    }

    @Test("copies are judged by where open steps will put the messages")
    func copiesAsShown() throws {
        try store.sync.saveMailboxes(
            [mailbox("INBOX", .inbox), mailbox("Archive", .archive), mailbox("Junk", .junk)], of: work)
        _ = try store.sync.apply(
            batch(added: [
                copy("a", uid: 1, of: "a@x", received: 100), copy("b", uid: 2, of: "a@x", received: 200),
            ]))
        #expect(try earlier() == ["b": 100])
        let key = MessageKey(account: work, mailbox: .inbox, uidValidity: 7, uid: 1)
        let step = Step(
            idempotencyKey: "k", message: id("a"), cause: .rule("r"),
            kind: .move(key, to: mailbox("Junk", .junk)))
        _ = try store.journal.queue(
            NewRun(account: work, startedAt: time(1), command: "run"), steps: [step])
        #expect(try earlier().isEmpty)
    }
}
