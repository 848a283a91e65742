import Accounts
import Crypto
import Executor
import MIMEParser
import MailStore
public import Models
import Planner
import Rules

/// Drafts and the Drafts mailbox: what is newer here goes there, what is newer there comes here.
extension Session {
    /// Puts the newest versions into the Drafts mailboxes and takes away the older ones, through the journal. Nothing
    /// that another program wrote is touched.
    ///
    /// - Returns: what became of them, and a sentence for each version of another program that is kept beside ours.
    public func pushDrafts(
        of id: AccountID, command: String
    ) async throws -> (report: RunReport, news: [String]) {
        let account = try requireAccount(id)
        try noteArrivals(account)
        let news = try await keepOthersBeside(account)
        let work = try pushes(account)
        if !work.cancelled.isEmpty { try store.cancel(work.cancelled) }
        var report = try await carryOut(QueuedWork(steps: work.steps), account: account, command: command)
        if work.isKeptHere {
            report.notices.append(
                "the server cannot replace a message there; the new version is kept here, and opus send sends it"
            )
        }
        try noteArrivals(account)
        return (report, news)
    }

    /// What another program saved while these drafts were changed here becomes drafts of its own, before ours replace
    /// what was there.
    private func keepOthersBeside(_ account: Account) async throws -> [String] {
        let changed = try store.drafts(of: account.id).filter {
            !$0.isPushed && $0.pushed != nil && $0.typed == nil && $0.submission?.state.isSending != true
        }
        var news: [String] = []
        for draft in changed {
            do {
                news += try await lookAgain(at: draft, .keptBeside).news
            } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
                // What cannot be reached cannot be changed either: only known bytes are removed later.
                return news
            }
        }
        return news
    }

    private func pushes(
        _ account: Account
    ) throws -> (steps: [Step], cancelled: [Int64], isKeptHere: Bool) {
        // Where no version can be taken away, a new one would be a further draft.
        let replaces = try store.moveAbility(of: account.id) == .yes
        var isKeptHere = false
        let mailbox = try stepContext(account).mailbox(for: .drafts)
        let open = try store.openSteps(of: account.id)
        var steps: [Step] = []
        var cancelled: [Int64] = []
        for draft in try store.drafts(of: account.id) where !draft.isPushed && draft.typed == nil {
            guard draft.submission?.state.isSending != true, draft.submission?.state != .confirmed else {
                continue
            }
            let (token, name) = identity(of: draft)
            guard let token, name == draft.messageID.rawValue else { continue }
            guard replaces || draft.pushed == nil else {
                isKeptHere = true
                continue
            }
            let waiting = open.filter { $0.draftName == draft.messageID.rawValue }
            if waiting.contains(where: { $0.token == token }) { continue }
            // An older version that has not left yet need not leave at all.
            cancelled += waiting.filter { $0.state == .ready && $0.attempts == 0 }.compactMap(\.id)
            steps.append(
                byHand(
                    "draft", token.rawValue, account, message: draft.pushed?.message,
                    .append(to: mailbox, message: draft.content, flags: [.draft, .seen], token: token)))
            if let removal = try removal(of: draft, account) { steps.append(removal) }
        }
        return (steps, cancelled, isKeptHere)
    }

    /// The step that takes a draft's version out of the Drafts mailbox; nil where none is there.
    func removal(of draft: StoredDraft, _ account: Account) throws -> Step? {
        guard let pushed = draft.pushed, let mailbox = try draftsMailbox(account),
            let token = try token(of: pushed)
        else { return nil }
        let places = try pushed.message.map { try store.places(of: $0) } ?? []
        let here = places.filter { $0.key.mailbox == mailbox.name && !$0.isMissing }
        guard pushed.message == nil || !here.isEmpty else { return nil }
        let key =
            (here.first { $0.key.uid == pushed.uid } ?? here.first)?.key
            ?? MessageKey(account: account.id, mailbox: mailbox.name, uidValidity: 0, uid: 0)
        var versions = knownVersions(of: draft)
        if !versions.adopted.isEmpty { versions.trash = try stepContext(account).mailbox(for: .trash) }
        return byHand(
            "remove",
            ([token.rawValue] + versions.own.suffix(1) + versions.adopted.suffix(1)).joined(separator: " "),
            account, message: pushed.message,
            .remove(key, token: token, versions: versions))
    }

    /// The Message-ID of the version in the Drafts mailbox.
    func token(of pushed: StoredDraft.Pushed) throws -> MessageID? {
        try pushed.token ?? pushed.message.flatMap { try store.detail(of: $0)?.messageID }
    }

    /// The versions that are ours to replace. A store of an older version of the program has no list of them.
    func knownVersions(of draft: StoredDraft) -> DraftVersions {
        var versions = draft.versions
        if draft.pushed?.revision == draft.revision { versions.adopt(MessageDigest.of(draft.content)) }
        return versions
    }

    /// A step that a person asked for. The same wish is queued once.
    func byHand(
        _ verb: String, _ target: String, _ account: Account, message: EmailID?, _ kind: Step.Kind
    ) -> Step {
        let words = [account.id.rawValue, verb, target]
        let text = words.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return Step(
            idempotencyKey: Hex.encode(SHA256.hash(Array(text.utf8))), message: message, rule: verb,
            kind: kind)
    }

    /// The Message-ID of a draft's content, and the draft that it says it is.
    private func identity(of draft: StoredDraft) -> (token: MessageID?, name: String?) {
        let message = MIMEParser.parse(draft.content)
        return (message.envelope.messageID, message.header(MessageBuilder.draftField).first)
    }

    /// Versions of ours that have appeared in the Drafts mailbox since: the journal put them there.
    func noteArrivals(_ account: Account) throws {
        guard let mailbox = try draftsMailbox(account) else { return }
        for var draft in try store.drafts(of: account.id) where !draft.isPushed {
            guard let token = identity(of: draft).token, draft.pushed?.token != token,
                let id = try store.message(with: token, account: account.id), id != draft.pushed?.message,
                let place = try store.places(of: id).first(where: {
                    $0.key.mailbox == mailbox.name && !$0.isMissing
                })
            else { continue }
            draft.pushed = .init(
                revision: draft.revision, message: id, uid: place.key.uid, token: token)
            try store.save(draft)
        }
        // Taken from the account itself, before a sync had seen it.
        for var draft in try store.drafts(of: account.id) {
            guard var pushed = draft.pushed, pushed.message == nil, let token = pushed.token else { continue }
            let here = try store.placements(of: account.id, mailbox: mailbox.name)
            let id = try store.message(with: token, account: account.id)
            let place =
                pushed.uid > 0
                ? here.first { $0.uid == pushed.uid } : here.last { $0.message == id }
            guard let place else { continue }
            (pushed.message, pushed.uid) = (place.message, place.uid)
            draft.pushed = pushed
            try store.save(draft)
        }
    }

    // MARK: Throwing away

    /// Takes a draft away, here and in the Drafts mailbox. What another program made of it since stays there.
    ///
    /// - Returns: what became of it, and a sentence where another version stays.
    public func discard(_ draft: OpenDraft) async throws -> (report: RunReport, news: [String]) {
        try refuseWhileSending(draft.stored)
        let account = draft.account
        var news: [String] = []
        do {
            news = try await lookAgain(at: draft.stored, .left).news
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            // Only known bytes are removed, now or later.
        }
        let waiting = try store.openSteps(of: account.id).filter {
            $0.draftName == draft.stored.messageID.rawValue && $0.state == .ready && $0.attempts == 0
        }
        try store.cancel(waiting.compactMap(\.id))
        let steps = try removal(of: draft.stored, account).map { [$0] } ?? []
        try forget(draft)
        let report = try await carryOut(
            QueuedWork(steps: steps), account: account, command: "drafts discard")
        return (report, news)
    }

    /// Throws for a draft that is being sent: its bytes are fixed.
    public func mayEdit(_ draft: OpenDraft) throws { try refuseWhileSending(draft.stored) }

    func refuseWhileSending(_ draft: StoredDraft) throws {
        guard draft.submission?.state.isSending == true else { return }
        let name = try shortName(of: draft)
        throw Problem(
            "being-sent", exit: .temporary, message: "draft \(name) is in the outbox: it is being sent",
            next: ["opus outbox", "opus outbox discard \(name) takes it back"])
    }
}

extension Step {
    /// The draft that an appended version belongs to.
    var draftName: String? {
        guard case .append(to: _, let message, flags: _, token: _) = kind else { return nil }
        return MIMEParser.parse(message).header(MessageBuilder.draftField).first
    }

    var token: MessageID? {
        switch kind {
        case .append(to: _, message: _, flags: _, let token), .remove(_, let token, _),
            .submit(reversePath: _, forwardPaths: _, message: _, let token):
            token
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .wait, .saveFile,
            .removeFile:
            nil
        }
    }
}
