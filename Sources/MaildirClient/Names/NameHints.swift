import Models
import Synchronization

/// The UIDs that mbsync put into file names, as the last listing saw them.
///
/// They let `MailboxFolder.probe` ask for one file instead of reading the folder once a message. A hint
/// is never trusted: if a file does not have the hinted name, the folder is read.
final class NameHints: Sendable {
    private let uids = Mutex<[MailboxName: [String: UInt32]]>([:])

    /// What a reading found; nothing is kept of a Maildir that mbsync does not use.
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
