import Models

/// How far back mail is fetched. Older mail stays on the server: it is neither missing nor gone.
public enum SyncWindow: Hashable, Sendable {
    case everything
    /// Messages that were received within this many days.
    case days(Int)

    /// Where the window begins; nil: it has no beginning. The start of a day, so that it moves once a day.
    func since(now: Timestamp) -> Timestamp? {
        switch self {
        case .everything: nil
        case .days(let days):
            Timestamp(seconds: (now.seconds / 86_400 - Int64(max(0, days))) * 86_400)
        }
    }
}

/// Where the window of one sync begins, and where that of the last one began.
struct WindowEdge: Hashable, Sendable {
    /// nil: everything is wanted.
    var since: Timestamp?
    /// nil: everything was.
    var before: Timestamp?

    /// Older mail than last time is wanted: the mailbox is compared, which finds it.
    var isWider: Bool {
        guard let before else { return false }
        return since.map { $0 < before } ?? true
    }

    /// A message without a known time is wanted.
    func holds(_ message: ListedMessage) -> Bool {
        guard let since, let received = message.received else { return true }
        return received >= since
    }
}
