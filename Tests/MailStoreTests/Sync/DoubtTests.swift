import MailStore
import Models
import Testing

@Suite struct DoubtTests {
    @Test func `doubts about messages are stored for one UIDVALIDITY until they are replaced`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let (account, inbox) = (work, MailboxName.inbox)
        let time = Timestamp(seconds: 5)
        let doubts = [
            MessageDoubt(.listing, .lost, 3...9, triedAt: time),
            MessageDoubt(.content, .unread, 12...12, tries: 2, triedAt: time),
        ]
        try store.sync.saveDoubts(doubts, of: account, mailbox: inbox, uidValidity: 7)
        #expect(try store.sync.doubts(of: account, mailbox: inbox, uidValidity: 7) == doubts)
        #expect(try store.sync.doubts(of: account, mailbox: inbox, uidValidity: 8) == [])
        try store.sync.saveDoubts([], of: account, mailbox: inbox, uidValidity: 7)
        #expect(try store.sync.doubts(of: account, mailbox: inbox, uidValidity: 7) == [])
    }
}
