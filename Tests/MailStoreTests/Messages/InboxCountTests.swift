import Models
import Testing

@testable import MailStore

@Suite("The size of the inbox by day")
struct InboxCountTests {
    private let day = CalendarDate(daysSinceEpoch: 20_000)

    private func counts(_ store: Store) throws -> [CalendarDate: Int] {
        try store.sync.inboxCounts(of: work, from: day.adding(days: -1_000), to: day.adding(days: 1_000))
    }

    @Test("the last count of a day is kept, and counts older than 400 days are removed")
    func days() throws {
        let folder = try StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try folder.open()
        try store.saveUsualMailboxes()
        #expect(try store.sync.inboxCount(of: work) == 0)
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1), newMessage("b", uid: 2)]))
        try store.sync.noteInbox(of: work, on: day)
        _ = try store.sync.apply(batch(archive, added: [newMessage("c", uid: 1)]))
        _ = try store.sync.apply(batch(added: [newMessage("d", uid: 3)]))
        #expect(try counts(store) == [day: 2])
        try store.sync.noteInbox(of: work, on: day)
        try store.sync.noteInbox(of: work, on: day.adding(days: 400))
        #expect(try counts(store) == [day: 3, day.adding(days: 400): 3])
        try store.sync.noteInbox(of: work, on: day.adding(days: 401))
        #expect(try counts(store).keys.sorted() == [day.adding(days: 400), day.adding(days: 401)])
        #expect(try store.sync.inboxCount(of: AccountID("other")) == 0)
    }
}
