import Accounts
import Executor
import MIMEParser
public import MailStore
public import Models
import Rules

/// What another program made of a draft, and what became of it here.
public struct DraftNews: Sendable {
    /// What to do with a version that another program saved.
    enum Fate {
        /// It becomes the draft, where that was not changed here meanwhile; else it is kept beside it.
        case taken
        /// It becomes a draft of its own.
        case keptBeside
        /// It stays where it is.
        case left
    }

    /// The draft as it is now.
    public internal(set) var draft: StoredDraft
    /// A sentence for each version of another program.
    public internal(set) var news: [String] = []
    /// It was changed here and elsewhere: only a person can say which one counts.
    public internal(set) var isChangedTwice = false
    /// The Drafts mailbox had it, and has no version of it any more.
    public internal(set) var isGone = false
}

extension Session {
    // MARK: By the account itself

    /// The draft with what another program made of it since, read from the account itself.
    public func newest(_ draft: OpenDraft) async throws -> (draft: OpenDraft, news: DraftNews) {
        let news = try await lookAgain(at: draft.stored, .taken)
        return (news.draft == draft.stored ? draft : try opened(news.draft), news)
    }

    /// Looks into the Drafts mailbox for versions of the draft that opus does not know.
    func lookAgain(at draft: StoredDraft, _ fate: DraftNews.Fate) async throws -> DraftNews {
        var result = DraftNews(draft: draft)
        let account = try requireAccount(draft.account)
        guard let pushed = draft.pushed, let mailbox = try draftsMailbox(account) else { return result }
        let token = try token(of: pushed)
        let found = try await connected(account) { connection in
            try await versions(
                in: mailbox, tokens: [token].compactMap(\.self), name: draft.messageID,
                over: connection.makeSink())
        }
        result.isGone = found.isEmpty && draft.isPushed
        let known = try knownVersions(of: account, token)
        let isKnown = { (version: DraftLook.Version) in version.digest.map(known.contains) ?? true }
        let ours = found.last(where: isKnown)
        var others = found.filter { !isKnown($0) }
        if case .taken = fate, let ours {
            // Only what was saved after ours is newer. A Maildir has no numbers: what is unknown there is new.
            others.removeAll { $0.target.uid > 0 && $0.target.uid < ours.target.uid }
        }
        for (index, version) in others.enumerated() {
            guard let bytes = version.bytes else { continue }
            let isNewest = index == others.count - 1
            let other = OtherVersion(bytes: bytes, message: nil, uid: version.target.uid, savedAt: now)
            switch fate {
            case .left:
                result.news.append(
                    "another program saved draft \(try shortName(of: draft)) again: that version stays in "
                        + mailbox.displayName)
            case .keptBeside:
                result.news.append(try keepBeside(other, draft, account))
            case .taken where isNewest && draft.isPushed:
                (result.draft, result.news) = try take(other, draft, result.news)
            case .taken:
                result.news.append(try keepBeside(other, draft, account))
                if !draft.isPushed { result.isChangedTwice = true }
            }
        }
        return result
    }

    /// Every version of a draft that the mailbox holds now.
    func versions(
        in mailbox: Mailbox, tokens: [MessageID], name: MessageID?, over sink: any MailSink
    ) async throws -> [DraftLook.Version] {
        do throws(SinkError) {
            return try await DraftLook(sink: sink, mailbox: mailbox.name).versions(
                tokens: tokens, name: name)
        } catch {
            throw unreadable(mailbox, error)
        }
    }

    private func unreadable(_ mailbox: Mailbox, _ error: SinkError) -> Problem {
        let words: String
        var exit = ExitStatus.temporary
        switch error {
        case .refused(let reason), .refusedSome(let reason), .busy(let reason), .unsupported(let reason):
            words = reason
        case .lost(let reason):
            words = reason
            exit = .unavailable
        }
        return Problem(
            "drafts-unread", exit: exit, message: "\(mailbox.displayName) cannot be read now: \(words)",
            next: ["try again later"])
    }

