import MailStore
import Models

/// The UIDNEXT of a mailbox whose server sent one that is not above all UIDs: mail came meanwhile, or the server cannot
/// count. Its next UIDNEXT is compared with that, so that such a server does not look like one that went back.
struct ReportedUIDNext {
    private let store: Store
    private let account: AccountID
    private let mailbox: MailboxName

    init(_ mailbox: Mailbox, _ context: SyncContext) {
        store = context.store
        account = context.account
        self.mailbox = mailbox.name
    }

    /// nil: it was above all UIDs.
    func value() throws -> UInt32? { try store.sync.notes(of: account, mailbox: mailbox).reportedUIDNext }

    func save(_ uidNext: UInt32?, lastUID: UInt32) throws {
        try store.sync.changeNotes(of: account, mailbox: mailbox) { notes in
            notes.reportedUIDNext = uidNext.flatMap { $0 <= lastUID ? $0 : nil }
        }
    }
}
