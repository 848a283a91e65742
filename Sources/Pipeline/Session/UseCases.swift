import Accounts
import Executor
import Foundation
import Logging
import MailStore
import Models
import TaskStore
import Transport

/// Assembles the use cases: each one receives exactly the collaborators that it names.
struct UseCases: Sendable {
    let workspace: Workspace
    let store: Store
    let taskStore: TaskFiles
    /// The folder of files that rules saved.
    let files: AttachmentFolder
    let clock: SessionClock
    let zone: ZoneClock
    let logger: Logger
    let pools = ConnectionPools()
    let credentials: Credentials
    let renewal: TokenRenewal
    let refused = RefusedMessages()
    let tried = TriedSteps()
    let whole = WholeRun()
    let keeper: RuleKeeper
    let phases = ConnectionPhases()
    let open = OpenConnections()
    let stop = StopRequest()
    let isLocked: Bool
    /// Whether queued steps are executed at once: see ``Inbox``.
    private var delivers = true

    init(
        workspace: Workspace, store: Store, clock: SessionClock, zone: ZoneClock, logger: Logger,
        isLocked: Bool
    ) {
        self.workspace = workspace
        self.store = store
        self.clock = clock
        self.zone = zone
        self.logger = logger
        self.isLocked = isLocked
        renewal = TokenRenewal(
            folder: workspace.storeFolder, environment: ProcessInfo.processInfo.environment, logger: logger,
            now: { clock.now })
        credentials = Credentials(renewal: renewal)
        taskStore = TaskFiles(root: workspace.tasksFolder, conflicts: workspace.storeFolder + "/conflicts")
        files = AttachmentFolder(root: workspace.attachmentsFolder)
        keeper = RuleKeeper(workspace)
    }

    // MARK: Accounts
    var accounts: AccountAccess {
        AccountAccess(workspace: workspace, store: store, clock: clock)
    }
    var connections: AccountConnections {
        AccountConnections(
            pools: pools, credentials: credentials, phases: phases, open: open,
            scratch: workspace.storeFolder, logger: logger)
    }
    var syncing: AccountSyncing {
        AccountSyncing(
            accounts: accounts, connections: connections, store: store, clock: clock, zone: zone,
            logger: logger)
    }

    var logins: AccountLogin {
        AccountLogin(
            accounts: accounts, folder: workspace.storeFolder, environment: renewal.environment,
            logger: logger,
            now: renewal.now)
    }

    // MARK: Senders
    var senders: SenderLists {
        SenderLists(root: workspace.root)
    }

    var heldMail: HeldMail {
        HeldMail(workspace: workspace, accounts: accounts, store: store, loader: loader)
    }

    var screener: Screener {
        Screener(
            workspace: workspace, accounts: accounts, lists: senders, held: heldMail, store: store,
            loader: loader,
            lookup: lookup, tasks: tasks, runner: runner, whole: whole, clock: clock)
    }

    var bundling: Bundling {
        Bundling(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lines: lines,
            protections: protections, runner: runner, whole: whole, clock: clock)
    }

    // MARK: Messages
    var loader: FactLoader {
        FactLoader(store: store)
    }
    var lookup: MessageLookup {
        MessageLookup(store: store, rows: ListRows(storeFolder: workspace.storeFolder, now: clock.now))
    }
    var lines: MessageLines {
        MessageLines(store: store, waits: waits)
    }
    var surroundings: Surroundings {
        Surroundings(workspace: workspace, store: store, loader: loader, clock: clock)
    }
    var originals: OriginalReader {
        OriginalReader(
            accounts: accounts, connections: connections, lookup: lookup, store: store,
            cache: OriginalCache(workspace))
    }
    var messages: Messages {
        Messages(
            accounts: accounts, store: store, loader: loader, lookup: lookup, lines: lines,
            surroundings: surroundings, originals: originals, taskMail: taskMail)
    }
    var threads: ThreadLists {
        ThreadLists(accounts: accounts, store: store, lookup: lookup, messages: messages)
    }
    var threadEditing: ThreadEditing {
        ThreadEditing(accounts: accounts, store: store, lookup: lookup, runner: runner)
    }
    var checks: AccountChecks {
        AccountChecks(accounts: accounts, connections: connections, logger: logger)
    }

