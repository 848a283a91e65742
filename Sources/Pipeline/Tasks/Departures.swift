import Accounts
import MIMEParser
import MailStore
import Models
import Planner
import Rules

/// Finds out whether the mails were sent whose answers tasks wait for. A wait starts when its mail was sent,
/// not when the draft was written.
struct Departures {
    let store: Store
    let loader: FactLoader
    /// Addresses of the user.
    let own: [EmailAddress]
    let account: Account

    /// What happened to the mail of a delegation.
    enum Fate: Equatable {
        case left(Timestamp)
        /// The draft exists, or is being saved in the Drafts mailbox.
        case draft
        /// There was a draft, but it no longer exists. If the journal does not know it, another machine may still put it
        /// into the Drafts mailbox.
        case discarded
        /// No draft is known.
        case unknown
    }

    /// When the waits of these tasks started; only for delegations. nil: the mail was not sent.
    func waits(_ todos: some Sequence<Todo>) throws -> [TodoID: Timestamp?] {
        var waits: [TodoID: Timestamp?] = [:]
        for todo in todos where todo.list == .waiting {
            guard let token = todo.delegatedMessageID else { continue }
            switch try fate(of: token, todo) {
            case .left(let time): waits.updateValue(time, forKey: todo.id)
            case .draft, .discarded: waits.updateValue(nil, forKey: todo.id)
            case .unknown: continue
            }
        }
        return waits
    }

    func fate(of token: MessageID, _ todo: Todo) throws -> Fate {
        if let time = try store.runs.departure(of: token, account: account.id) { return .left(time) }
        let draft = try store.messages.message(with: token, account: account.id)
        let related = try related(to: todo, draft)
        if let sent = try edited(token) { return .left(sent.time) }
        if let time = try sent(token, todo, related).first?.date { return .left(time) }
        if let time = try answered(token, todo, related) { return .left(time) }
        if related.contains(where: { isDraft($0, token, todo) }) { return .draft }
        if !WaitLine.saysSent(todo.notes),
            try store.drafts.drafts(of: account.id).contains(where: { try isVersion($0, todo) })
        {
            return .draft
        }
        guard let (_, step) = try store.runs.appended(token, account: account.id) else {
            // A draft that has not reached the Drafts mailbox yet cannot have been sent.
            let isWaiting = try store.journal.openSteps(of: account.id).contains { $0.token == token }
            guard !isWaiting else { return .draft }
            switch try store.runs.submission(of: token, account: account.id)?.step.state {
            // The user can still send it (`opus outbox retry`), or has to say whether it was sent (`opus outbox settle`).
            case .rejected, .needsDecision: return .draft
            case .cancelled where try !store.runs.mayHaveDeparted(token, account: account.id):
                return .discarded
            case _: break
            }
            guard try isKnownUnsent(todo) else { return .unknown }
            return try draft == nil || isGone(token, related) ? .discarded : .unknown
        }
        if try draft == nil && !isSynced(since: step) { return .draft }
        if try isRebinding(step) { return .draft }
        if let row = step.id, try store.runs.isRemoved(token, since: row, account: account.id) {
            return .discarded
        }
        // The mail was sent, and its copy has left Sent since, such as by a cleanup.
        if WaitLine.saysSent(todo.notes) { return .unknown }
        // If another program moved the draft, it was discarded. If the program renamed the mailbox, the draft was kept.
        let elsewhere = related.filter { $0.messageID == token && $0.flags.contains(.draft) }
        if !elsewhere.isEmpty {
            let isKept = elsewhere.contains { $0.mailbox.role != .trash && $0.mailbox.role != .junk }
            return try isKept && isMailboxRenamed(step) ? .draft : .discarded
        }
        let mailboxes = try store.sync.mailboxes(of: account.id)
        // A server may leave a mailbox out of its list for a while: that discards nothing.
        guard mailboxes.contains(where: { $0.role == .drafts }) else { return .draft }
        // Without a mailbox of sent mail, opus cannot distinguish sent mail from deleted mail.
        return mailboxes.contains { $0.role == .sent } ? .discarded : .unknown
    }

    /// The mail that was sent instead of this draft, after the user had edited it; nil: none, or more than one may be.
    private func edited(_ token: MessageID) throws -> (mail: MessageID, time: Timestamp)? {
        let mails = Set(
            try store.drafts.successors(of: token, account: account.id).map(OpenDraft.draft(ofVersion:)))
        let sent = try mails.compactMap { mail in
            try store.runs.departure(of: mail, account: account.id).map { (mail, $0) }
        }
        return sent.count == 1 ? sent[0] : nil
    }

