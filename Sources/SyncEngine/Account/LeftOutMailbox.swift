import MailStore
import Models

/// A mailbox of the account that is not read: the user leaves it out, or it shows the messages of others again.
///
/// It stays known, because messages may be moved there. What an earlier sync found in it is forgotten once, so that it is
/// not listed; the messages themselves stay for as long as any message without a place does.
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

    /// It is read again: the next time that it is left out, it is forgotten again.
    func comeBack() throws { try note(isLeftOut: false) }

    private func note(isLeftOut: Bool) throws {
        try store.sync.changeNotes(of: mailbox.account, mailbox: mailbox.name) { $0.isLeftOut = isLeftOut }
    }
}
