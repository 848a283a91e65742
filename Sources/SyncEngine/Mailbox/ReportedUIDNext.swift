import MailStore
import Models

/// A UIDNEXT that was not above all UIDs: mail arrived meanwhile, or the server counts wrongly. The next
/// UIDNEXT is compared with this one, so that such a server does not look like a restored one.
struct ReportedUIDNext {
    private let store: Store
    private let account: AccountID
    private let mailbox: MailboxName

    init(_ mailbox: Mailbox, _ context: SyncContext) {
        store = context.store
        account = context.account
        self.mailbox = mailbox.name
    }

    /// nil: UIDNEXT was above all UIDs.
    func value() throws -> UInt32? { try store.sync.notes(of: account, mailbox: mailbox).reportedUIDNext }

    func save(_ uidNext: UInt32?, lastUID: UInt32) throws {
        try store.sync.changeNotes(of: account, mailbox: mailbox) { notes in
            notes.reportedUIDNext = uidNext.flatMap { $0 <= lastUID ? $0 : nil }
        }
    }
}
