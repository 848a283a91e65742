import Accounts
import Executor
import MIMEParser
import MailStore
import Models
import Planner

/// The locations of the versions of a draft: in the store, in the Drafts mailbox, and in queued steps.
struct DraftPlaces: Sendable {
    let accounts: AccountAccess
    let store: Store

    /// The Drafts mailbox, or before it is created, the one that opus.yaml named before; nil: the account has none yet.
    func mailbox(of account: Account) throws -> Mailbox? {
        let known = try store.sync.mailboxes(of: account.id)
        return accounts.existing(.drafts, of: account, among: known) ?? known.first { $0.role == .drafts }
    }

    /// The mailbox in which the draft is; otherwise the Drafts mailbox.
    func mailbox(of draft: StoredDraft, _ account: Account) throws -> Mailbox? {
        let places = try draft.pushed?.message.map { try store.messages.places(of: $0) } ?? []
        let here = places.first { $0.mailbox.role == .drafts && !$0.isMissing }
        return try here?.mailbox ?? mailbox(of: account)
    }

    /// Whether the account lists no Drafts mailbox now, although the draft is in one: a server may leave a mailbox out of its
    /// list for a while.
    func isUnlisted(_ draft: StoredDraft) throws -> Bool {
        let places = try draft.pushed?.message.map { try store.messages.places(of: $0) } ?? []
        guard !places.isEmpty, places.allSatisfy(\.isMissing) else { return false }
        return try mailbox(of: accounts.require(draft.account)) == nil
    }

    /// The step that removes a draft's version from the Drafts mailbox; nil: the mailbox has none.
    func removal(of draft: StoredDraft, _ account: Account) throws -> Step? {
        guard let pushed = draft.pushed, let mailbox = try mailbox(of: account),
            let token = try token(of: pushed)
        else { return nil }
        let places = try pushed.message.map { try store.messages.places(of: $0) } ?? []
        let here = places.filter { $0.mailbox.role == .drafts && !$0.isMissing }
        guard pushed.message == nil || !here.isEmpty else { return nil }
        let key =
            (here.first { $0.key.uid == pushed.uid } ?? here.first)?.key
            ?? MessageKey(account: account.id, mailbox: mailbox.name, uidValidity: 0, uid: 0)
        var versions = knownVersions(of: draft)
        if !versions.adopted.isEmpty {
            versions.trash = try accounts.stepContext(account).mailbox(for: .trash)
        }
        // The same bytes may be appended again: a second delegation of a mail has the same draft as the first
        // one.
        let name = [token.rawValue, draft.messageID.rawValue, "\(key.uidValidity) \(key.uid)"]
        return Step.byHand(
            "remove", (name + versions.own.suffix(1) + versions.adopted.suffix(1)).joined(separator: " "),
            account, message: pushed.message,
            .remove(key, token: token, versions: versions))
    }

    /// Ends the queued steps that would put versions of a draft into the Drafts mailbox: cancels those that have not
    /// happened, however often the server refused them.
    ///
    /// - Returns: The steps that remove the versions of the others, which may have arrived: their answer was lost.
    func cancelVersions(of draft: MessageID, _ account: Account) throws -> [Step] {
        let queued = try store.journal.openSteps(of: account.id).filter { $0.draftName == draft.rawValue }
        try store.journal.cancel(queued.filter { $0.state == .ready }.compactMap(\.id))
        return queued.filter { [.issued, .unknown, .reconciling].contains($0.state) }.compactMap { step in
            guard case .append(to: let mailbox, let message, flags: _, let token) = step.kind else {
                return nil
            }
            return Step.byHand(
                "remove", "\(token.rawValue) queued", account, message: step.message,
                .remove(
                    MessageKey(account: account.id, mailbox: mailbox.name, uidValidity: 0, uid: 0),
                    token: token, versions: DraftVersions(own: [MessageDigest.of(message)])))
        }
    }

    /// The steps that remove the versions of a sent draft whose removal was not queued with its mail: a server refused the
    /// mail, so its draft came into the Drafts mailbox before the mail was sent.
    func leftovers(of sent: StoredDraft, _ account: Account) throws -> [Step] {
        let steps =
            try cancelVersions(of: sent.messageID, account)
            + [try removal(of: sent, account)].compactMap(\.self)
        return try steps.filter { step in
            try step.token.map { try !store.runs.hasRemoval(of: $0, account: account.id) } ?? false
        }
    }

