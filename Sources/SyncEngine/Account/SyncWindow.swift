import Models

/// How far back mail is fetched. Older mail stays on the server and does not count as missing.
public enum SyncWindow: Hashable, Sendable {
    case everything
    /// Messages that were received within this number of days.
    case days(Int)

    /// The beginning of the window; nil: there is none. It is the start of a day in UTC, so the window moves once
    /// a day.
    func since(now: Timestamp) -> Timestamp? {
        switch self {
        case .everything: nil
        case .days(let days):
            Timestamp(seconds: (now.seconds / 86_400 - Int64(max(0, days))) * 86_400)
        }
    }
}

/// Which mail of each mailbox is fetched.
struct SyncScope: Sendable {
    var window: SyncWindow
    /// Mailboxes in which opus works, such as the one for deferred mail: they are fetched whole.
    var needed: Set<MailboxName> = []
    /// The oldest mail that another store of this account holds, by mailbox. It is fetched, too.
    var oldest: [MailboxName: Timestamp] = [:]
    /// The oldest stored mail of the account, if it was synced before. A mailbox that is new since may hold mail that was moved,
    /// so it is fetched as far back.
    var oldestStored: Timestamp?
    /// The names of all stored messages of a Maildir with a window: a file with such a name was moved, so it is fetched
    /// whatever its date.
    var names: Set<String> = []

    /// The beginning of the mail to fetch; nil: all of it.
    func since(_ mailbox: Mailbox, now: Timestamp) -> Timestamp? {
        guard !needed.contains(mailbox.name), mailbox.role != .drafts, let since = window.since(now: now)
        else { return nil }
        return oldest[mailbox.name].map { min($0, since) } ?? since
    }
}

/// The beginnings of the windows of this sync and of the last one.
struct WindowEdge: Hashable, Sendable {
    /// nil: all messages are fetched.
    var since: Timestamp?
    /// nil: all messages were fetched.
    var before: Timestamp?

    /// This sync fetches older mail than the last one: the mailbox is compared, which finds that mail.
    var isWider: Bool {
        guard let before else { return false }
        return since.map { $0 < before } ?? true
    }

    /// A message without a known time is inside the window.
    func holds(_ message: ListedMessage) -> Bool {
        guard let since, let received = message.received else { return true }
        return received >= since
    }
}
