import MailStore
import Models
import Testing

/// What rules may ask beyond a message.
@Suite struct SurroundingTests {
    private let folder: StoreFolder
    private let store: MailStore

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

    @Test("messages of a writer are counted once each, in every mailbox of the account, drafts left out")
    func counts() throws {
        var draft = message("d", uid: 4, from: "ana@x.org", thread: "d")
        draft.flags = [.draft]
        _ = try store.apply(
            batch(added: [
                message("a", uid: 1, from: "Ana@x.org", thread: "a"),
                message("b", uid: 2, from: "bob@x.org", thread: "a"),
                message("c", uid: 3, from: nil, thread: "c"), draft,
            ]))
        _ = try store.apply(batch(archive, added: [message("e", uid: 9, from: "ana@x.org", thread: "e")]))
        let counts = try store.messageCounts(of: ["ana@x.org", "eve@x.org"], account: work)
        #expect(counts == ["ana@x.org": 2])
        #expect(try store.messageCounts(of: ["ana@x.org"], account: AccountID("other")).isEmpty)
        let arrivals = try store.arrivals(account: work)
        #expect(arrivals["ana@x.org"]?.count == 2)
        #expect(arrivals.mapValues(\.count)["eve@x.org"] == nil)
        #expect(try store.arrivals(account: AccountID("other")).isEmpty)
    }

    @Test("several conversations are read at once, from every mailbox")
    func threads() throws {
        _ = try store.apply(
            batch(added: [
                message("a", uid: 1, from: nil, thread: "t"), message("b", uid: 2, from: nil, thread: "u"),
                message("c", uid: 3, from: nil, thread: "v"),
            ]))
        _ = try store.apply(batch(archive, added: [message("d", uid: 9, from: nil, thread: "t")]))
        let found = try store.facts(.threads([ThreadID(rawValue: "t"), ThreadID(rawValue: "v")]))
        #expect(Set(found.map(\.id)) == [id("a"), id("c"), id("d")])
    }

    @Test("open tasks are read by id; those that are done or gone are not there")
    func todos() throws {
        func file(_ name: String, done: Bool) -> TodoFile {
            var todo = Todo(id: TodoID(name), list: .waiting, summary: name)
            if done { todo.status = .completed }
            return TodoFile(
                todo: todo, path: "waiting/\(name).ics", size: 1, modifiedNanoseconds: 1, inode: 1,
                digest: "a")
        }
        try store.saveTodoFiles([file("a", done: false), file("b", done: true)], removing: [])
        let found = try store.openTodos([TodoID("a"), TodoID("b"), TodoID("c")])
        #expect(found.mapValues(\.summary) == [TodoID("a"): "a"])
    }
}
