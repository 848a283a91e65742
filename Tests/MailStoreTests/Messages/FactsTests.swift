import MailStore
import Models
import Testing

@Suite struct FactsTests {
    private let folder: StoreFolder
    private let store: Store
    private let other = AccountID("other")

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        try store.sync.saveMailboxes([mailbox("INBOX", .inbox, account: other)], of: other)
        var old = newMessage("old", uid: 9, text: "old text", received: 500)
        old.headerBlock = [1, 2]
        var forged = newMessage("mid", uid: 2, received: 900)
        forged.sent = time(600)
        _ = try store.sync.apply(batch(added: [old, forged, newMessage("new", uid: 1, received: 700)]))
        _ = try store.sync.apply(batch(archive) { $0.placed = [Placement(message: id("old"), uid: 3)] })
        _ = try store.sync.apply(batch(account: other, added: [newMessage("far", uid: 1, received: 1)]))
    }

    @Test(
        "a selection returns each place once, newest first",
        arguments: [
            (FactSelection.role(work, .inbox), ["new", "mid", "old"]),
            (.role(nil, .inbox), ["new", "mid", "old", "far"]),
            (.role(work, .junk), []),
            (.mailbox(work, archive), ["old"]),
            (.mailbox(work, MailboxName("nowhere")), []),
            (.ids([EmailID(rawValue: "old"), EmailID(rawValue: "x\"]")]), ["old", "old"]),
            (.ids([]), []),
            (.thread(ThreadID(rawValue: "mid")), ["mid"]),
            (.thread(ThreadID(rawValue: "' OR 1=1 --")), []),
            (.everything(work), ["new", "mid", "old", "old"]),
            (.everything(nil), ["new", "mid", "old", "old", "far"]),
        ])
    func selections(_ selection: FactSelection, _ expected: [String]) throws {
        #expect(try store.messages.facts(selection).map(\.id) == expected.map(id))
    }

    @Test("each place has its own key and mailbox")
    func places() throws {
        let facts = try store.messages.facts(.ids([id("old")]))
        #expect(facts.map(\.mailbox.role) == [.inbox, .archive])
        #expect(facts.map(\.key.uid) == [9, 3])
    }

    @Test("headers and texts of stored messages are loaded by id")
    func contents() throws {
        let decode: ([UInt8]) -> [HeaderField] = { [HeaderField(name: "Bytes", body: "\($0)")] }
        let ids = [id("old"), id("mid"), id("gone")]
        let both = try store.messages.contents(of: ids, including: [.headers, .text], decodeHeaders: decode)
        #expect(Set(both.keys) == [id("old"), id("mid")])
        #expect(both[id("old")]?.headers.map(\.body) == ["[1, 2]"])
        #expect(both[id("old")]?.text == "old text")
        let headers = try store.messages.contents(of: ids, including: .headers, decodeHeaders: decode)
        #expect(headers[id("old")]?.text == nil)
        let odd = try store.messages.contents(
            of: [id("x\"]"), id("old")], including: .text, decodeHeaders: decode)
        #expect(Array(odd.keys) == [id("old")])
    }

    @Test("headers and texts are read only on request")
    func parts() throws {
        let decode: ([UInt8]) -> [HeaderField] = { [HeaderField(name: "Bytes", body: "\($0)")] }
        let selection = FactSelection.mailbox(work, archive)
        let bare = try store.messages.facts(selection, decodeHeaders: decode)
        #expect(bare.map(\.text) == [nil])
        #expect(bare.map(\.headers) == [[]])
        let headers = try store.messages.facts(selection, including: .headers, decodeHeaders: decode)
        #expect(headers.map(\.text) == [nil])
        #expect(headers.map { $0.header("bytes") } == [["[1, 2]"]])
        let text = try store.messages.facts(selection, including: .text, decodeHeaders: decode)
        #expect(text.map(\.text) == ["old text"])
        #expect(text.map(\.headers) == [[]])
        let both = try store.messages.facts(selection, including: [.text, .headers], decodeHeaders: decode)
        #expect(both.map(\.text) == ["old text"])
        #expect(both.map(\.headers.count) == [1])
    }

    @Test("each message of a conversation has the open tasks of the conversation")
    func openTodos() throws {
        var reply = newMessage("reply", uid: 20)
        reply.thread = ThreadID(rawValue: "old")
        _ = try store.sync.apply(batch(added: [reply]))
        var done = Todo(id: TodoID("done"), list: .next, summary: "")
        done.percentComplete = 100
        let open = Todo(id: TodoID("open"), list: .next, summary: "")
        try store.todos.saveTodoFiles([file(done), file(open)], removing: [])
        for todo in ["done", "open", "not on disk"] {
            try store.todos.linkTodo(TodoID(todo), to: id("old"), account: work, rule: "r")
        }
        #expect(try store.messages.facts(.ids([id("reply")])).map(\.openTodos) == [[TodoID("open")]])
        #expect(try store.messages.facts(.ids([id("new")])).map(\.openTodos) == [[]])
        try store.todos.saveTodoFiles([], removing: [TodoID("open")])
        #expect(try store.messages.facts(.ids([id("reply")])).map(\.openTodos) == [[]])
    }

    private func file(_ todo: Todo) -> TodoFile {
        TodoFile(todo: todo, path: "\(todo.id).ics", size: 1, modifiedNanoseconds: 1, inode: 1, digest: "")
    }
}
