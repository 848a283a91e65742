import Accounts
import Executor
import MIMEParser
import MailStore
public import Models
import Planner
import Rules

/// Local drafts and the Drafts mailbox: takes over versions that another program saved there.
public struct DraftsMailbox: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store
    let loader: FactLoader
    let originals: OriginalReader
    let drafts: Drafts
    let places: DraftPlaces
    let nudges: NudgeNotes
    let taskChanges: TaskChanges
    let whole: WholeRun
    let runner: JournalRunner
    let clock: SessionClock

    // MARK: From the account

    /// The draft with changes of other programs, read from the account itself.
    public func newest(_ draft: OpenDraft) async throws -> (draft: OpenDraft, news: DraftNews) {
        let news = try await lookAgain(at: draft.stored, .taken)
        return (news.draft == draft.stored ? draft : try drafts.opened(news.draft), news)
    }

    /// Searches the Drafts mailbox for versions of the draft that opus does not know.
    func lookAgain(at draft: StoredDraft, _ fate: DraftNews.Fate) async throws -> DraftNews {
        var result = DraftNews(draft: draft)
        let account = try accounts.require(draft.account)
        guard let pushed = draft.pushed else { return result }
        guard let mailbox = try places.mailbox(of: draft, account) else {
            result.isGone = draft.isPushed
            return result
        }
        let token = try places.token(of: pushed)
        let found = try await connections.connected(account) { connection in
            try await DraftPlaces.versions(
                in: mailbox, tokens: [token].compactMap(\.self), name: draft.messageID,
                over: connection.makeSink())
        }
        result.isGone = found.isEmpty && draft.isPushed
        let known = try places.knownVersions(of: account, token)
        let isKnown = { (version: DraftLook.Version) in version.digest.map(known.contains) ?? true }
        let ours = found.last(where: isKnown)
        var others = found.filter { !isKnown($0) }
        if case .taken = fate, let ours {
            // Only versions with a higher UID than the local one are newer. A Maildir has no UIDs: unknown
            // versions there are new.
            others.removeAll { $0.target.uid > 0 && $0.target.uid < ours.target.uid }
        }
        for (index, version) in others.enumerated() {
            guard let bytes = version.bytes else { continue }
            let isNewest = index == others.count - 1
            let other = OtherVersion(bytes: bytes, message: nil, uid: version.target.uid, savedAt: clock.now)
            switch fate {
            case .left:
                result.news.append(
                    "another program saved draft \(try drafts.shortName(of: draft)) again: that version stays in "
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

    // MARK: From the last sync

    /// Takes over changes of drafts by other programs from the last sync. Returns a sentence for each.
    public func pickUp(of id: AccountID) async throws -> [String] {
        let account = try accounts.require(id)
        try places.noteArrivals(account)
        // The undo of an edit may have waited for the account.
        try RevertedDrafts(store: store, loader: loader, places: places).revert(id)
        let all = try store.drafts.drafts(of: id)
        guard !all.isEmpty else { return [] }
        let inMailbox = try loader.facts(.role(id, .drafts), needs: .headers)
        var known = Set(all.compactMap { $0.pushed?.message })
        var news: [String] = []
        for draft in all {
            guard let pushed = draft.pushed, draft.submission?.state.isSending != true else { continue }
            let token = try places.token(of: pushed)
            let others = inMailbox.filter { facts in
                !known.contains(facts.id)
                    && (facts.header(MessageBuilder.draftField).contains(draft.messageID.rawValue)
                        || (token != nil && facts.messageID == token))
            }
            var current = draft
            for facts in others.sorted(by: { $0.key.uid < $1.key.uid }) {
                known.insert(facts.id)
                let bytes = try await originals.bytes(ofTyped: facts.id.rawValue)
                // An own version with an unfinished step is not news.
                if try places.knownVersions(of: account, facts.messageID).contains(MessageDigest.of(bytes)) {
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

    // MARK: Handling of versions

    /// A version of a draft that another program saved.
    private struct OtherVersion {
        var bytes: [UInt8]
        var message: EmailID?
        var uid: UInt32
        var savedAt: Timestamp
    }

    /// Makes the other version the draft.
    private func take(
        _ other: OtherVersion, _ draft: StoredDraft, _ news: [String]
    ) throws -> (StoredDraft, [String]) {
        var taken = draft
        taken.versions = places.knownVersions(of: draft)
        taken.versions.adopt(MessageDigest.of(other.bytes))
        taken.revision += 1
        taken.content = other.bytes
        taken.savedAt = max(other.savedAt, draft.savedAt)
        taken.pushed = .init(
            revision: taken.revision, message: other.message, uid: other.uid,
            token: MIMEParser.parse(other.bytes).envelope.messageID)
        taken = try store.drafts.save(taken)
        let name = try drafts.shortName(of: taken)
        return (taken, news + ["draft \(name) was changed elsewhere: the newer text is here now"])
    }

    /// Both were changed: makes the other version a separate draft.
    private func keepBeside(
        _ other: OtherVersion, _ draft: StoredDraft, _ account: Account
    ) throws -> String {
        let kept = try drafts.adopt(
            other.bytes, other.message, uid: other.uid, savedAt: other.savedAt, account)
        return
            "draft \(try drafts.shortName(of: draft)) was changed here and elsewhere: both are kept, the other one as "
            + (try drafts.shortName(of: kept))
    }
}
