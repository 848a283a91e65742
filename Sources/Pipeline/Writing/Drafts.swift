import Accounts
import Crypto
import Executor
import Foundation
import MIMEParser
public import MailStore
public import Models
import Rules

/// One draft as lists show it.
public struct DraftLine: Sendable {
    public enum State: String, Sendable {
        /// Here and in the Drafts mailbox.
        case saved
        /// Here; the Drafts mailbox has an older version, or none.
        case local
        /// What was typed cannot be read as a message yet.
        case unfinished
        /// Its submission is queued, on its way, or needs a person.
        case sending
        /// In the Drafts mailbox, written by another program or by a rule.
        case elsewhere
        /// The Drafts mailbox had it, and has it no more.
        case removedElsewhere = "removed-elsewhere"
    }

    public var id: String
    /// The whole id.
    public var name: String
    public var account: AccountID
    public var savedAt: Timestamp
    public var state: State
    public var to: [EmailAddress]
    public var subject: String
}

extension Session {
    // MARK: Looking

    /// The drafts of the accounts: those that are here, and what else lies in the Drafts mailboxes.
    public func drafts(account: String?) throws -> [DraftLine] {
        var lines: [DraftLine] = []
        let all = try allDrafts()
        for id in try accounts(named: account) {
            let account = try requireAccount(id)
            let inMailbox =
                try draftsMailbox(account).map { try facts(.mailbox(id, $0.name), needs: .headers) } ?? []
            let present = Set(inMailbox.map(\.id))
            for draft in all where draft.account == id && draft.submission?.state != .confirmed {
                lines.append(line(draft, present, all))
            }
            let known = Set(all.compactMap { $0.pushed?.message })
            let names = Set(all.map(\.messageID.rawValue))
            for facts in inMailbox where !known.contains(facts.id) && !isOurs(facts, names) {
                let short = try store.shortPrefix(of: [facts.id])[facts.id] ?? facts.id.rawValue
                lines.append(
                    DraftLine(
                        id: "m:" + short, name: facts.id.rawValue, account: id, savedAt: facts.date,
                        state: .elsewhere, to: facts.to + facts.cc + facts.bcc, subject: facts.subject))
            }
        }
        return lines.sorted { $0.savedAt > $1.savedAt }
    }

    private func allDrafts() throws -> [StoredDraft] {
        try workspace.accounts.flatMap { try store.drafts(of: $0.id) }
    }

    private func line(_ draft: StoredDraft, _ present: Set<EmailID>, _ all: [StoredDraft]) -> DraftLine {
        let envelope = HeaderBlock.envelope(of: draft.content)
        let state: DraftLine.State =
            if draft.submission?.state.isSending == true {
                .sending
            } else if draft.typed != nil {
                .unfinished
            } else if let message = draft.pushed?.message, !present.contains(message) {
                .removedElsewhere
            } else {
                draft.isPushed ? .saved : .local
            }
        return DraftLine(
            id: DraftName.short(draft.messageID, among: all.map(\.messageID)),
            name: DraftName.hash(of: draft.messageID), account: draft.account, savedAt: draft.savedAt,
            state: state,
            to: envelope.to + envelope.cc + envelope.bcc, subject: envelope.subject)
    }

    public func shortName(of draft: StoredDraft) throws -> String {
        DraftName.short(draft.messageID, among: try allDrafts().map(\.messageID))
    }

    private func isOurs(_ facts: MessageFacts, _ names: Set<String>) -> Bool {
        facts.header(MessageBuilder.draftField).contains(where: names.contains)
    }

    func draftsMailbox(_ account: Account) throws -> Mailbox? {
        existing(.drafts, of: account, among: try store.mailboxes(of: account.id))
    }

    // MARK: Opening

