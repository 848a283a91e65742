import Accounts
import MIMEParser
import MailStore
public import Models
import Rules

/// Collects a ``Briefing`` from the store, the tasks and the journal. Changes nothing.
public struct Briefings: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lines: MessageLines
    let tasks: Tasks
    let drafts: Drafts
    let outbox: Outbox
    let waits: Waits
    let bundling: Bundling
    let listSenders: ListSenders
    let loginEnds: LoginEnds
    let clock: SessionClock
    let zone: ZoneClock

    /// The command in the journal for a briefing that is put into the inbox.
    static let command = "briefing"
    /// An account that was not synced for this many seconds is reported.
    static let staleAfter: Int64 = 86_400
    private static let trendDays = 14

    /// The briefing of a day, at the current time of day; nil: today. `account`: only the mail of this
    /// account.
    public func briefing(of day: CalendarDate? = nil, account name: String? = nil) throws -> Briefing {
        let ids = try accounts.ids(named: name)
        let local = zone.local(clock.now)
        let day = day ?? local.date
        let now =
            day == local.date ? clock.now : instant(LocalDateTime(date: day, secondOfDay: local.secondOfDay))
        let midnight = instant(LocalDateTime(date: day, secondOfDay: 0))
        let yesterday = instant(LocalDateTime(date: day.adding(days: -1), secondOfDay: 0))
        let last = try store.runs.lastRun(of: Self.command, before: midnight)
        var briefing = Briefing(day: day, now: now, since: last ?? yesterday)
        try addMail(to: &briefing, from: midnight, ids)
        let files = try tasks.board().board.files
        let waits = try waits.all(files.map(\.todo))
        try addAnswers(to: &briefing, waits, files, ids)
        let unsent = try addDrafts(to: &briefing, account: name, waits, files)
        addTasks(to: &briefing, files, waits, unsent)
        try addInbox(to: &briefing, ids)
        try addRules(to: &briefing, ids)
        briefing.stillSending = try ids.flatMap { try listSenders.persistent($0, at: now) }
        briefing.staleAccounts = try ids.compactMap { id in
            let sync = try store.sync.lastSync(of: id)
            if let sync, now - sync < Self.staleAfter { return nil }
            return Briefing.StaleAccount(account: id, lastSync: sync)
        }
        briefing.endingLogins = loginEnds.ending(of: ids)
        return briefing
    }

    private func instant(_ local: LocalDateTime) -> Timestamp {
        DatePhrase.instant(of: .local(local, zone: nil), timeZone: zone.zone) ?? clock.now
    }

    // MARK: Mail

    private func addMail(
        to briefing: inout Briefing, from midnight: Timestamp, _ ids: [AccountID]
    ) throws {
        var bundles: [Bundle: [MessageFacts]] = [:]
        let labels = bundling.labels
        let returned = try store.runs.returned(from: midnight, to: briefing.now)
        for id in ids {
            let account = try accounts.require(id)
            let facts = try loader.facts(.role(id, .inbox), needs: [])
            let places = Dictionary(facts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            let shown = try lines.of(returned.compactMap { places[$0] }, account: account)
            briefing.returned += shown.map { line in
                var mail = Self.mail(line)
                mail.bundle = MailBundle.bundle(of: line.facts, labels: labels)
                mail.writer = line.facts.from.first
                return mail
            }
            briefing.newSenders += try newSenders(facts, id, since: briefing.since)
            for message in facts {
                guard let bundle = MailBundle.bundle(of: message, labels: labels) else { continue }
                bundles[bundle, default: []].append(message)
            }
        }
        briefing.bundles = bundles.sorted { $0.key < $1.key }.map { bundle, mail in
            Briefing.BundleCount(
                name: bundle.name, messages: mail.count,
                senders: Set(mail.map { $0.from.first?.comparable ?? "" }).count)
        }
    }

    private static func mail(_ line: MessageLine) -> Briefing.Mail {
        Briefing.Mail(
            id: line.facts.id, shortID: line.shortID, from: line.facts.from.first?.name ?? "(no sender)",
            subject: line.facts.subject.isEmpty ? "(no subject)" : line.facts.subject)
    }

    /// Writers of mail in the inbox whose first message arrived since the last briefing, without those to whom the user
    /// wrote before, from any account. Delivery reports, receipts and automatic replies have no writer.
    private func newSenders(
        _ facts: [MessageFacts], _ account: AccountID, since: Timestamp
    ) throws -> [Briefing.Sender] {
        let own = OwnAddressSet(workspace.addresses)
        let known = try store.sync.writtenTo(accounts: workspace.accounts.map(\.id)).inMailSpelling
        var found: [String: [MessageFacts]] = [:]
        for message in facts where message.received >= since {
            guard let writer = message.from.first, !own.contains(writer),
                !known.contains(writer.mailComparable)
            else { continue }
            found[writer.comparable, default: []].append(message)
        }
        guard !found.isEmpty else { return [] }
        let arrivals = try store.threads.arrivals(account: account, of: Set(found.keys))
        return try found.filter { key, _ in arrivals[key]?.first.map { $0 >= since } ?? false }
            .sorted { $0.key < $1.key }.compactMap { _, messages in
                let written = try messages.filter { try !isAutomatic($0) }
                guard let writer = written.first?.from.first else { return nil }
                return Briefing.Sender(
                    name: writer.name, address: writer.addrSpec, messages: written.count)
            }
    }

    private func isAutomatic(_ message: MessageFacts) throws -> Bool {
        switch try loader.answerKind(of: message, zone) {
        case .automaticReply, .bounce, .receipt: true
        case .human, .calendar, .list: false
        }
    }

    // MARK: Tasks and drafts

    /// The answers of people that need a decision: in the inbox, in Junk, or new. With `on-reply: keep` the task keeps waiting, so
    /// its answers need none.
    private func addAnswers(
        to briefing: inout Briefing, _ waits: [TodoID: Wait], _ files: [TodoFile], _ ids: [AccountID]
    ) throws {
        var answers: [EmailID: (task: TodoID, answer: Wait.Answer, days: Int64)] = [:]
        for todo in files.map(\.todo) where todo.isOpen && todo.onReply != .keep {
            guard let wait = waits[todo.id], todo.list != .waiting || wait.state == .answered else {
                continue
            }
            for answer in wait.answers {
                answers[answer.message] = (todo.id, answer, wait.days(until: answer))
            }
        }
        guard !answers.isEmpty else { return }
        var seen: Set<EmailID> = []
        let present = try loader.facts(.ids(answers.keys.sorted()), needs: []).filter { facts in
            guard ids.contains(facts.key.account), facts.mailbox.role != .trash else { return false }
            return
                (facts.mailbox.role == .inbox || facts.mailbox.role == .junk
                || facts.received >= briefing.since) && seen.insert(facts.id).inserted
        }
        for id in ids {
            let shown = present.filter { $0.key.account == id }
            for line in try lines.of(shown, account: try accounts.require(id)) {
                guard let (task, answer, days) = answers[line.facts.id] else { continue }
                briefing.answered.append(
                    Briefing.Answer(
                        mail: Self.mail(line), task: task, days: Int(days), isGuess: answer.isGuess,
                        isInJunk: line.facts.mailbox.role == .junk))
            }
        }
    }

    /// - Returns: the tasks that wait for an answer to one of these drafts.
    private func addDrafts(
        to briefing: inout Briefing, account name: String?, _ waits: [TodoID: Wait], _ files: [TodoFile]
    ) throws -> Set<TodoID> {
        var tasks: [String: TodoID] = [:]
        for todo in files.map(\.todo) where waits[todo.id]?.state == .drafted {
            guard let token = todo.delegatedMessageID else { continue }
            tasks[DraftName.hash(of: token)] = todo.id
            for account in workspace.accounts {
                guard let draft = try store.messages.message(with: token, account: account.id) else {
                    continue
                }
                tasks[draft.rawValue] = todo.id
            }
        }
        briefing.drafts = try drafts.list(account: name).compactMap { line in
            var draft = Self.draft(line)
            draft?.task = tasks[line.name]
            draft?.wait = line.wait
            return draft
        }
        briefing.stopped = try outbox.list(account: name).compactMap { mail in
            switch mail.state {
            case .needsDecision, .held: break
            case .failed: guard try !outbox.hasDraft(mail) else { return nil }
            case .queued, .sending, .unknown, .sent, .discarded: return nil
            }
            return Briefing.StoppedMail(
                id: mail.id, to: mail.recipients.first ?? "(no recipient)",
                subject: mail.subject.isEmpty ? "(no subject)" : mail.subject, state: mail.state)
        }
        return Set(briefing.drafts.compactMap(\.task))
    }

    private func addTasks(
        to briefing: inout Briefing, _ files: [TodoFile], _ waits: [TodoID: Wait], _ unsent: Set<TodoID>
    ) {
        let board = TaskBoard(files, now: briefing.now, timeZone: zone.zone)
        for todo in files.map(\.todo) where todo.isOpen {
            if todo.list == .waiting {
                guard !unsent.contains(todo.id) else { continue }
                briefing.waiting.append(wait(todo, waits[todo.id], board, on: briefing.day))
                continue
            }
            guard let day = todo.due.map(zone.day), day <= briefing.day else { continue }
            briefing.due.append(
                Briefing.DueTask(
                    id: todo.id, summary: todo.summary, due: day,
                    isOverdue: day < briefing.day || board.isOverdue(todo)))
        }
        briefing.due.sort { ($0.due, $0.summary, $0.id) < ($1.due, $1.summary, $1.id) }
        briefing.waiting.sort {
            ($0.rank, $1.days ?? 0, $0.summary, $0.id) < ($1.rank, $0.days ?? 0, $1.summary, $1.id)
        }
    }

    /// `known` is nil for a task without a person's address.
    private func wait(
        _ todo: Todo, _ known: Wait?, _ board: TaskBoard, on day: CalendarDate
    ) -> Briefing.Wait {
        let isOverdue = board.isToBeAsked(todo) || board.isOverdue(todo)
        var state = known?.state ?? (isOverdue ? .overdue : .sent)
        // A briefing for another day: the state is computed for that day.
        if state == .sent || state == .overdue { state = isOverdue ? .overdue : .sent }
        let since = known.map(\.since) ?? todo.created
        let days = since.map { Int(day.daysSinceEpoch - zone.local($0).date.daysSinceEpoch) }
        return Briefing.Wait(
            id: todo.id, who: todo.contact ?? todo.waitingOn ?? "", summary: todo.summary, state: state,
            days: days.map { max(0, $0) }, answered: Self.names(known?.answers.map(\.from)),
            undelivered: Self.names(known?.failures.flatMap(\.recipients)))
    }

    /// Names each person once.
    private static func names(_ people: [EmailAddress]?) -> [String] {
        var seen: Set<String> = []
        return (people ?? []).filter { seen.insert($0.comparable).inserted }.map(\.name)
    }

    private static func draft(_ line: DraftLine) -> Briefing.Draft? {
        switch line.state {
        case .sending, .removedElsewhere: nil
        case .saved, .local, .unfinished, .refused, .elsewhere:
            Briefing.Draft(
                id: line.id, to: line.to.first?.name ?? "(no recipient)",
                subject: line.subject.isEmpty ? "(no subject)" : line.subject,
                isRefused: line.state == .refused)
        }
    }

    // MARK: Inbox and rules

    private func addInbox(to briefing: inout Briefing, _ ids: [AccountID]) throws {
        let first = briefing.day.adding(days: 1 - Self.trendDays)
        let earliest = first.adding(days: -60)
        let isToday = briefing.day == zone.local(clock.now).date
        var noted: [[CalendarDate: Int]] = []
        for id in ids {
            var counts = try store.sync.inboxCounts(of: id, from: earliest, to: briefing.day)
            if isToday { counts[briefing.day] = try store.sync.inboxCount(of: id) }
            noted.append(counts)
        }
        let days = (0..<Self.trendDays).map { first.adding(days: $0) }
        briefing.trend = InboxTrend.days(days, noted, from: earliest)
        briefing.inbox = briefing.trend.last?.messages ?? 0
    }

    private func addRules(to briefing: inout Briefing, _ ids: [AccountID]) throws {
        briefing.ruleRuns = try store.runs.runsByRules(from: briefing.since, to: briefing.now)
            .filter { ids.contains($0.account) }.map { run in
                Briefing.RuleRun(
                    id: run.id, account: run.account, startedAt: run.startedAt,
                    changes: run.steps.values.reduce(0, +), rules: run.steps.keys.sorted())
            }
        let library = RuleLibrary.load(workspace)
        // `opus rules check` reports rules with errors; their use is unknown.
        guard library.errors.isEmpty else { return }
        briefing.unusedRules = try RuleFindings(
            workspace: workspace, store: store, now: clock.now
        ).neglected(library).map(\.id)
    }
}

extension Briefing.Wait {
    /// Waits that need the user are first.
    fileprivate var rank: Int {
        switch state {
        case .undelivered: 0
        case .overdue: 1
        case .drafted, .sent, .answered, .closed: 2
        }
    }
}

/// The size of the inbox on each day, over all accounts.
enum InboxTrend {
    /// A day without a count has the size of the day before it. nil: no account had been counted by then.
    static func days(
        _ days: [CalendarDate], _ noted: [[CalendarDate: Int]], from earliest: CalendarDate
    ) -> [Briefing.Day] {
        let sorted = noted.map { counts in counts.sorted { $0.key < $1.key } }
        return days.map { day in
            let known = sorted.compactMap { counts in counts.last { $0.key <= day }?.value }
            return Briefing.Day(day: day, messages: known.isEmpty ? nil : known.reduce(0, +))
        }
    }
}