    /// Every version of every draft of the account, and what the journal put there under this Message-ID.
    private func knownVersions(of account: Account, _ token: MessageID?) throws -> DraftVersions {
        var known = DraftVersions()
        for draft in try store.drafts(of: account.id) {
            let versions = knownVersions(of: draft)
            known.own += versions.own
            known.adopted += versions.adopted
        }
        guard let token else { return known }
        for step in try store.appends(of: token, account: account.id) {
            guard case .append(to: _, let message, flags: _, token: _) = step.kind else { continue }
            known.own.append(step.outcome.digest ?? MessageDigest.of(message))
        }
        return known
    }

    // MARK: By the last sync

    /// Takes over what other programs made of our drafts, by what the last sync brought. Answers with a sentence for each.
    public func pickUpDrafts(of id: AccountID) async throws -> [String] {
        let account = try requireAccount(id)
        try noteArrivals(account)
        guard let mailbox = try draftsMailbox(account) else { return [] }
        let all = try store.drafts(of: id)
        guard !all.isEmpty else { return [] }
        let inMailbox = try facts(.mailbox(id, mailbox.name), needs: .headers)
        var known = Set(all.compactMap { $0.pushed?.message })
        var news: [String] = []
        for draft in all {
            guard let pushed = draft.pushed, draft.submission?.state.isSending != true else { continue }
            let token = try token(of: pushed)
            let others = inMailbox.filter { facts in
                !known.contains(facts.id)
                    && (facts.header(MessageBuilder.draftField).contains(draft.messageID.rawValue)
                        || (token != nil && facts.messageID == token))
            }
            var current = draft
            for facts in others.sorted(by: { $0.key.uid < $1.key.uid }) {
                known.insert(facts.id)
                let bytes = try await raw(facts.id.rawValue)
                // A version of our own that the journal is still busy with is no news.
                if try knownVersions(of: account, facts.messageID).contains(MessageDigest.of(bytes)) {
                    continue
                }
                let other = OtherVersion(
                    bytes: bytes, message: facts.id, uid: facts.key.uid, savedAt: facts.date)
                if current.isPushed, facts.key.uid > pushed.uid {
                    (current, news) = try take(other, current, news)
                } else {
                    news.append(try keepBeside(other, current, account))
                }
            }
        }
        return news
    }

    // MARK: What becomes of them

    /// A version of a draft that another program saved.
    private struct OtherVersion {
        var bytes: [UInt8]
        var message: EmailID?
        var uid: UInt32
        var savedAt: Timestamp
    }

    /// The other version becomes the draft.
    private func take(
        _ other: OtherVersion, _ draft: StoredDraft, _ news: [String]
    ) throws -> (StoredDraft, [String]) {
        var taken = draft
        taken.versions = knownVersions(of: draft)
        taken.versions.adopt(MessageDigest.of(other.bytes))
        taken.revision += 1
        taken.content = other.bytes
        taken.savedAt = max(other.savedAt, draft.savedAt)
        taken.pushed = .init(
            revision: taken.revision, message: other.message, uid: other.uid,
            token: MIMEParser.parse(other.bytes).envelope.messageID)
        taken = try store.save(taken)
        let name = try shortName(of: taken)
        return (taken, news + ["draft \(name) was changed elsewhere: the newer text is here now"])
    }

    /// Both were changed: the other one becomes a draft of its own.
    private func keepBeside(
        _ other: OtherVersion, _ draft: StoredDraft, _ account: Account
    ) throws -> String {
        let kept = try adopt(
            other.bytes, other.message, uid: other.uid, savedAt: other.savedAt, account)
        return
            "draft \(try shortName(of: draft)) was changed here and elsewhere: both are kept, the other one as "
            + (try shortName(of: kept))
    }
}
