public import Accounts
import Executor
public import Logging
public import MailStore
public import Models
import TaskStore

/// A command's session on a workspace: its settings, its store, its clock, and the lock if it changes anything.
///
/// What the commands (and later the page and the daemon) do is in the use cases: `session.triage.plan(…)`,
/// `session.drafts.open(…)`. Every effect goes through the journal in the store.
public final class Session: Sendable {
    public enum Access: Sendable {
        case reading
        /// Takes the lock: one process at a time.
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
        let lock =
            access == .changing
            ? try StateLock.take(path: folder + "/lock", watch: WatchPeer(storeFolder: folder)) : nil
        let store = try Problem.wrap {
            try Store.open(path: folder + "/store.sqlite", access == .reading ? .reading : .writing)
        }
        return Session(
            workspace: workspace, store: store, clock: SessionClock(fixed: options.now),
            logger: options.logger, lock: lock)
    }

    /// A session for the time of `body`: logged out and closed at its end, however it ends.
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

    /// Closes the store; the lock goes with the session. A watch hears of steps that are due later, and changed tasks go to their
    /// calendar server in the background.
    public func close() {
        if lock != nil, (try? store.journal.hasLaterSteps()) == true {
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
    /// Conversations.
    public var threads: ThreadLists { parts.threads }
    public var threadEditing: ThreadEditing { parts.threadEditing }
    public var checks: AccountChecks { parts.checks }
    public var logins: AccountLogin { parts.logins }
    public var loginEnds: LoginEnds { parts.loginEnds }
    public var mailboxes: MailboxLines { parts.mailboxes }
    public var mailboxMaking: MailboxMaking { parts.mailboxMaking }

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
    public var sending: Sending { parts.sending }
    public var outbox: Outbox { parts.outbox }
    public var outboxDelivery: OutboxDelivery { parts.outboxDelivery }
    public var unsubscribing: Unsubscribing { parts.unsubscribing }
    public var listSenders: ListSenders { parts.listSenders }
    public var invitations: InvitationAnswering { parts.invitations }

    /// What is queued between its begin and its end is one run.
    var whole: WholeRun { parts.whole }

    public var watch: Watching { parts.watch }
    /// Ends the session after the current step.
    public var stopRequest: StopRequest { parts.stop }
    /// What a watch of this workspace is doing, in this process or another.
    public var watchStatus: WatchStatus { WatchStatus.read(workspace.storeFolder) }
    public var inbox: Inbox { parts.inbox }

    /// Carries out what a one-by-one session decides.
    public func inboxDesk(_ tell: @escaping @Sendable (InboxNews) -> Void) -> InboxDesk {
        InboxDesk(parts.inbox, lock: parts.lock, tell: tell)
    }
}
