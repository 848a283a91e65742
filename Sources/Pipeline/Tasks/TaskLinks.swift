import MIMEParser
import MailStore
import Models
import Planner
import TaskStore

/// The mail that each changed task may decide about: mail that opus or the user linked to it.
///
/// If a list is shared, others can write a task file. A reference to a mail in it (`X-OPUS-MESSAGE-ID`, a
/// `mid:` link) proves nothing: such mail is only claimed.
struct TaskLinks {
    /// The changes of a scan; a file that continues a vanished file counts as the same task.
    private(set) var changes: [TodoChange]
    private(set) var mail: [TodoID: LinkedMail] = [:]
    /// Mail that only the file names.
    private(set) var claimed: [TodoID: LinkedMail] = [:]
    private(set) var successions: [TodoSuccession] = []

    private typealias Target = (message: EmailID, account: AccountID)
    private let store: Store
    private let accounts: [AccountID]
    private let loader: FactLoader
    private let addresses: OwnAddressSet

    /// How long after its file vanished another file can continue a task. In seconds.
    private static let succession: Int64 = 86_400

    /// `own`: the user's addresses.
    init(
        _ scan: TaskScan, store: Store, accounts: [AccountID], own: OwnAddressSet, now: Timestamp
    ) throws {
        self.store = store
        self.accounts = accounts
        addresses = own
        loader = FactLoader(store: store)
        changes = scan.changes
        let stored = try store.todos.links(for: scan.changes.map(\.todo.id))
        var targets: [TodoID: Target] = [:]
        var claims: [TodoID: Target] = [:]
        for todo in scan.changes.map(\.todo) where targets[todo.id] == nil && claims[todo.id] == nil {
            if let link = stored[todo.id] {
                targets[todo.id] = (link.message, link.account)
            } else if let found = try find(todo) {
                if try isOwn(todo, found) {
                    try store.todos.linkTodo(
                        todo.id, to: found.message, account: found.account, rule: todo.rule ?? "")
                    targets[todo.id] = found
                } else {
                    claims[todo.id] = found
                }
            }
        }
        try join(scan, &targets, &claims, now)
        try takeUp(targets, now)
        let gone = Set(scan.changes.filter(\.isDeletion).map(\.todo.id))
        let times = Dictionary(scan.files.map { ($0.todo.id, ChangeTime($0)) }) { first, _ in first }
        for (todo, target) in targets {
            mail[todo] = try linkedMail(target, without: gone, changed: times[todo])
        }
        for (todo, target) in claims {
            claimed[todo] = try linkedMail(target, without: gone, changed: times[todo])
        }
    }

    /// When the person changed a task.
    private struct ChangeTime {
        var written: Timestamp
        var completed: Timestamp?

        init(_ file: TodoFile) {
            written = Timestamp(seconds: file.modifiedNanoseconds / 1_000_000_000)
            completed = file.todo.isCompleted ? file.todo.completed : nil
        }

        /// A sync program may write the file much later than a phone completed the task. A program with a wrong clock may
        /// say that this was before the mail of the task came; such a time is not used.
        func time(ofMailReceived received: Timestamp) -> Timestamp? {
            guard written >= received else { return nil }
            guard let completed, completed >= received else { return written }
            return min(completed, written)
        }
    }

    /// After the store was lost, there are no links: the UID shows which files opus wrote.
    private func isOwn(_ todo: Todo, _ target: Target) throws -> Bool {
        guard let rule = todo.rule, let detail = try store.messages.detail(of: target.message) else {
            return false
        }
        return TodoIdentity.isOwn(
            todo.id, account: target.account, messageID: detail.messageID, message: target.message,
            digest: try store.threads.digests(of: [target.message])[target.message], rule: rule)
    }

    /// The message that the file names. If several messages have the same `Message-ID`, the one from which
    /// the UID was computed.
    private func find(_ todo: Todo) throws -> Target? {
        guard let messageID = todo.messageID else { return nil }
        for account in accounts where todo.account == nil || account == todo.account {
            let named: [Target] = try store.messages.messages(with: messageID, account: account).map {
                ($0, account)
            }
            if let own = try named.first(where: { try isOwn(todo, $0) }) ?? named.first { return own }
        }
        return nil
    }

