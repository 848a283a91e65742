import Accounts
import Crypto
import Executor
import Foundation
import MIMEParser
public import MailStore
import Models
import Rules

/// Drafts: lists, opens and saves them. ``DraftsMailbox`` syncs them with the Drafts mailbox.
public struct Drafts: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let originals: OriginalReader
    let places: DraftPlaces
    let addresses: OwnAddresses
    let waits: DraftWaits
    let clock: SessionClock
    let zone: ZoneClock

    // MARK: Looking

    /// The drafts of the accounts: local ones, and others in the Drafts mailboxes.
    public func list(account: String?) throws -> [DraftLine] {
        var lines: [DraftLine] = []
        let all = try allDrafts()
        for id in try accounts.ids(named: account) {
            let inMailbox = try loader.facts(.role(id, .drafts), needs: .headers)
            let present = Set(inMailbox.map(\.id))
            for draft in all where draft.account == id && draft.submission?.state != .confirmed {
                let line = try line(draft, present, all)
                if try isUndone(draft, line.state) { continue }
                lines.append(line)
            }
            let known = Set(all.compactMap { $0.pushed?.message })
            let names = Set(all.map(\.messageID.rawValue))
            for facts in inMailbox where !known.contains(facts.id) && !isOurs(facts, names) {
                let short = try store.messages.shortPrefix(of: [facts.id])[facts.id] ?? facts.id.rawValue
                lines.append(
                    DraftLine(
                        id: "m:" + short, name: facts.id.rawValue, account: id, savedAt: facts.date,
                        state: .elsewhere, to: facts.to + facts.cc + facts.bcc, subject: facts.subject,
                        wait: DraftWaits.clean(facts.header(MessageBuilder.waitField).first)))
            }
        }
        return lines.sorted { $0.savedAt > $1.savedAt }
    }

    /// The drafts of an account that no mailbox has.
    public func onlyHere(account name: String) throws -> [DraftLine] {
        for id in try accounts.ids(named: name) { try places.noteArrivals(try accounts.require(id)) }
        return try list(account: name).filter { [.local, .unfinished].contains($0.state) }
    }

    /// Whether the draft is in no mailbox because the user undid its run.
    private func isUndone(_ draft: StoredDraft, _ state: DraftLine.State) throws -> Bool {
        let token: MessageID? =
            switch state {
            case .removedElsewhere: try draft.pushed.flatMap(places.token)
            case .local where draft.pushed == nil: places.identity(of: draft).token
            case .local, .saved, .unfinished, .sending, .refused, .elsewhere: nil
            }
        return try token.map { try store.runs.isUndone(draft: $0, account: draft.account) } ?? false
    }

    private func allDrafts() throws -> [StoredDraft] {
        try workspace.accounts.flatMap { try store.drafts.drafts(of: $0.id) }
    }

    private func line(
        _ draft: StoredDraft, _ present: Set<EmailID>, _ all: [StoredDraft]
    ) throws -> DraftLine {
        let envelope = HeaderBlock.envelope(of: draft.content)
        let state: DraftLine.State =
            if draft.submission?.state.isSending == true {
                .sending
            } else if draft.typed != nil {
                .unfinished
            } else if let message = draft.pushed?.message, !present.contains(message),
                try !places.isUnlisted(draft)
            {
                .removedElsewhere
            } else if draft.submission?.state == .rejected {
                .refused
            } else {
                draft.isPushed ? .saved : .local
            }
        return DraftLine(
            id: DraftName.short(draft.messageID, among: all.map(\.messageID)),
            name: DraftName.hash(of: draft.messageID), account: draft.account, savedAt: draft.savedAt,
            state: state,
            to: envelope.to + envelope.cc + envelope.bcc, subject: envelope.subject,
            wait: DraftWaits.phrase(in: draft.content))
    }

    public func shortName(of draft: StoredDraft) throws -> String {
        DraftName.short(draft.messageID, among: try allDrafts().map(\.messageID))
    }

    private func isOurs(_ facts: MessageFacts, _ names: Set<String>) -> Bool {
        facts.header(MessageBuilder.draftField).contains(where: names.contains)
    }

    // MARK: Opening

    /// Remembers the rows of a list that the user sees.
    public func rememberRows(_ lines: [DraftLine]) {
        let ids = lines.map { ($0.state == .elsewhere ? "m:" : "d:") + $0.name }
        try? lookup.rows.save(ids, .drafts)
    }

    /// The draft for a typed id or row. A draft of another program is fetched and becomes a local one.
    public func open(_ typed: String) async throws -> OpenDraft {
        let typed = try ListRows.number(typed).map { try lookup.rows.id($0, .drafts) } ?? typed
        let all = try allDrafts()
        let prefix = (typed.hasPrefix("d:") ? String(typed.dropFirst(2)) : typed).lowercased()
        let found =
            typed.hasPrefix("m:") || prefix.isEmpty
            ? [] : all.filter { DraftName.hash(of: $0.messageID).hasPrefix(prefix) }
        if let draft = found.first {
            guard found.count == 1 else {
                throw Problem(
                    "ambiguous-id", exit: .usage,
                    message: "\(typed) is the beginning of \(found.count) draft ids",
                    next: [
                        "one of: "
                            + found.map { DraftName.short($0.messageID, among: all.map(\.messageID)) }
                            .joined(separator: ", ")
                    ])
            }
            return try opened(draft)
        }
        guard !typed.hasPrefix("d:"), let stored = try? lookup.message(typed) else {
            throw noSuchDraft(typed)
        }
        let account = try accounts.require(stored.account)
        guard let place = stored.places.first(where: { $0.mailbox.role == .drafts }) else {
            throw noSuchDraft(typed)
        }
        if let ours = all.first(where: { $0.pushed?.message == stored.id }) { return try opened(ours) }
        let bytes = try await originals.bytes(ofTyped: typed)
        return try opened(try adopt(bytes, stored.id, uid: place.key.uid, savedAt: clock.now, account))
    }

    /// Throws if the draft is not of the named account. nil: it may be of any.
    public func require(_ draft: OpenDraft, in account: String?) throws {
        guard let account, try !accounts.ids(named: account).contains(draft.accountID) else { return }
        throw Problem(
            "no-such-draft", exit: .notFound,
            message:
                "draft \(try shortName(of: draft.stored)) is of account \(draft.accountID), not of \(account)"
        )
    }

    private func noSuchDraft(_ typed: String) -> Problem {
        Problem(
            "no-such-draft", exit: .notFound, message: "no draft has an id that begins with \(typed)",
            next: ["opus drafts"])
    }

    /// Turns a message of another program into a local draft; the message stays where it is.
    func adopt(
        _ bytes: [UInt8], _ message: EmailID?, uid: UInt32, savedAt: Timestamp, _ account: Account
    ) throws -> StoredDraft {
        let messageID = newMessageID(account)
        var draft = StoredDraft(
            account: account.id, messageID: messageID, savedAt: savedAt, content: bytes)
        draft.pushed = .init(
            revision: 1, message: message, uid: uid, token: MIMEParser.parse(bytes).envelope.messageID)
        draft.versions.adopt(MessageDigest.of(bytes))
        draft.answers = try answered(by: HeaderBlock.envelope(of: bytes), account)
        return try store.drafts.save(draft)
    }

    /// The message that a draft of another program answers: the draft names it, and goes to a person of it. Some programs
    /// also name the message that they forward.
    private func answered(by draft: Envelope, _ account: Account) throws -> EmailID? {
        guard let name = draft.inReplyTo.first,
            let id = try store.messages.message(with: name, account: account.id),
            let original = try loader.facts(.ids([id]), needs: .headers).first
        else { return nil }
        let own = workspace.own(with: account)
        let isOwn = original.from.contains { own.contains($0) }
        let people = original.from + original.replyTo + (isOwn ? original.to + original.cc : [])
        let known = Set(people.filter { !own.contains($0) }.map(\.comparable))
        return (draft.to + draft.cc).contains { known.contains($0.comparable) } ? id : nil
    }

    func opened(_ draft: StoredDraft) throws -> OpenDraft {
        let account = try accounts.require(draft.account)
        let builder = MessageBuilder(
            draft: draft.content, from: account.address, date: clock.now,
            messageID: draft.messageID)
        return OpenDraft(
            stored: draft, builder: builder, account: account, wait: DraftWaits.phrase(in: draft.content))
    }

    // MARK: Saving

    /// Saves the current message; it is on disk when this returns. If another process has changed, sent or discarded the
    /// draft since it was opened, the message becomes a draft of its own.
    public func keep(_ draft: OpenDraft) throws -> OpenDraft {
        var kept = try current(draft)
        let revision = kept.stored.id == nil ? 1 : kept.stored.revision + 1
        let left = try allDrafts().first {
            $0.messageID == kept.stored.messageID && $0.account != kept.stored.account
        }
        if let left {
            kept.stored.pushed = nil
            kept.leftAccount = left.account
        }
        try places.dropFailed(&kept.stored)
        kept.stored.content = try kept.content(revision: revision, now: clock.now, zone: zone)
        kept.stored.revision = revision
        kept.stored.versions.addOwn(MessageDigest.of(kept.stored.content))
        kept.stored.savedAt = clock.now
        kept.stored.typed = nil
        if kept.stored.submission?.state == .rejected { kept.stored.submission = nil }
        guard let saved = try saved(kept.stored, over: revision - 1) else { return try keep(draft) }
        kept.stored = saved
        if let left { try leaveAccount(of: left) }
        return kept
    }

    /// nil: another process changed, sent or discarded it in this moment.
    private func saved(_ draft: StoredDraft, over revision: Int) throws -> StoredDraft? {
        draft.id == nil ? try store.drafts.save(draft) : try store.drafts.save(draft, over: revision)
    }

    /// The draft with what another process noted about it since it was opened.
    private func current(_ draft: OpenDraft) throws -> OpenDraft {
        guard draft.stored.id != nil else { return draft }
        try places.noteArrivals(draft.account)
        var current = draft
        if let now = try allDrafts().first(where: { $0.messageID == draft.messageID }),
            now.revision == draft.stored.revision, now.typed == draft.stored.typed,
            now.submission?.state.isSending != true,
            now.submission?.state != .confirmed
        {
            (current.stored.pushed, current.stored.versions) = (now.pushed, now.versions)
            current.stored.submission = now.submission
            return current
        }
        current.stored = StoredDraft(
            account: draft.accountID, messageID: newMessageID(draft.account), savedAt: clock.now, content: [])
        current.stored.answers = draft.stored.answers
        return current
    }

    /// Keeps a draft that an editor has open out of the Drafts mailbox, unless that has it already.
    public func holdBack(_ draft: OpenDraft) throws -> OpenDraft {
        guard draft.stored.pushed == nil, draft.stored.typed == nil else { return draft }
        var held = draft
        held.stored.typed = draft.text
        held.stored = try store.drafts.save(held.stored)
        return held
    }

    /// Ends ``holdBack(_:)`` of a draft whose text was not changed. `opened`: the draft before.
    public func letGo(_ held: OpenDraft, _ opened: OpenDraft) throws {
        guard opened.stored.typed == nil, try allDrafts().contains(held.stored) else { return }
        var free = held.stored
        free.typed = nil
        try store.drafts.save(free)
    }

    /// Another `From` may belong to another account: the version in the Drafts mailbox of the previous
    /// account is removed.
    private func leaveAccount(of draft: StoredDraft) throws {
        let account = try accounts.require(draft.account)
        let steps =
            try places.cancelVersions(of: draft.messageID, account)
            + [try places.removal(of: draft, account)].compactMap(\.self)
        guard !steps.isEmpty else { return }
        _ = try store.journal.queue(
            NewRun(account: account.id, startedAt: clock.now, command: "drafts edit"), steps: steps)
    }

    /// Applies the text that the user typed and saves it. A text that cannot be parsed is saved as typed, so
    /// nothing is lost.
    ///
    /// - Returns: The draft, and the errors as `line 2: …`.
    public func keep(_ draft: OpenDraft, typed: String) throws -> (draft: OpenDraft, mistakes: [String]) {
        let draft = try current(draft)
        var next = draft
        let (read, found) = DraftText.read(typed)
        var mistakes = next.take(read, found, files: .standard, addresses: addresses, waits: waits)
        if mistakes.isEmpty {
            do {
                return (try keep(next), [])
            } catch {
                mistakes = [.init(line: 1, message: Problem(error).message)]
            }
        }
        var unfinished = draft
        if unfinished.stored.content.isEmpty { unfinished = try keep(draft) }
        unfinished.stored.typed = typed
        unfinished.stored.savedAt = clock.now
        guard let saved = try saved(unfinished.stored, over: unfinished.stored.revision) else {
            return try keep(draft, typed: typed)
        }
        unfinished.stored = saved
        return (unfinished, mistakes.map(\.description))
    }

    /// Deletes the draft from the store. Its version in the Drafts mailbox stays.
    public func forget(_ draft: OpenDraft) throws { try store.drafts.removeDraft(draft.stored.messageID) }

    /// The file in which an editor changes the draft, until it is released.
    public func editingFile(of draft: OpenDraft) throws -> EditedFile {
        try .take(DraftName.hash(of: draft.stored.messageID), in: workspace.storeFolder + "/editing")
    }

    func newMessageID(_ account: Account) -> MessageID {
        MessageIDFactory.make(
            at: clock.now, random: RandomBytes.make(count: 16), domain: account.address.domain)
    }

    // MARK: Sending

    /// Throws for a draft that is being sent, because its bytes are fixed, and for one whose mailbox is not listed.
    public func mayEdit(_ draft: OpenDraft) throws {
        try draft.account.require(.draft)
        try refuseWhileSending(draft.stored)
        try requireListed(draft)
    }

    /// Throws if opus could neither read nor replace the version in the Drafts mailbox, because that is not listed.
    func requireListed(_ draft: OpenDraft) throws {
        guard try places.isUnlisted(draft.stored) else { return }
        throw Problem(
            "drafts-unlisted", exit: .temporary,
            message:
                "the server does not list the mailbox of draft \(try shortName(of: draft.stored)) now: nothing was done",
            next: ["opus sync", "the same command again"])
    }

    func refuseWhileSending(_ draft: StoredDraft) throws {
        guard let state = draft.submission?.state, state.isSending else { return }
        let name = try shortName(of: draft)
        let (why, way): (String, [String]) =
            switch state {
            case .planned:
                (
                    "it is sent only after you confirm it",
                    ["opus outbox retry \(name)", "opus outbox discard \(name) makes it a draft again"]
                )
            case .ready:
                ("it will be sent", ["opus outbox", "opus outbox discard \(name) makes it a draft again"])
            case .needsDecision:
                (
                    "opus cannot tell whether it was sent",
                    ["opus outbox", "opus outbox settle \(name) --sent      or  --not-sent"]
                )
            case .issued, .unknown, .reconciling, .confirmed, .rejected, .cancelled:
                ("it may have been sent", ["opus run", "opus outbox"])
            }
        throw Problem(
            "being-sent", exit: .temporary, message: "draft \(name) is in the outbox: \(why)", next: way)
    }
}

extension Step.State {
    /// Whether a submission in this state may still send the mail, or may have sent it: its draft must not
    /// change.
    var isSending: Bool {
        switch self {
        case .planned, .ready, .issued, .unknown, .reconciling, .needsDecision: true
        case .confirmed, .rejected, .cancelled: false
        }
    }
}
