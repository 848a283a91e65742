import Models
import Synchronization

/// The UIDs that mbsync added to file names, from the last listing.
///
/// With them, `MailboxFolder.probe` checks one file instead of reading the folder for each message. A hint may be
/// wrong: if no file has that name, the folder is read.
final class NameHints: Sendable {
    private let uids = Mutex<[MailboxName: [String: UInt32]]>([:])

    /// Records a listing. Keeps nothing of a Maildir that mbsync does not use.
    func learn(_ files: some Sequence<MessageFile>, in mailbox: MailboxName) {
        var found: [String: UInt32] = [:]
        for file in files {
            let name = file.name
            if let uid = name.syncUID { found[name.unique] = uid }
        }
        uids.withLock { $0[mailbox] = found.isEmpty ? nil : found }
    }

    func uid(of unique: String, in mailbox: MailboxName) -> UInt32? {
        uids.withLock { $0[mailbox]?[unique] }
    }
}