    // MARK: Files that continue others

    private mutating func join(
        _ scan: TaskScan, _ targets: inout [TodoID: Target], _ claims: inout [TodoID: Target],
        _ now: Timestamp
    ) throws {
        var vanished: [TodoSuccession.Vanished] = []
        var appeared: [(todo: Todo, message: EmailID)] = []
        for change in scan.changes {
            switch change {
            case .deleted(let todo, wasOpen: true):
                guard let target = targets[todo.id] else { continue }
                vanished.append(.init(id: todo.id, message: target.message, summary: todo.summary))
                for (other, found) in try others(of: todo, scan) {
                    guard found.message == target.message, claims[other.id] == nil else { continue }
                    claims[other.id] = found
                    appeared.append((other, found.message))
                }
            case .added(let todo):
                guard let claim = claims[todo.id] else { continue }
                appeared.append((todo, claim.message))
                for old in try store.todos.vanished(from: claim.message, since: now - Self.succession)
                where !vanished.contains(where: { $0.id == old }) {
                    vanished.append(.init(id: old, message: claim.message, summary: nil))
                }
            case .completed, .reopened, .cancelled, .startChanged, .movedList, .edited,
                .deleted(_, wasOpen: false):
                continue
            }
        }
        guard !vanished.isEmpty, !appeared.isEmpty else { return }
        successions = TodoSuccession.pairs(vanished: vanished, appeared: appeared)
        changes = TodoSuccession.rewrite(changes, successions)
        for pair in successions { targets[pair.new.id] = claims.removeValue(forKey: pair.new.id) }
        // Unchanged files that were only searched claim nothing.
        let changed = Set(changes.map(\.todo.id))
        claims = claims.filter { changed.contains($0.key) }
    }

    /// A sync program may write the file of a task again after a scan that found it gone: it may be done by then. An open
    /// task that comes back moves nothing, because its earlier list is not known.
    private mutating func takeUp(_ targets: [TodoID: Target], _ now: Timestamp) throws {
        changes = try changes.map { change in
            guard case .added(let todo) = change, let target = targets[todo.id],
                try store.todos.vanished(from: target.message, since: now - Self.succession).contains(todo.id)
            else { return change }
            if todo.status == .cancelled { return .cancelled(todo) }
            return todo.isCompleted ? .completed(todo) : change
        }
    }

    /// Existing files that name the same mail and have no link.
    private func others(of todo: Todo, _ scan: TaskScan) throws -> [(Todo, Target)] {
        guard let messageID = todo.messageID else { return [] }
        let added = Set(scan.changes.map(\.todo.id))
        let files = scan.files.map(\.todo).filter { $0.messageID == messageID && !added.contains($0.id) }
        let linked = try store.todos.links(for: files.map(\.id))
        return try files.filter { linked[$0.id] == nil }.compactMap { other in
            try find(other).map { (other, $0) }
        }
    }

    // MARK: Mail

    private func linkedMail(
        _ target: Target, without gone: Set<TodoID>, changed: ChangeTime?
    ) throws -> LinkedMail? {
        guard let detail = try store.messages.detail(of: target.message) else { return nil }
        let thread = try store.messages.facts(.thread(detail.thread)).filter {
            $0.key.account == target.account
        }
        let own = thread.first { $0.id == target.message }
        let conversation = own?.conversation ?? detail.conversation
        let facts = thread.filter { $0.conversation == conversation }
        let company = try loader.company(in: [detail.thread], account: target.account, own: addresses)
        let deferrals = try store.deferrals.dates(account: target.account)
        return LinkedMail(
            message: target.message, account: target.account, thread: detail.thread,
            placements: facts.map {
                MessagePlace(message: $0.id, key: $0.key, mailbox: $0.mailbox, flags: $0.flags)
            },
            deferrals: deferrals.filter { (id, _) in facts.contains { $0.id == id } },
            openTodos: Array(Set(facts.flatMap(\.openTodos)).subtracting(gone)).sorted(),
            putAway: try putAway(Set(facts.map(\.id)), by: target.message),
            others: Self.others(
                facts, than: own ?? MessageFacts(withoutPlace: detail), company,
                changedAt: changed?.time(ofMailReceived: own?.received ?? detail.received)))
    }

