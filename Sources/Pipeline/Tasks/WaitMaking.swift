import Accounts
import MIMEParser
import MailStore
public import Models
import Planner

/// Waits that the user makes: for the answer to a mail, and for the person to whom a mail is delegated.
public struct WaitMaking: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let byHand: HandCommands
    let delegating: Delegating
    let tasks: Tasks
    let follow: Following
    let runner: JournalRunner
    let whole: WholeRun
    let clock: SessionClock

    /// The result of a wait.
    public struct Waited: Sendable {
        public var report: RunReport
        /// What an answer that was already here did to the task, in the same run; nil: there is none.
        public var answers: FollowReport?
    }

    /// The result of a delegation.
    public struct Delegated: Sendable {
        public var report: RunReport
        /// The id of the draft, as commands accept it; nil: it is not in the store yet.
        public var draft: String?
    }

    /// The plan of a wait for the answer to a mail. If the user wrote it, everyone in To is to answer (otherwise
    /// in Cc, otherwise in Bcc); if not, its sender. `who` replaces these people.
    public func plan(
        waitFor typed: String, who: [String], until: TodoDate?, onReply: ReplyPolicy?
    ) throws -> Plan {
        let detail = try lookup.message(typed)
        let account = try accounts.require(detail.account)
        let people = try self.people(who, detail, account)
        guard let first = people.first else {
            throw Problem(
                "no-person", exit: .usage, message: "\(typed) has no address of a person to wait for",
                next: ["opus wait \(typed) --who ADDRESS"])
        }
        var waiting = Waiting(on: first)
        if people.count > 1 { waiting.others = Array(people.dropFirst()) }
        waiting.followUp = until
        waiting.onReply = onReply == .decide ? nil : onReply
        guard let place = try loader.facts(.ids([detail.id]), needs: []).first else { throw gone(typed) }
        guard place.mailbox.role == .sent || (place.mailbox.role != .drafts && !place.flags.contains(.draft))
        else {
            throw Problem.unsentDraft(
                "\(typed) is", next: ["opus send \(typed)", "opus compose --wait DATE"])
        }
        var item = Plan.Item(
            message: place.id, key: place.key, thread: place.thread, subject: place.subject, date: place.date)
        item.messageID = place.messageID
        item.from = place.from.first
        item.flags = place.flags
        item.keywords = place.keywords
        item.decisions = [Plan.Decision(rule: Planning.waitByHand, action: .waiting(waiting))]
        var plan = Plan(account: account.id, now: clock.now, timeZone: workspace.timeZone, origin: .hand)
        plan.items = [item]
        try refuseSecond(plan, account)
        return plan
    }

    /// Makes the task of ``plan(waitFor:who:until:onReply:)``. If the answer is already here, the task becomes
    /// what ``ReplyPolicy`` says, as after a run with a new answer.
    public func wait(_ plan: Plan) async throws -> Waited {
        whole.begin()
        defer { whole.end() }
        let report = try await carryOut(plan, accounts.require(plan.account), command: "wait") { _, _ in
            throw NoDelegationByHand()
        }
        return Waited(report: report, answers: try await follow.answers(after: report))
    }

    /// The plan of a delegation: a draft that forwards the mail to `whom`, a task that waits for the answer, and the
    /// conversation in the archive.
    public func plan(
        delegate typed: String, to whom: String, note: String, until: TodoDate?, onReply: ReplyPolicy?
    ) throws -> Plan {
        let detail = try lookup.message(typed)
        let account = try accounts.require(detail.account)
        let to = try person(whom, typed, account)
        var delegation = Delegation(to: to, note: note, followUp: until)
        delegation.onReply = onReply == .decide ? nil : onReply
        let wish = HandWish(verb: "delegate", action: .archive, reach: .company)
        var plan = try byHand.plan(for: wish, [detail.id], account: account)
        guard !plan.items.isEmpty else { throw gone(typed) }
        // The user's own mail stays in Sent, where other programs and the wait look for it.
        let sent = try store.sync.mailboxes(of: account.id).filter { $0.role == .sent }.map(\.name)
        for index in plan.items.indices where sent.contains(plan.items[index].key.mailbox) {
            plan.items[index].decisions.removeAll(where: \.action.isDisposition)
            plan.items[index].threadKeys = []
        }
        plan.items[0].decisions.insert(Plan.Decision(rule: "delegate", action: .delegate(delegation)), at: 0)
        // The task of an earlier delegation of the mail is closed: this one gets a task of its own.
        var number = 1
        while number < LetterWriter.mostRepetitions, let task = try present(plan, account), !task.isOpen {
            number += 1
            plan.items[0].decisions[0].rule = "delegate \(number)"
        }
        try refuseSecond(plan, account)
        return plan
    }

    /// Executes ``plan(delegate:to:note:until:onReply:)`` as one run.
    public func delegate(_ plan: Plan) async throws -> Delegated {
        let account = try accounts.require(plan.account)
        let delegations = plan.items.first?.decisions.compactMap { decision in
            if case .make(.delegate(let delegation)) = decision.action { return delegation }
            return nil as Delegation?
        }
        guard let item = plan.items.first, let delegation = delegations?.first else {
            return Delegated(report: RunReport(account: account.id), draft: nil)
        }
        let names = try store.threads.ownNames(account: account.id, in: [item.thread])
        var letters = try await delegating.letters(
            for: plan, account: account, names: names, isAsked: true)
        // A draft of an undone delegation may be in the trash: two mails with one Message-ID would be taken for each other.
        while letters.identity.repetition < LetterWriter.mostRepetitions,
            try letters.isWritten(delegation, item, in: store)
        {
            letters.identity.repetition += 1
        }
        var report = try await carryOut(plan, account, command: "delegate", compose: letters.compose)
        report.notices += plan.warnings
        try await removeTask(afterRefusal: &report, account)
        let token = try letters.compose(delegation, item).messageID
        let draft = try store.messages.message(with: token, account: account.id)
        let short = try draft.flatMap { try store.messages.shortPrefix(of: [$0])[$0] }
        return Delegated(report: report, draft: short.map { "m:" + $0 })
    }

    /// Throws for an address to which the message cannot be delegated.
    func check(_ whom: String, for typed: String) throws {
        let detail = try lookup.message(typed)
        _ = try person(whom, typed, accounts.require(detail.account))
    }

    /// The same if the message is not known yet.
    func check(_ whom: String, of account: AccountID) throws {
        _ = try person(whom, "ID", accounts.require(account))
    }

    /// `whom`: a name in `people:` of opus.yaml, or an address.

    private func person(_ whom: String, _ typed: String, _ account: Account) throws -> EmailAddress {
        let named = workspace.people.first { $0.name.lowercased() == whom.lowercased() }
        let people =
            try named.map { [$0.addressee] } ?? DraftText.addresses(whom, field: "WHOM").map(workspace.named)
        guard let to = people.first, people.count == 1 else {
            throw Problem(
                "bad-address", exit: .usage, message: "\"\(whom)\" is not one address",
                next: ["opus delegate \(typed) bob@acme.example"])
        }
        guard !isOwn(to, account) else {
            throw Problem(
                "own-address", exit: .usage, message: "\(to.addrSpec) is your own address",
                next: ["opus task from \(typed) makes a task for you"])
        }
        return to
    }

    private func carryOut(
        _ plan: Plan, _ account: Account, command: String,
        compose: (Delegation, Plan.Item) throws -> ComposedMail
    ) async throws -> RunReport {
        var context = try accounts.stepContext(account)
        context.token = try CommandToken.next(in: store)
        context.names = try store.threads.ownNames(account: account.id, in: plan.items.map(\.thread))
        let work = try Planning.workByHand(for: plan, context: context, compose: compose)
        return try await runner.carryOut(work, account: account, command: command, asksWhenInterrupted: true)
    }

    /// Removes the new task in the same run if the account refused the draft: the wait would never begin.
    private func removeTask(afterRefusal report: inout RunReport, _ account: Account) async throws {
        guard report.drain.rejected.contains(where: { $0.isAppend && $0.cause.isByHand }) else { return }
        let unchanged = report.drain.unchanged
        let made = report.drain.confirmed.compactMap { step -> TodoID? in
            guard case .createTodo(let todo) = step.kind, let id = step.id, !unchanged.contains(id) else {
                return nil
            }
            return todo.id
        }
        var context = try accounts.stepContext(account)
        context.token = try CommandToken.next(in: store)
        let steps = HandSteps(verb: "delegate", context: context)
        let removals = try tasks.files().files.filter { made.contains($0.todo.id) }.map {
            steps.removal(of: $0)
        }
        guard !removals.isEmpty else { return }
        let removal = try await runner.carryOut(
            QueuedWork(steps: removals), account: account, command: "delegate", partOf: report.run)
        report.drain.confirmed += removal.drain.confirmed
        report.drain.rejected += removal.drain.rejected
    }

    /// A task gets its id from its mail, so a second wait would have the id of the first one.
    private func refuseSecond(_ plan: Plan, _ account: Account) throws {
        guard let present = try present(plan, account) else { return }
        throw Problem(
            "already-waiting", exit: .usage,
            message:
                "a task of this mail already waits for \(present.contact ?? present.waitingOn ?? "an answer")"
                + (present.isOpen ? "" : ", and is closed"),
            next: [
                "opus task show \(TaskName.short(present.id))",
                present.isOpen ? "opus undo" : "opus task reopen \(TaskName.short(present.id))",
            ])
    }

    /// The task that the plan would make, if it exists.
    private func present(_ plan: Plan, _ account: Account) throws -> Todo? {
        let names = try store.threads.ownNames(account: account.id, in: plan.items.map(\.thread))
        let ids = Planning.todos(of: plan, names).map(\.todo)
        return try tasks.files().files.map(\.todo).first { ids.contains($0.id) }
    }

    private func people(_ who: [String], _ mail: StoredMessage, _ account: Account) throws -> [EmailAddress] {
        guard who.isEmpty else {
            return try who.flatMap { try DraftText.addresses($0, field: "--who") }.map(workspace.named)
        }
        guard mail.from.contains(where: { isOwn($0, account) }) else {
            return mail.from.prefix(1).filter(\.hasLocalPart)
        }
        let others = [mail.to, mail.cc, mail.bcc].map {
            $0.filter { $0.hasLocalPart && !isOwn($0, account) }
        }
        return others.first { !$0.isEmpty } ?? []
    }

    private func isOwn(_ address: EmailAddress, _ account: Account) -> Bool {
        workspace.own(with: account).contains(address)
    }

    private func gone(_ typed: String) -> Problem {
        Problem(
            "gone", exit: .notFound, message: "\(typed) is no longer in any mailbox", next: ["opus sync"])
    }
}

extension Problem {
    /// A wait for the answer to a mail that was not sent.
    static func unsentDraft(_ subject: String, next: [String] = []) -> Problem {
        Problem(
            "unsent-draft", exit: .badData,
            message: "\(subject) a draft that was not sent: the wait begins with the mail", next: next)
    }
}
