import MailStore
import Models
import SyncPlanner

/// The stored state of a mailbox before a sync.
struct MailboxKnowledge: Sendable {
    var state: MailboxSyncState?
    var held: MailboxExtent
    var local: LocalMailbox
    var edge: WindowEdge
    /// See ``SyncScope/names``.
    private var names: Set<String>

    init(of mailbox: Mailbox, context: SyncContext) throws {
        let state = try context.store.sync.syncState(of: context.account, mailbox: mailbox.name)
        held = try context.store.sync.extent(of: context.account, mailbox: mailbox.name)
        edge = WindowEdge(since: context.scope.since(mailbox, now: context.now), before: state?.windowSince)
        names = context.scope.names
        local = LocalMailbox(uidValidity: nil)
        if let state {
            local = LocalMailbox(
                uidValidity: state.uidValidity, uidNext: state.uidNext, highestModSeq: state.highestModSeq,
                count: held.count)
            local.reportedUIDNext = try ReportedUIDNext(mailbox, context).value()
            if state.windowSince != nil { local.beyond = try BeyondWindow(mailbox, context).count() }
        }
        self.state = state
        if state == nil { self = reaching(back: context.scope.oldestStored) }
    }

    /// Mail that arrived since the last sync is fetched whatever its date: it was moved here.
    func wants(_ message: ListedMessage) -> Bool {
        edge.holds(message) || ((local.uidNext > 1 || wasEmpty) && message.uid >= max(1, local.uidNext))
            || message.remoteName.map(names.contains) ?? false
    }

    /// The last sync found no message, neither inside the window nor older ones. What opus has moved here since is not
    /// in the state of that sync.
    private var wasEmpty: Bool { state?.syncedAt != nil && state?.exists == 0 && local.beyond == 0 }

    /// For a mailbox whose UIDs now belong to other messages: the stored mail is fetched again, however old it is.
    func reaching(back oldest: Timestamp?) -> MailboxKnowledge {
        var known = self
        if let since = edge.since, let oldest { known.edge.since = min(since, oldest) }
        return known
    }

    /// The last sync was complete: a message below UIDNEXT that is not stored is older than the window.
    var isSettled: Bool { state?.comparedAt != nil && !edge.isWider }
}

/// The number of messages that are not fetched because they are older than the window.
///
/// A crash between the two writes of a sync can make it wrong, but only until the next sync: then the count
/// of messages contradicts it, and the list of all UIDs decides.
struct BeyondWindow {
    private let store: Store
    private let account: AccountID
    private let mailbox: MailboxName

    init(_ mailbox: Mailbox, _ context: SyncContext) {
        store = context.store
        account = context.account
        self.mailbox = mailbox.name
    }

    func count() throws -> Int { try store.sync.notes(of: account, mailbox: mailbox).beyondWindow }

    func save(_ count: Int) throws {
        try store.sync.changeNotes(of: account, mailbox: mailbox) { $0.beyondWindow = max(0, count) }
    }
}
