import MailStore
import Models
import Testing

/// Until when messages wait, what wakes them, and the lists that opus keeps in the account.
@Suite struct DeferralTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
    }

    private func set(_ name: String, _ until: DeferredUntil?) throws {
        try store.deferrals.set(id(name), account: work, until: until, at: time(50))
    }

    @Test func `deferred messages are listed by their return date, someday last`() throws {
        try set("a", .someday)
        try set("b", .time(time(100)))
        #expect(try store.deferrals.all(account: work).map(\.message) == [id("b"), id("a")])
        try set("a", .time(time(60)))
        #expect(
            try store.deferrals.all(account: work) == [
                Deferral(message: id("a"), until: .time(time(60)), setAt: time(51)),
                Deferral(message: id("b"), until: .time(time(100)), setAt: time(50)),
            ], "of two decisions of one second, the later one counts")
        try set("a", nil)
        #expect(try store.deferrals.all(account: work).map(\.message) == [id("b")])
        #expect(try store.deferrals.all(account: AccountID("other")) == [])
    }

    @Test func `a deferred list is stored until it is removed`() throws {
        let list = DeferredList(token: MessageID("l@x"), digest: "d", content: [0, 1])
        try store.deferrals.note(list, account: work)
        try store.deferrals.note(
            DeferredList(token: MessageID("m@x"), digest: "e", content: nil), account: work)
        #expect(try store.deferrals.lists(account: work).map(\.content) == [[0, 1], nil])
        try store.deferrals.forgetLists([MessageID("m@x")], account: work)
        #expect(try store.deferrals.lists(account: work) == [list])
        #expect(try store.deferrals.lists(account: AccountID("other")) == [])
    }
}