    /// Takes the failed mail of a draft out of the outbox, because the draft is changed, sent again or discarded.
    func dropFailed(_ draft: inout StoredDraft) throws {
        guard let failed = draft.submission, failed.state == .rejected else { return }
        try store.journal.cancel([failed.step])
        draft.submission = nil
    }

    /// The Message-ID of the version in the Drafts mailbox.
    func token(of pushed: StoredDraft.Pushed) throws -> MessageID? {
        try pushed.token ?? pushed.message.flatMap { try store.messages.detail(of: $0)?.messageID }
    }

    /// The versions that opus may replace. Stores of older versions of the program have no list of them.
    func knownVersions(of draft: StoredDraft) -> DraftVersions {
        var versions = draft.versions
        if draft.pushed?.revision == draft.revision { versions.adopt(MessageDigest.of(draft.content)) }
        return versions
    }

    /// All versions of all drafts of the account, and what the journal appended under this Message-ID.
    func knownVersions(of account: Account, _ token: MessageID?) throws -> DraftVersions {
        var known = DraftVersions()
        for draft in try store.drafts.drafts(of: account.id) {
            let versions = knownVersions(of: draft)
            known.own += versions.own
            known.adopted += versions.adopted
        }
        guard let token else { return known }
        for step in try store.drafts.appends(of: token, account: account.id) {
            guard case .append(to: _, let message, flags: _, token: _) = step.kind else { continue }
            known.own.append(step.outcome.digest ?? MessageDigest.of(message))
        }
        return known
    }

    /// All versions of a draft that are in the mailbox now.
    static func versions(
        in mailbox: Mailbox, tokens: [MessageID], name: MessageID?, over sink: any MailSink
    ) async throws -> [DraftLook.Version] {
        do throws(SinkError) {
            return try await DraftLook(sink: sink, mailbox: mailbox.name).versions(
                tokens: tokens, name: name)
        } catch {
            throw unreadable(mailbox, error)
        }
    }

    private static func unreadable(_ mailbox: Mailbox, _ error: SinkError) -> Problem {
        let exit: ExitStatus = if case .lost = error { .unavailable } else { .temporary }
        return Problem(
            "drafts-unread", exit: exit,
            message: "\(mailbox.displayName) cannot be read now: \(error.reason)",
            next: ["try again later"])
    }

    /// The Message-ID of a draft's content, and the draft's name in its header field.
    func identity(of draft: StoredDraft) -> (token: MessageID?, name: String?) {
        let message = MIMEParser.parse(draft.content)
        return (message.envelope.messageID, message.header(MessageBuilder.draftField).first)
    }

    /// Whether another program saved it without a Message-ID, and it was not changed here. opus cannot find such a version
    /// in the Drafts mailbox again.
    func isNameless(_ draft: StoredDraft) -> Bool {
        draft.pushed != nil && draft.isPushed && identity(of: draft).token == nil
    }

    /// Notes own versions that have appeared in the Drafts mailbox, according to the journal.
    func noteArrivals(_ account: Account) throws {
        guard let mailbox = try mailbox(of: account) else { return }
        for var draft in try store.drafts.drafts(of: account.id) where !draft.isPushed {
            guard let token = identity(of: draft).token, draft.pushed?.token != token,
                let id = try store.messages.message(with: token, account: account.id),
                id != draft.pushed?.message,
                let place = try store.messages.places(of: id).first(where: {
                    $0.key.mailbox == mailbox.name && !$0.isMissing
                })
            else { continue }
            draft.pushed = .init(
                revision: draft.revision, message: id, uid: place.key.uid, token: token)
            try store.drafts.save(draft)
        }
        // Read from the account before a sync had stored it.
        for var draft in try store.drafts.drafts(of: account.id) {
            guard var pushed = draft.pushed, pushed.message == nil, let token = pushed.token else { continue }
            let here = try store.sync.placements(of: account.id, mailbox: mailbox.name)
            let id = try store.messages.message(with: token, account: account.id)
            let place =
                pushed.uid > 0
                ? here.first { $0.uid == pushed.uid } : here.last { $0.message == id }
            guard let place else { continue }
            (pushed.message, pushed.uid) = (place.message, place.uid)
            draft.pushed = pushed
            try store.drafts.save(draft)
        }
    }
}