    /// A mail of the person that names this one proves that it was sent: others do not know its Message-ID. The time is that
    /// of the task, because the copy in Sent, which has the true one, may come later or never.
    private func answered(
        _ token: MessageID, _ todo: Todo, _ related: [MessageFacts]
    ) throws -> Timestamp? {
        let threads = try store.sync.threads(forIDs: [token], account: account.id).values
        let known = Set(related.map(\.thread))
        let others = try loader.facts(.threads(Set(threads).subtracting(known).sorted()), needs: [])
        let asked = Set(todo.askedPeople.map(\.mailComparable))
        var seen: Set<EmailID> = []
        for facts in related + others
        where facts.key.account == account.id && facts.mailbox.role != .junk
            && facts.from.contains(where: { asked.contains($0.mailComparable) })
            && seen.insert(facts.id).inserted
        {
            guard try store.names(in: facts.id).contains(token) else { continue }
            return min(todo.created ?? facts.received, facts.received)
        }
        return nil
    }

    /// Whether the last run of another store, or of this one before it was lost, saw the draft, and neither the draft nor
    /// the sent mail is in the account.
    private func isKnownUnsent(_ todo: Todo) throws -> Bool {
        guard WaitLine.saysDrafted(todo.notes) else { return false }
        let mailboxes = try store.sync.mailboxes(of: account.id).filter {
            $0.role == .sent || $0.role == .drafts
        }
        return try mailboxes.contains { $0.role == .sent }
            && mailboxes.allSatisfy {
                try store.sync.syncState(of: account.id, mailbox: $0.name)?.syncedAt != nil
            }
    }

    /// Whether this store saw the draft, and it has left the Drafts mailbox without being sent, or lies in the trash.
    private func isGone(_ token: MessageID, _ related: [MessageFacts]) throws -> Bool {
        let drafts = try store.sync.mailboxes(of: account.id).filter { $0.role == .drafts }
        guard !drafts.isEmpty else { return false }
        for mailbox in drafts where try store.sync.notes(of: account.id, mailbox: mailbox.name).isRebinding {
            return false
        }
        return related.allSatisfy {
            $0.messageID != token || $0.mailbox.role == .trash || $0.mailbox.role == .junk
        }
    }

    /// Whether the mailbox was read after the step put a message there. An interrupted run did not read it.
    private func isSynced(since step: Step) throws -> Bool {
        guard case .append(to: let mailbox, _, flags: _, _) = step.kind, let issued = step.issuedAt else {
            return true
        }
        let state = try store.sync.syncState(of: account.id, mailbox: mailbox.name)
        return state?.syncedAt.map { $0 > issued } ?? false
    }

    /// Whether the mailbox into which the step put the draft is gone, or another one has its name now.
    private func isMailboxRenamed(_ step: Step) throws -> Bool {
        guard case .append(to: let mailbox, _, flags: _, _) = step.kind else { return false }
        guard try store.sync.mailboxes(of: account.id).contains(where: { $0.name == mailbox.name }) else {
            return true
        }
        let now = try store.sync.syncState(of: account.id, mailbox: mailbox.name)?.uidValidity
        return step.outcome.place.map { $0.uidValidity != now } ?? false
    }

    /// Whether the mailbox of the draft is being read again and has not been read completely: the draft may be there.
    private func isRebinding(_ step: Step) throws -> Bool {
        guard case .append(to: let mailbox, _, flags: _, _) = step.kind else { return false }
        return try store.sync.notes(of: account.id, mailbox: mailbox.name).isRebinding
    }

    /// The question whose answer a task waits for.
    struct Question {
        /// nil: it has not been sent.
        var since: Timestamp?
        /// The sent mail, or the mail of the task; nil: it is not in the store.
        var mail: MessageFacts?
        /// The message ids to which an answer refers.
        var names: Set<MessageID>
        var threads: Set<ThreadID>
    }

    /// `link`: the mail of the task.
    func question(of todo: Todo, _ link: TodoLink?) throws -> Question {
        var question = try found(todo, link)
        guard question.mail == nil, question.since != nil else { return question }
        // The mail has left Sent, but its answers name it.
        question.names.formUnion(todo.delegatedMessageID == nil ? [todo.messageID].compactMap(\.self) : [])
        question.threads.formUnion(
            try store.sync.threads(forIDs: Array(question.names), account: account.id).values)
        question.mail = try moved(question.names)
        return question
    }

    /// A mail of the user with one of these Message-IDs, in any mailbox, even in the trash.
    private func moved(_ names: Set<MessageID>) throws -> MessageFacts? {
        for name in names.sorted(by: { $0.rawValue < $1.rawValue }) {
            let copies = try store.messages.messages(with: name, account: account.id)
            let mail = try loader.facts(.ids(copies), needs: []).first {
                $0.mailbox.role != .drafts && !$0.flags.contains(.draft) && isOwn($0)
            }
            if let mail { return mail }
        }
        return nil
    }