    // MARK: Store
    var care: StoreCare {
        StoreCare(workspace: workspace, store: store)
    }
    var rebuilding: StoreRebuilding {
        let (workspace, clock, zone, logger) = (workspace, clock, zone, logger)
        return StoreRebuilding(workspace: workspace, accounts: accounts, store: store) { other in
            UseCases(
                workspace: workspace, store: other, clock: clock, zone: zone, logger: logger, isLocked: true)
        }
    }
    var export: StoreExport {
        StoreExport(workspace: workspace, accounts: accounts, connections: connections, store: store)
    }

    // MARK: Triage
    var loginEnds: LoginEnds {
        LoginEnds(workspace: workspace, clock: clock)
    }
    var renamed: RenamedAccount {
        RenamedAccount(accounts: accounts, store: store)
    }
    var oldMail: OldMail {
        OldMail(store: store, loader: loader, surroundings: surroundings)
    }
    var planner: TriagePlanner {
        TriagePlanner(
            accounts: accounts, store: store, loader: loader, surroundings: surroundings, oldMail: oldMail,
            brakes: brakes, refused: refused, wakingMail: wakingMail)
    }
    var protections: ProtectionCheck {
        ProtectionCheck(surroundings: surroundings)
    }
    var brakes: BrakeCheck {
        BrakeCheck(workspace: workspace, store: store)
    }
    var delegating: Delegating {
        Delegating(
            workspace: workspace, accounts: accounts, addresses: addresses,
            originals: reading, lookup: lookup, clock: clock, zone: zone)
    }
    var reading: OriginalsReading {
        OriginalsReading(connections: connections, store: store, clock: clock)
    }
    var answers: AutoAnswering {
        AutoAnswering(
            accounts: accounts, addresses: addresses, lookup: lookup, clock: clock, zone: zone)
    }
    var triage: Triage {
        Triage(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lookup: lookup,
            planner: planner, protections: protections, sendHistory: sendHistory, tasks: tasks,
            syncing: syncing, runner: runner, delegating: delegating, answers: answers,
            quiet: QuietInbox(workspace: workspace, store: store, clock: clock), clock: clock)
    }
    var byHand: HandCommands {
        HandCommands(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lookup: lookup,
            protections: protections, syncing: syncing, runner: runner, delegating: delegating, whole: whole,
            clock: clock)
    }

    var firstDay: FirstDay {
        FirstDay(
            workspace: workspace, accounts: accounts, store: store, loader: loader, byHand: byHand,
            syncing: syncing, clock: clock)
    }

    // MARK: Rules
    var explaining: RuleExplaining {
        RuleExplaining(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lookup: lookup,
            lines: lines, surroundings: surroundings, planner: planner)
    }
    var diffing: RuleDiffing {
        RuleDiffing(
            workspace: workspace, accounts: accounts, loader: loader, lookup: lookup,
            surroundings: surroundings, oldMail: oldMail)
    }
    var making: RuleMaking {
        RuleMaking(workspace: workspace, loader: loader, lookup: lookup, now: clock.now)
    }
    var suggesting: RuleSuggesting {
        RuleSuggesting(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lookup: lookup,
            surroundings: surroundings, oldMail: oldMail, now: clock.now)
    }
    var rules: RuleTools {
        RuleTools(
            workspace: workspace, accounts: accounts, store: store, loader: loader, sendHistory: sendHistory,
            explaining: explaining, diffing: diffing, making: making, suggesting: suggesting, clock: clock)
    }

    // MARK: Journal
    var runner: JournalRunner {
        JournalRunner(
            accounts: accounts, connections: connections, syncing: syncing, store: store, tasks: taskStore,
            files: files, senders: senders, refused: refused, tried: tried, lists: deferredLists,
            whole: whole,
            sentDrafts: sentDrafts, waiting: waitingMoves, stop: stop, clock: clock, logger: logger,
            delivers: delivers)
    }
    var waitingMoves: WaitingMoves {
        WaitingMoves(
            workspace: workspace, store: store, loader: loader, lookup: lookup, protections: protections,
            tasks: tasks, clock: clock)
    }
    var journal: Journal {
        Journal(accounts: accounts, store: store, runner: runner, loginEnds: loginEnds, clock: clock)
    }
    var briefings: Briefings {
        Briefings(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lines: lines,
            tasks: tasks, drafts: drafts, outbox: outbox, waits: waits, bundling: bundling,
            listSenders: listSenders, loginEnds: loginEnds, clock: clock, zone: zone)
    }
    var briefingMailing: BriefingMailing {
        BriefingMailing(
            workspace: workspace, accounts: accounts, store: store, syncing: syncing, runner: runner,
            zone: zone)
    }
    var undo: Undoing {
        Undoing(
            workspace: workspace, accounts: accounts, connections: connections, store: store,
            tasks: taskStore, files: files, lookup: lookup, journal: journal, syncing: syncing,
            runner: runner, taskChanges: taskChanges,
            reverted: RevertedDrafts(store: store, loader: loader, places: places), whole: whole, clock: clock
        )
    }

