public import Accounts
import Executor
public import Logging
public import MailStore
public import Models
import TaskStore

/// The session of a command on a workspace: its settings, its store, its clock, and the lock if it makes
/// changes.
///
/// The actions of commands (and of the page and the daemon) are in the use cases: `session.triage.plan(…)`,
/// `session.drafts.open(…)`. Every effect goes through the journal in the store.
public final class Session: Sendable {
    public enum Access: Sendable {
        case reading
        /// Acquires the lock: one process at a time.
        case changing
    }

    public let workspace: Workspace
    public let store: Store
    public let clock: SessionClock
    public let zone: ZoneClock
    public let logger: Logger
    private let parts: UseCases
    private let lock: StateLock?

    private init(
        workspace: Workspace, store: Store, clock: SessionClock, logger: Logger, lock: StateLock?
    ) {
        self.workspace = workspace
        self.store = store
        self.clock = clock
        self.logger = logger
        self.lock = lock
        zone = ZoneClock(zone: workspace.timeZone)
        parts = UseCases(
            workspace: workspace, store: store, clock: clock, zone: zone, logger: logger,
            isLocked: lock != nil)
    }

    public static func open(_ options: SessionOptions, _ access: Access) throws -> Session {
        var workspace = try options.loadWorkspace()
        workspace.firstRunDays = workspace.firstRunDays ?? options.firstRunDays
        let folder = workspace.storeFolder
        try Problem.wrap { try workspace.makeStoreFolder() }
        if let doubt = PathTrust().doubt(about: folder) {
            throw Problem.untrusted(doubt, place: workspace.configFile)
        }
        let lock = access == .changing ? try options.takeLock(in: folder) : nil
        let store = try Problem.opening(folder + "/store.sqlite", access == .reading ? .reading : .writing)
        return Session(
            workspace: workspace, store: store, clock: SessionClock(fixed: options.now),
            logger: options.logger, lock: lock)
    }

    /// Opens a session for `body`, and logs out and closes it afterwards, even if `body` throws.
    public static func with(
        _ options: SessionOptions, _ access: Access, _ body: (Session) async throws -> Void
    ) async throws {
        let session = try open(options, access)
        do {
            try await body(session)
        } catch {
            await session.end()
            throw error
        }
        await session.end()
    }

    /// Logs out and closes.
    func end() async {
        await parts.pools.closeAll()
        close()
    }

    /// Closes the store and releases the lock. A watch is notified of steps that are due later, and changed
    /// tasks are synced with their calendar server in the background.
    public func close() {
        if lock != nil, journal.hasLaterWork(of: workspace.accounts.map(\.id)) {
            WatchPeer(storeFolder: workspace.storeFolder).noteSteps()
        }
        store.close()
        if lock != nil { taskSync?.begin() }
    }

    public var now: Timestamp { clock.now }

    // MARK: Use cases

    public var accounts: AccountAccess { parts.accounts }
    public var sync: AccountSyncing { parts.syncing }
    public var messages: Messages { parts.messages }
    /// Lists of conversations.
    public var threads: ThreadLists { parts.threads }
    public var threadEditing: ThreadEditing { parts.threadEditing }
    public var checks: AccountChecks { parts.checks }
    public var logins: AccountLogin { parts.logins }
    public var loginEnds: LoginEnds { parts.loginEnds }
    public var mailboxes: MailboxLines { parts.mailboxes }
    public var mailboxMaking: MailboxMaking { parts.mailboxMaking }

    var renamed: RenamedAccount { parts.renamed }
    public var triage: Triage { parts.triage }
    public var firstDay: FirstDay { parts.firstDay }
    public var byHand: HandCommands { parts.byHand }
    public var deferrals: Deferrals { parts.deferrals }
    public var orders: Orders { parts.orders }
    public var screener: Screener { parts.screener }
    public var bundling: Bundling { parts.bundling }
    public var brakes: BrakeCheck { parts.brakes }
    public var rules: RuleTools { parts.rules }

    public var journal: Journal { parts.journal }
    public var undo: Undoing { parts.undo }
    public var briefings: Briefings { parts.briefings }
    public var briefingMailing: BriefingMailing { parts.briefingMailing }

    public var care: StoreCare { parts.care }
    public var rebuilding: StoreRebuilding { parts.rebuilding }
    public var export: StoreExport { parts.export }

    public var review: Review { parts.review }
    public var tasks: Tasks { parts.tasks }
    public var taskChanges: TaskChanges { parts.taskChanges }
    public var taskSync: TaskSyncing? { TaskSyncing(workspace, clock: clock) }
    public var taskMail: TaskMail { parts.taskMail }
    public var follow: Following { parts.follow }
    public var waits: Waits { parts.waits }
    public var waitMaking: WaitMaking { parts.waitMaking }
    public var nudging: Nudging { parts.nudging }

    public var composing: Composing { parts.composing }
    public var drafts: Drafts { parts.drafts }
    public var draftsMailbox: DraftsMailbox { parts.draftsMailbox }
    public var discarding: DraftDiscarding { parts.discarding }
    public var sending: Sending { parts.sending }
    public var outbox: Outbox { parts.outbox }
    public var outboxDelivery: OutboxDelivery { parts.outboxDelivery }
    public var unsubscribing: Unsubscribing { parts.unsubscribing }
    public var listSenders: ListSenders { parts.listSenders }
    public var invitations: InvitationAnswering { parts.invitations }

    /// Runs that are queued between its begin and its end are one run.
    var whole: WholeRun { parts.whole }

    public var watch: Watching { parts.watch }
    /// Requests that the session ends after the current step.
    public var stopRequest: StopRequest { parts.stop }
    /// The status of the watch on this workspace, in this process or another.
    public var watchStatus: WatchStatus { WatchStatus.read(workspace.storeFolder) }
    public var inbox: Inbox { parts.inbox }

    /// Executes the decisions of a one-by-one session.
    public func inboxDesk(_ tell: @escaping @Sendable (InboxNews) -> Void) -> InboxDesk {
        InboxDesk(parts.inbox, lock: parts.lock, tell: tell)
    }
}
