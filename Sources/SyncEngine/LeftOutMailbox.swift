import MailStore
import Models

/// A mailbox of the account that is not read: the user leaves it out, or it shows the messages of others again.
///
/// It stays known, because messages may be moved there. What an earlier sync found in it is forgotten once, so that it is
/// not listed; the messages themselves stay for as long as any message without a place does.
struct LeftOutMailbox {
    private let mailbox: Mailbox
    private let store: MailStore

    init(_ mailbox: Mailbox, store: MailStore) {
        self.mailbox = mailbox
        self.store = store
    }

    private var key: String { "left-out:\(mailbox.account):\(mailbox.name)" }

    func forget() throws {
        guard let state = try store.syncState(of: mailbox.account, mailbox: mailbox.name),
            try store.meta(key) == nil
        else { return }
        var batch = SyncBatch(
            account: mailbox.account, mailbox: mailbox.name, uidValidity: state.uidValidity)
        batch.resetPlacements = true
        batch.state = MailboxSyncState(uidValidity: state.uidValidity, uidNext: 1)
        _ = try store.apply(batch)
        try store.setMeta(key, "1")
    }

    /// It is read again: the next time that it is left out, it is forgotten again.
    func comeBack() throws {
        if try store.meta(key) != nil { try store.setMeta(key, nil) }
    }
}
