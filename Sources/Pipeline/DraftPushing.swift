import Accounts
import Crypto
import MIMEParser
import MailStore
public import Models
import Planner
import Rules

/// Drafts and the Drafts mailbox: what is newer here goes there, what is newer there comes here.
extension Session {
    /// Puts the newest versions into the Drafts mailboxes and takes away the older ones, through the journal. Nothing
    /// that another program wrote is touched.
    public func pushDrafts(of id: AccountID, command: String) async throws -> RunReport {
        let account = try requireAccount(id)
        try noteArrivals(account)
        let work = try pushes(account)
        if !work.cancelled.isEmpty { try store.cancel(work.cancelled) }
        var report = try await carryOut(QueuedWork(steps: work.steps), account: account, command: command)
        if work.isKeptHere {
            report.notices.append(
                "the server cannot replace a message there; the new version is kept here, and opus send sends it"
            )
        }
        try noteArrivals(account)
        return report
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
            let detail = try store.detail(of: pushed.message), let token = detail.messageID,
            let place = detail.places.first(where: { $0.key.mailbox == mailbox.name && !$0.isMissing })
        else { return nil }
        return byHand(
            "remove", token.rawValue, account, message: pushed.message, .remove(place.key, token: token))
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
    private func noteArrivals(_ account: Account) throws {
        guard let mailbox = try draftsMailbox(account) else { return }
        for var draft in try store.drafts(of: account.id) where !draft.isPushed {
            guard let token = identity(of: draft).token,
                let id = try store.message(with: token, account: account.id), id != draft.pushed?.message,
                let place = try store.places(of: id).first(where: {
                    $0.key.mailbox == mailbox.name && !$0.isMissing
                })
            else { continue }
            draft.pushed = .init(revision: draft.revision, message: id, uid: place.key.uid)
            try store.save(draft)
        }
    }

    // MARK: Picking up

    /// Takes over what other programs made of our drafts. Answers with a sentence for each.
    public func pickUpDrafts(of id: AccountID) async throws -> [String] {
        let account = try requireAccount(id)
        try noteArrivals(account)
        guard let mailbox = try draftsMailbox(account) else { return [] }
        let all = try store.drafts(of: id)
        guard !all.isEmpty else { return [] }
        let inMailbox = try facts(.mailbox(id, mailbox.name), needs: .headers)
        let known = Set(all.compactMap(\.pushed?.message))
        var words: [String] = []
        for draft in all {
            guard let pushed = draft.pushed, draft.submission?.state.isSending != true else { continue }
            let ours = try store.detail(of: pushed.message)?.messageID
            let newer = inMailbox.filter { facts in
                !known.contains(facts.id) && facts.key.uid > pushed.uid
                    && (facts.header(MessageBuilder.draftField).contains(draft.messageID.rawValue)
                        || (ours != nil && facts.messageID == ours))
            }
            // A version of our own that the journal is still busy with is no news.
            let versions = Set(
                (1...max(1, draft.revision)).map { OpenDraft.versionID(of: draft.messageID, $0) })
            guard let found = newer.max(by: { $0.key.uid < $1.key.uid }),
                found.messageID == ours || found.messageID.map({ !versions.contains($0) }) ?? true
            else { continue }
            words.append(try await take(found, for: draft, account))
        }
        return words
    }

    private func take(_ facts: MessageFacts, for draft: StoredDraft, _ account: Account) async throws
        -> String
    {
        let bytes = try await raw(facts.id.rawValue)
        let name = try shortName(of: draft)
        guard draft.revision == draft.pushed?.revision, draft.typed == nil else {
            // Both were changed: the other one becomes a draft of its own.
            var other = StoredDraft(
                account: account.id, messageID: newMessageID(account), savedAt: facts.date, content: bytes)
            other.pushed = .init(revision: 1, message: facts.id, uid: facts.key.uid)
            other = try store.save(other)
            return "draft \(name) was changed here and elsewhere: both are kept, the other one as "
                + (try shortName(of: other))
        }
        var taken = draft
        taken.revision += 1
        taken.content = bytes
        taken.savedAt = max(facts.date, draft.savedAt)
        taken.pushed = .init(revision: taken.revision, message: facts.id, uid: facts.key.uid)
        try store.save(taken)
        return "draft \(name) was changed elsewhere: the newer text is here now"
    }

    // MARK: Throwing away

    /// Takes a draft away, here and in the Drafts mailbox.
    public func discard(_ draft: OpenDraft) async throws -> RunReport {
        try refuseWhileSending(draft.stored)
        let account = draft.account
        let waiting = try store.openSteps(of: account.id).filter {
            $0.draftName == draft.stored.messageID.rawValue && $0.state == .ready && $0.attempts == 0
        }
        try store.cancel(waiting.compactMap(\.id))
        let steps = try removal(of: draft.stored, account).map { [$0] } ?? []
        try forget(draft)
        return try await carryOut(QueuedWork(steps: steps), account: account, command: "drafts discard")
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
        case .append(to: _, message: _, flags: _, let token), .remove(_, let token),
            .submit(reversePath: _, forwardPaths: _, message: _, let token):
            token
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .wait, .saveFile,
            .removeFile:
            nil
        }
    }
}