    private func found(_ todo: Todo, _ link: TodoLink?) throws -> Question {
        guard let token = todo.delegatedMessageID else { return try question(without: todo, link) }
        let draft = try store.messages.message(with: token, account: account.id)
        var threads = Set([link?.thread].compactMap(\.self))
        if let draft, let thread = try store.messages.detail(of: draft)?.thread { threads.insert(thread) }
        switch try fate(of: token, todo) {
        case .left(let time):
            let mails = try sent(token, todo, related(to: todo, draft))
            // An answer to a later mail, such as a nudge, is an answer too.
            var names = Set([token] + mails.compactMap(\.messageID))
            var mail = mails.first
            if let edited = try edited(token)?.mail {
                names.insert(edited)
                mail = try mails.first { $0.messageID == edited } ?? moved([edited]) ?? mail
            }
            if let mail { threads.insert(mail.thread) }
            return Question(since: time, mail: mail, names: names, threads: threads)
        case .draft, .discarded: return Question(names: [token], threads: threads)
        case .unknown: return Question(since: todo.created, names: [token], threads: threads)
        }
    }

    /// A wait for an answer to the mail from which the task was made.
    private func question(without todo: Todo, _ link: TodoLink?) throws -> Question {
        guard let link, let mail = try loader.facts(.ids([link.message]), needs: []).first else {
            return Question(since: todo.created ?? Timestamp(seconds: 0), names: [], threads: [])
        }
        return Question(
            since: isOwn(mail) ? mail.date : mail.received, mail: mail,
            names: Set([mail.messageID].compactMap(\.self)), threads: [link.thread])
    }

    /// The conversations of the task's mail and of its draft, with every place of each message.
    private func related(to todo: Todo, _ draft: EmailID?) throws -> [MessageFacts] {
        let link = try store.todos.links(for: [todo.id])[todo.id]
        let threads = try [link?.message, draft].compactMap(\.self).compactMap {
            try store.messages.detail(of: $0)?.thread
        }
        return try loader.facts(.threads(Array(Set(threads))), needs: []).filter {
            $0.key.account == account.id
        }
    }

    /// The mails that ask: the delegated mail first, then later ones to the person, such as nudges.
    private func sent(
        _ token: MessageID, _ todo: Todo, _ related: [MessageFacts]
    ) throws -> [MessageFacts] {
        try related.filter { try isSent($0, token, todo) }.sorted {
            ($0.messageID == token ? 0 : 1, $0.date) < ($1.messageID == token ? 0 : 1, $1.date)
        }
    }

    private func isSent(_ facts: MessageFacts, _ token: MessageID, _ todo: Todo) throws -> Bool {
        guard !facts.flags.contains(.draft) else { return false }
        switch facts.mailbox.role {
        case .drafts, .trash, .junk: return false
        case .sent:
            guard facts.messageID != token else { return true }
            return isOwn(facts) && goesTo(facts, todo) && facts.date >= todo.created ?? facts.date
        case .inbox, .archive, .all, .flagged, .deferred, nil:
            // Anyone can send a mail with the Message-ID of a draft.
            return try facts.messageID == token && (isOwn(facts) || !arrivedByMail(facts))
        }
    }

    private func arrivedByMail(_ facts: MessageFacts) throws -> Bool {
        let content = try loader.contents([facts.id], [.headers], headerNames: ["received"])
        return content[facts.id]?.headers.isEmpty == false
    }

    /// The draft itself, or a version that another program saved. Once the mail was sent, another draft to the person is a
    /// new mail, such as a nudge.
    private func isDraft(_ facts: MessageFacts, _ token: MessageID, _ todo: Todo) -> Bool {
        guard facts.mailbox.role == .drafts else { return false }
        return facts.messageID == token || !WaitLine.saysSent(todo.notes) && goesTo(facts, todo)
    }

    /// A draft of opus that exists: another program has not taken it out of Drafts.
    private func isVersion(_ draft: StoredDraft, _ todo: Todo) throws -> Bool {
        guard let original = todo.messageID, draft.submission?.state != .confirmed else { return false }
        if draft.isPushed, draft.submission?.state.isSending != true, let message = draft.pushed?.message {
            let places = try store.messages.places(of: message)
            guard places.contains(where: { !$0.isMissing && $0.mailbox.role == .drafts }) else {
                return false
            }
        }
        let envelope = HeaderBlock.envelope(of: draft.content)
        return (envelope.references + envelope.inReplyTo).contains(original)
    }

    private func isOwn(_ facts: MessageFacts) -> Bool {
        let own = OwnAddressSet(own + [account.address])
        return facts.from.contains { own.contains($0) }
    }

    private func goesTo(_ facts: MessageFacts, _ todo: Todo) -> Bool {
        guard let on = todo.waitingOn.flatMap({ EmailAddress($0) }) else { return false }
        return (facts.to + facts.cc + facts.bcc).contains { $0.mailComparable == on.mailComparable }
    }
}