    /// Messages of the conversation that do not belong to a task made from one of its messages, and unread ones that came
    /// after the task was changed: the person who changed it did not know of them.
    private static func others(
        _ facts: [MessageFacts], than own: MessageFacts, _ company: Company, changedAt: Timestamp?
    ) -> Set<EmailID> {
        Set(
            facts.filter { message in
                guard message.id != own.id else { return false }
                let isLater = changedAt.map { message.received > $0 } ?? false
                return isLater && !message.flags.contains(.seen)
                    || !company.takes(message, flags: message.flags, with: own)
            }.map(\.id))
    }

    /// Messages whose last move was caused by the task of the message `own`, with the destination. Messages that the user
    /// or a rule moved since, and those of undone runs, are left out, and so are messages that left before `own` did: an
    /// earlier task of the conversation moved these.
    private func putAway(_ messages: Set<EmailID>, by own: EmailID) throws -> [EmailID: MailboxName] {
        var putAway: [EmailID: (mailbox: MailboxName, run: RunID)] = [:]
        for message in messages {
            let moves = try store.runs.runsMentioning(message).lazy.filter { $0.step.state == .confirmed }
            for (run, step) in moves {
                guard case .move(_, let destination) = step.kind else { continue }
                if case .task(let change) = step.cause, change.putsAway {
                    putAway[message] = (destination.name, run)
                }
                break
            }
        }
        guard let first = putAway[own]?.run else { return putAway.mapValues(\.mailbox) }
        return putAway.filter { $0.value.run >= first }.mapValues(\.mailbox)
    }

    /// Takes messages for already moved.
    mutating func place(at destinations: [MessageKey: Mailbox]) {
        guard !destinations.isEmpty else { return }
        let placed = { (mail: LinkedMail) in
            var mail = mail
            for index in mail.placements.indices {
                guard let mailbox = destinations[mail.placements[index].key] else { continue }
                mail.placements[index].mailbox = mailbox
            }
            return mail
        }
        (mail, claimed) = (mail.mapValues(placed), claimed.mapValues(placed))
    }

    // MARK: Afterwards

    /// Stores the results of the scan after its steps are in the journal. `later`: tasks whose change waits.
    func note(later: Set<TodoID>, at now: Timestamp) throws {
        for pair in successions where !later.contains(pair.new.id) {
            try store.todos.handOver(pair.old, to: pair.new.id)
        }
        let vanished = changes.compactMap { change -> TodoID? in
            guard case .deleted(let todo, wasOpen: true) = change else { return nil }
            return later.contains(todo.id) ? nil : todo.id
        }
        try store.todos.noteVanished(vanished, at: now)
    }

    /// Turns links that an older version made from a file into claims.
    static func verify(_ store: Store, files: [TodoFile]) throws {
        let claimed = try store.todos.claimedLinks()
        guard !claimed.isEmpty else { return }
        let todos = Dictionary(files.map { ($0.todo.id, $0.todo) }) { first, _ in first }
        for (id, link) in try store.todos.links(for: claimed) {
            let messageID = try store.messages.detail(of: link.message)?.messageID
            let digest = try store.threads.digests(of: [link.message])[link.message]
            let rules = Set([link.rule, todos[id]?.rule].compactMap(\.self))
            let isOwn = rules.contains {
                TodoIdentity.isOwn(
                    id, account: link.account, messageID: messageID, message: link.message,
                    digest: digest, rule: $0)
            }
            if isOwn {
                try store.todos.linkTodo(id, to: link.message, account: link.account, rule: link.rule)
            } else {
                try store.todos.unlink(id)
            }
        }
    }
}

extension TodoChange {
    fileprivate var isDeletion: Bool {
        if case .deleted = self { return true }
        return false
    }
}
