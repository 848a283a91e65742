import MailStore
import Models

/// A mailbox of the account that no sync reads: the configuration excludes it, it shows messages of other
/// mailboxes, or the server no longer has it.
///
/// It stays in the store, because messages may be moved into it. The places that an earlier sync stored are
/// removed once, so its messages are not listed; the messages themselves stay as long as any message without
/// a place does.
struct LeftOutMailbox {
    private let mailbox: Mailbox
    private let store: Store

    init(_ mailbox: Mailbox, store: Store) {
        self.mailbox = mailbox
        self.store = store
    }

    func forget() throws {
        guard let state = try store.sync.syncState(of: mailbox.account, mailbox: mailbox.name),
            try !store.sync.notes(of: mailbox.account, mailbox: mailbox.name).isLeftOut
        else { return }
        var batch = SyncBatch(
            account: mailbox.account, mailbox: mailbox.name, uidValidity: state.uidValidity)
        batch.resetPlacements = true
        batch.state = MailboxSyncState(uidValidity: state.uidValidity, uidNext: 1)
        _ = try store.sync.apply(batch)
        try note(isLeftOut: true)
    }

    /// The mailbox is read again. If it is excluded once more, its places are removed again.
    func comeBack() throws { try note(isLeftOut: false) }

    private func note(isLeftOut: Bool) throws {
        try store.sync.changeNotes(of: mailbox.account, mailbox: mailbox.name) { $0.isLeftOut = isLeftOut }
    }
}