    // MARK: Deferral
    var deferredLists: DeferredLists {
        DeferredLists(
            workspace: workspace, accounts: accounts, originals: reading, store: store, loader: loader,
            clock: clock, zone: zone)
    }
    var deferralRounds: DeferralRounds {
        DeferralRounds(
            workspace: workspace, store: store, loader: loader, lists: deferredLists, waking: wakingMail,
            leaving: LeavingMail(planner: planner, bundling: bundling), clock: clock)
    }
    var wakingMail: WakingMail {
        WakingMail(workspace: workspace, loader: loader)
    }
    var deferrals: Deferrals {
        Deferrals(
            workspace: workspace, accounts: accounts, clock: clock, lines: lines, lists: deferredLists,
            rounds: deferralRounds)
    }

    // MARK: Orders
    var commandMailboxes: CommandMailboxMaking {
        CommandMailboxMaking(workspace: workspace, accounts: accounts, connections: connections, store: store)
    }
    var orders: Orders {
        Orders(
            workspace: workspace, accounts: accounts, mailboxes: commandMailboxes, held: heldMail,
            store: store, loader: loader,
            delegating: delegating, tasks: tasks, undo: undo, runner: runner, whole: whole, clock: clock)
    }

    // MARK: Mailboxes
    var mailboxes: MailboxLines {
        MailboxLines(accounts: accounts, store: store)
    }
    var mailboxMaking: MailboxMaking {
        MailboxMaking(accounts: accounts, connections: connections, store: store, runner: runner)
    }

    // MARK: Tasks
    var tasks: Tasks {
        Tasks(workspace: workspace, store: store, taskStore: taskStore, clock: clock)
    }
    var taskChanges: TaskChanges {
        TaskChanges(
            workspace: workspace, store: store, tasks: tasks, taskStore: taskStore, files: files,
            whole: whole, clock: clock, logger: logger)
    }
    var taskMail: TaskMail {
        TaskMail(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lookup: lookup,
            lines: lines, tasks: tasks, runner: runner, clock: clock)
    }
    var replies: ReplyNotes {
        ReplyNotes(
            workspace: workspace, accounts: accounts, store: store, waits: waits, nudges: nudgeDrafts,
            runner: runner, clock: clock, zone: zone)
    }
    var waitMaking: WaitMaking {
        WaitMaking(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lookup: lookup,
            byHand: byHand, delegating: delegating, tasks: tasks, follow: follow, runner: runner,
            whole: whole,
            clock: clock)
    }
    var nudging: Nudging {
        Nudging(
            workspace: workspace, accounts: accounts, store: store, waits: waits, composing: composing,
            drafts: drafts, traces: mailTraces, replies: sentReplies, notes: nudgeNotes,
            draftsMailbox: draftsMailbox, taskChanges: taskChanges, whole: whole, clock: clock, zone: zone)
    }
    var nudgeNotes: NudgeNotes {
        NudgeNotes(store: store, tasks: tasks, traces: mailTraces, zone: zone)
    }
    var nudgeDrafts: NudgeDrafts {
        NudgeDrafts(
            store: store, waits: waits, drafts: drafts, mailbox: draftsMailbox, replies: sentReplies,
            notes: nudgeNotes, nudging: nudging, originals: reading, whole: whole, runner: runner)
    }
    var waits: Waits {
        Waits(workspace: workspace, store: store, loader: loader, clock: clock, zone: zone)
    }
    var follow: Following {
        Following(
            workspace: workspace, accounts: accounts, store: store, tasks: taskStore, loader: loader,
            taskChanges: taskChanges, brakes: brakes, undo: undo, deferrals: deferralRounds, replies: replies,
            nudges: nudgeDrafts, runner: runner, clock: clock, zone: zone)
    }