    /// The draft that a typed id means; one that another program wrote is fetched and becomes ours.
    public func draft(_ typed: String) async throws -> OpenDraft {
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
        guard !typed.hasPrefix("d:"), let stored = try? message(typed) else { throw noSuchDraft(typed) }
        let account = try requireAccount(stored.account)
        let mailbox = try draftsMailbox(account)
        guard let place = stored.places.first(where: { $0.key.mailbox == mailbox?.name }) else {
            throw noSuchDraft(typed)
        }
        if let ours = all.first(where: { $0.pushed?.message == stored.id }) { return try opened(ours) }
        let bytes = try await raw(typed)
        return try opened(try adopt(bytes, stored.id, uid: place.key.uid, savedAt: now, account))
    }

    private func noSuchDraft(_ typed: String) -> Problem {
        Problem(
            "no-such-draft", exit: .notFound, message: "no draft has an id that begins with \(typed)",
            next: ["opus drafts"])
    }

    /// A message of another program becomes a draft of ours; it stays where it is.
    func adopt(
        _ bytes: [UInt8], _ message: EmailID?, uid: UInt32, savedAt: Timestamp, _ account: Account
    ) throws -> StoredDraft {
        let messageID = newMessageID(account)
        var draft = StoredDraft(
            account: account.id, messageID: messageID, savedAt: savedAt, content: bytes)
        draft.pushed = .init(
            revision: 1, message: message, uid: uid, token: MIMEParser.parse(bytes).envelope.messageID)
        draft.versions.adopt(MessageDigest.of(bytes))
        return try store.save(draft)
    }

    func opened(_ draft: StoredDraft) throws -> OpenDraft {
        let account = try requireAccount(draft.account)
        let builder = MessageBuilder(
            draft: MIMEParser.parse(draft.content), from: account.address, date: now,
            messageID: draft.messageID)
        return OpenDraft(stored: draft, builder: builder, account: account)
    }

    // MARK: Saving

    /// Saves the message as it is now; on disk when this returns.
    public func keep(_ draft: OpenDraft) throws -> OpenDraft {
        var kept = draft
        let revision = draft.stored.id == nil ? 1 : draft.stored.revision + 1
        kept.stored.content = try draft.content(revision: revision, now: now, zone: zone)
        kept.stored.revision = revision
        kept.stored.versions.addOwn(MessageDigest.of(kept.stored.content))
        kept.stored.savedAt = now
        kept.stored.typed = nil
        kept.stored = try store.save(kept.stored)
        return kept
    }

    /// Takes over what a person typed and saves it. What cannot be read is saved as it was typed: nothing is lost.
    ///
    /// - Returns: the draft, and the lines that are wrong, as `line 2: …`.
    public func keep(_ draft: OpenDraft, typed: String) throws -> (draft: OpenDraft, mistakes: [String]) {
        var next = draft
        let (read, found) = DraftText.read(typed)
        var mistakes = next.take(read, found, files: attachedFiles, session: self)
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
        unfinished.stored.savedAt = now
        unfinished.stored = try store.save(unfinished.stored)
        return (unfinished, mistakes.map(\.description))
    }

    /// Takes away a draft that was only begun.
    public func forget(_ draft: OpenDraft) throws { try store.removeDraft(draft.stored.messageID) }

    /// Where an editor works on the draft: what it wrote is there until it was saved, whatever becomes of the editor
    /// and of us.
    public func editingFile(of draft: OpenDraft) throws -> String {
        let folder = workspace.storeFolder + "/editing"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder + "/" + DraftName.hash(of: draft.stored.messageID) + ".eml"
    }

    func newMessageID(_ account: Account) -> MessageID {
        MessageIDFactory.make(at: now, random: RandomBytes.make(count: 16), domain: account.address.domain)
    }
}

extension Step.State {
    /// A submission in this state may still send, or may have sent: its draft is not to be touched.
    var isSending: Bool {
        switch self {
        case .planned, .ready, .issued, .unknown, .reconciling, .needsDecision: true
        case .confirmed, .rejected, .cancelled: false
        }
    }
}
