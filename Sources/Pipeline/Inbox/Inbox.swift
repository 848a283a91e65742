import Accounts
import Foundation
import Glibc
import MIMEParser
import MailStore
public import Models
public import Rules

/// The operations of the one-by-one session: reads the inbox, queues each decision in the journal, and undoes
/// decisions.
///
/// A decision is queued at once and delivered to the account later, so the next message need not wait for a
/// server. All decisions of a session are one run; see docs/decisions/0017-inbox-session.md.
public struct Inbox: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let messages: Messages
    let lookup: MessageLookup
    /// Queues without delivering.
    let byHand: HandCommands
    let taskMail: TaskMail
    let waitMaking: WaitMaking
    let undoing: Undoing
    let draftsMailbox: DraftsMailbox
    let tasks: Tasks
    let brakes: BrakeCheck
    /// Delivers what is queued.
    let runner: JournalRunner
    let whole: WholeRun
    let clock: SessionClock

    /// The result of queuing one order, so that it can be undone.
    public struct Booking: Hashable, Sendable {
        /// The parts of the run, including its first one.
        var parts: [RunID] = []
        public internal(set) var run: RunID?
        public internal(set) var accounts: Set<AccountID> = []
        /// The messages of the order.
        var messages: Set<EmailID> = []
        var rule: RuleFile?

        var isEmpty: Bool { parts.isEmpty && rule == nil }

        struct RuleFile: Hashable {
            var path: String
            var text: String
        }
    }

    // MARK: Looking

    /// The items to decide. `isEverything`: also conversations with an open task.
    public func items(
        account: String?, matching query: Query?, isEverything: Bool = false
    ) throws -> [InboxItem] {
        InboxItem.items(
            of: try messages.list(account: account, folder: nil, everywhere: false, matching: query),
            labels: workspace.bundleLabels, withDecided: isEverything)
    }

    /// The messages of the inbox that match.
    public func search(_ query: Query, account: String?) throws -> Set<EmailID> {
        Set(
            try messages.list(account: account, folder: nil, everywhere: false, matching: query).map(
                \.facts.id))
    }

    /// The stored content of an item; needs no connection.
    public func reading(of item: InboxItem) throws -> InboxReading {
        InboxReading(
            try item.messages.prefix(InboxReading.mostParts).map { try lookup.require($0) },
            of: item.messages.count)
    }

    /// Checks the value of a verb before the item leaves the screen.
    public func check(_ verb: InboxVerb, of item: InboxItem) throws {
        let account = item.account
        switch verb {
        case .deferUntil(let phrase):
            guard DeferPhrase(workspace: workspace, now: clock.now).until(phrase) == nil else { return }
            throw Problem("bad-date", exit: .usage, message: "\"\(phrase)\" is not a future time")
        case .wait(let phrase): if !phrase.isEmpty { _ = try tasks.futureDate(phrase) }
        case .move(let word):
            let mailbox = try accounts.requireMailbox(word, of: accounts.require(account))
            guard item.mailboxes.values.allSatisfy({ $0 == mailbox.name }) else { return }
            throw Problem(
                "already-there", exit: .usage, message: "the mail is in \(mailbox.displayName) already")
        case .delegate(let whom, note: _): try waitMaking.check(whom, of: account)
        case .archive, .trash, .junk, .label, .task, .rule, .draft: return
        }
    }

    /// A free file name in the rules folder.
    public func newPath(ofRule id: String) -> String {
        let names = ["60-\(id)"] + (2..<100).map { "60-\(id)-\($0)" }
        let paths = names.map { workspace.rulesFolder + "/\($0).yaml" }
        return paths.first { !FileManager.default.fileExists(atPath: $0) } ?? paths[0]
    }

    // MARK: Queuing

    /// Queues the steps of an order, and writes what needs no account. Sends nothing.
    ///
    /// If it fails in the middle, `booking` has what was queued before.
    func book(_ order: InboxOrder, _ booking: inout Booking) async throws {
        switch order.verb {
        case .archive: try await byHand(.archive, order, &booking)
        case .trash: try await byHand(.trash, order, &booking)
        case .junk: try await byHand(.junk, order, &booking)
        case .deferUntil(let phrase): try await byHand(.deferUntil(phrase), order, &booking)
        case .move(let mailbox): try await byHand(.move(to: mailbox), order, &booking)
        case .label(let label): try await byHand(.label(label), order, &booking)
        case .task(let title):
            for item in order.items {
                let id = item.messages[0].rawValue
                let draft = try taskMail.draft(
                    ofMessage: id, title: title.isEmpty ? nil : title, on: .next, TodoPatch())
                var report = try await taskMail.make(draft, of: id)
                // A closed task does not count: the user decides again.
                if report.isPresentClosed { report = try await taskMail.make(draft, of: id, again: true) }
                if let present = report.present, order.items.count == 1 {
                    throw Problem(
                        "task-exists", exit: .usage,
                        message: "the task already exists: \(TaskName.short(present))",
                        next: ["opus task from ID --again"])
                }
                booking.note(report)
            }
        case .wait(let phrase):
            let until = try phrase.isEmpty ? nil : tasks.date(phrase)
            for item in order.items {
                booking.note(
                    try await waitMaking.wait(
                        waitMaking.plan(
                            waitFor: item.messages[0].rawValue, who: [], until: until, onReply: nil)
                    ).report)
            }
        case .delegate(let whom, let note):
            for item in order.items {
                booking.note(
                    try await waitMaking.delegate(
                        waitMaking.plan(
                            delegate: item.messages[0].rawValue, to: whom, note: note, until: nil,
                            onReply: nil)
                    ).report)
            }
        case .rule(let path, let text):
            try ImportedRules.write(text, to: path)
            booking.rule = .init(path: path, text: text)
        case .draft:
            for account in Set(order.items.map(\.account)).sorted() {
                let pushed = try await draftsMailbox.push(of: account, command: "inbox")
                booking.note(pushed.report)
            }
        }
    }

    /// Takes the items out of the order whose messages another program has moved or deleted since they were listed. Returns why.
    func takeDeparted(from order: inout InboxOrder) throws -> [InboxFailure] {
        guard order.verb.concernsMessages else { return [] }
        let listed = ListedPlaces(store: store, mailboxes: Self.listed(order))
        var failures: [InboxFailure] = []
        for item in order.items {
            let departed = try item.messages.lazy.compactMap { message in
                try listed.departure(of: message).map {
                    InboxFailure(reason: $0, message: message, order: order.number)
                }
            }.first
            if let departed { failures.append(departed) }
        }
        let departed = Set(failures.compactMap(\.message))
        order.items.removeAll { !departed.isDisjoint(with: $0.messages) }
        return failures
    }

    private static func listed(_ order: InboxOrder) -> [EmailID: MailboxName] {
        order.items.reduce(into: [:]) { $0.merge($1.mailboxes) { first, _ in first } }
    }

    /// Acts on all messages of the items, and on no other message of their conversations: the user saw only
    /// these.
    private func byHand(
        _ effect: HandVerb.Effect, _ order: InboxOrder, _ booking: inout Booking
    ) async throws {
        var verb = HandVerb(effect, takesThread: false)
        // Deferred mail comes back by itself, so `protect` does not apply.
        if case .deferUntil = order.verb { verb.isForced = true }
        let plans = try byHand.plans(for: verb, ids: order.items.flatMap { $0.messages.map(\.rawValue) })
        for plan in plans {
            try ListedPlaces(store: store, mailboxes: Self.listed(order)).requireUnmoved(plan.items)
            if let held = try brakes.problem(with: plan, said: [], command: "opus \(verb.name) …") {
                throw held
            }
            if let item = plan.items.first(where: { $0.protectedBy != nil }) {
                throw Problem(
                    "protected", exit: .someFailed, message: "protected: \(item.protectedBy ?? "")",
                    next: ["opus \(verb.name) … --force"])
            }
        }
        for plan in plans { booking.note(try await byHand.apply(plan, verb: verb)) }
    }

    /// Undoes the steps of one order: steps that have not happened are cancelled, the others are inverted.
    ///
    /// - Returns: Whether an account has to do something, and the reason if a part of the result stays.
    func takeBack(_ booking: Booking) async throws -> (needsAccount: Bool, stays: String?) {
        if let rule = booking.rule { try remove(rule) }
        guard let run = booking.run, !booking.parts.isEmpty else { return (false, nil) }
        var request = UndoRequest(run: run.description)
        request.parts = booking.parts
        var plan = try undoing.plan(request)
        // If a step was delivered, opus checks the account; steps that have not begun need no connection.
        let isLocal = plan.isLocal
        if !isLocal { plan = try await undoing.freshPlan(request) }
        _ = try await undoing.apply(plan)
        return (!isLocal, plan.whatStays)
    }

    private func remove(_ rule: Booking.RuleFile) throws {
        guard FileManager.default.contents(atPath: rule.path) == Data(rule.text.utf8),
            unlink(rule.path) == 0
        else {
            throw Problem(
                "edited", exit: .someFailed, message: "\(rule.path) was edited since, so it stays")
        }
    }

    // MARK: Delivery

    /// The rows of the order's steps in the journal.
    func rows(of booking: Booking) throws -> [Int64] {
        guard let run = booking.run else { return [] }
        return try store.runs.run(run, only: booking.parts)?.steps.compactMap(\.id) ?? []
    }

    /// Executes the due steps of the account.
    func deliver(_ account: AccountID) async throws -> RunReport { try await runner.deliver(account) }
}

extension Inbox.Booking {
    mutating func note(_ report: RunReport) {
        accounts.insert(report.account)
        if let part = report.part { parts.append(part) }
        run = run ?? report.run
    }
}