    // MARK: Writing
    var addresses: OwnAddresses {
        OwnAddresses(workspace: workspace)
    }
    var places: DraftPlaces {
        DraftPlaces(accounts: accounts, store: store)
    }
    var sendHistory: SendHistory {
        SendHistory(workspace: workspace, store: store, clock: clock)
    }
    var composing: Composing {
        Composing(
            workspace: workspace, accounts: accounts, lookup: lookup, originals: originals,
            addresses: addresses, waits: draftWaits, clock: clock, zone: zone)
    }
    var draftWaits: DraftWaits {
        DraftWaits(workspace: workspace, store: store, clock: clock)
    }
    var drafts: Drafts {
        Drafts(
            workspace: workspace, accounts: accounts, store: store, loader: loader, lookup: lookup,
            originals: originals, places: places, addresses: addresses, waits: draftWaits,
            clock: clock, zone: zone)
    }
    var draftsMailbox: DraftsMailbox {
        DraftsMailbox(
            accounts: accounts, connections: connections, store: store, loader: loader, originals: originals,
            drafts: drafts, places: places, nudges: nudgeNotes,
            taskChanges: taskChanges, whole: whole, runner: runner, clock: clock)
    }
    var discarding: DraftDiscarding {
        DraftDiscarding(drafts: drafts, mailbox: draftsMailbox, follow: follow, whole: whole)
    }
    var sending: Sending {
        Sending(
            workspace: workspace, accounts: accounts, store: store, drafts: drafts, places: places,
            addresses: addresses, waits: draftWaits,
            elsewhere: sentDrafts,
            sendHistory: sendHistory, runner: runner, clock: clock, zone: zone)
    }
    var sentDrafts: SentDrafts {
        SentDrafts(store: store, places: places, replies: sentReplies)
    }
    var outbox: Outbox {
        Outbox(accounts: accounts, store: store, clock: clock)
    }
    var outboxDelivery: OutboxDelivery {
        OutboxDelivery(sending: sending, outbox: outbox, journal: journal, clock: clock)
    }
    var mailTraces: MailTraces {
        MailTraces(store: store)
    }
    var sentReplies: SentReplies { SentReplies(workspace: workspace, store: store, loader: loader) }
    var listSenders: ListSenders {
        ListSenders(
            accounts: accounts, store: store, traces: mailTraces, list: UnsubscribedList(lists: senders),
            clock: clock)
    }
    var unsubscribing: Unsubscribing {
        Unsubscribing(
            workspace: workspace, accounts: accounts, lookup: lookup, senders: listSenders, drafts: drafts,
            clock: clock, logger: logger)
    }

    var invitations: InvitationAnswering {
        InvitationAnswering(
            accounts: accounts, workspace: workspace, lookup: lookup, originals: originals, store: store,
            drafts: drafts, traces: mailTraces,
            elsewhere: EarlierAnswers(store: store, originals: originals, replies: sentReplies),
            addresses: addresses, syncing: syncing, clock: clock)
    }

    var review: Review {
        Review(
            workspace: workspace, store: store, messages: messages, byHand: byHand, taskMail: taskMail,
            tasks: tasks, taskChanges: taskChanges, waits: waits, deferrals: deferrals, drafts: drafts,
            draftsMailbox: draftsMailbox, outbox: outbox, rules: rules, journal: journal, undo: undo,
            clock: clock, zone: zone)
    }

    // MARK: Inbox
    var inbox: Inbox {
        var booking = self
        booking.delivers = false
        return Inbox(
            workspace: workspace, accounts: accounts, store: store, messages: messages, lookup: lookup,
            byHand: booking.byHand, taskMail: booking.taskMail, waitMaking: booking.waitMaking,
            undoing: booking.undo, draftsMailbox: booking.draftsMailbox, tasks: tasks, brakes: brakes,
            runner: runner, whole: whole, clock: clock)
    }

    // MARK: Watch
    var lock: WorkspaceLock {
        WorkspaceLock(path: workspace.storeFolder + "/lock", isHeld: isLocked)
    }
    var autoTriage: AutoTriage {
        AutoTriage(
            workspace: workspace, triage: triage, brakes: brakes, sendHistory: sendHistory, store: store,
            clock: clock)
    }
    var watchRound: WatchRound {
        WatchRound(
            accounts: accounts, connections: connections, store: store, loader: loader,
            surroundings: surroundings, syncing: syncing, renamed: renamed, orders: orders,
            screener: screener,
            follow: follow, auto: autoTriage, bundling: bundling, runner: runner, sending: sending,
            rules: keeper,
            whole: whole, clock: clock)
    }
    var watch: Watching {
        var (follow, round) = (follow, watchRound)
        follow.grace = Grace(seconds: 120)
        round.follow = follow
        round.orders.grace = Grace(seconds: 8)
        return Watching(
            workspace: workspace, accounts: accounts, connections: connections, store: store,
            round: round, follow: follow, rules: keeper, phases: phases, stop: stop, lock: lock,
            clock: clock, zone: zone)
    }
}
