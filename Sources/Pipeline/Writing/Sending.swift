import Accounts
import MIMEParser
public import MailStore
public import Models
import Planner

/// Sending: fixes the bytes of a mail once, and queues it in the journal.
public struct Sending: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let drafts: Drafts
    let places: DraftPlaces
    let addresses: OwnAddresses
    let waits: DraftWaits
    let elsewhere: SentDrafts
    let sendHistory: SendHistory
    let runner: JournalRunner
    let clock: SessionClock
    let zone: ZoneClock

    /// The preview of sending a draft. Throws the reason if it cannot be sent. `again`: the user wants it sent, although it
    /// may have been sent before.
    public func preview(_ opened: StoredDraft, again: Bool = false) throws -> MailPreview {
        let draft = try current(opened, again: again)
        try drafts.refuseWhileSending(draft)
        let account = try accounts.require(draft.account)
        let name = try drafts.shortName(of: draft)
        guard account.canSend else {
            throw Problem(
                "no-smtp", exit: .configuration,
                message: "account \(account.id) cannot send: it has neither smtp nor sendmail",
                place: "account \(account.id), \(account.place)",
                next: [
                    "add smtp: { host: … } to the account, or sendmail: [ PROGRAM, ARGUMENT … ]",
                    "opus drafts edit \(name) and choose another From",
                ])
        }
        try refuseSent(draft, name, again: again)
        guard draft.typed == nil else {
            throw Problem(
                "unfinished-draft", exit: .badData,
                message: "draft \(name) is unfinished: its header cannot be read, or an editor has it open",
                next: ["opus drafts edit \(name)"])
        }
        let mail = outgoing(draft)
        do {
            try account.require(.send)
        } catch var problem {
            problem.details.append("the mail is kept as draft \(name)")
            problem.next.append("opus drafts discard \(name)")
            throw problem
        }
        guard !mail.recipients.isEmpty else {
            throw Problem(
                "no-recipients", exit: .badData, message: "draft \(name) has no recipients",
                next: ["opus drafts edit \(name)", "--to ADDRESS"])
        }
        if let stray = mail.strayRecipient {
            throw Problem(
                "bad-mail", exit: .badData, message: "draft \(name): \(stray)",
                next: ["opus drafts edit \(name)"])
        }
        guard let from = mail.from else {
            throw Problem(
                "bad-mail", exit: .badData, message: "draft \(name) has no From",
                next: ["opus drafts edit \(name)"])
        }
        _ = try addresses.writer(from)
        guard SevenBitMessage.withShortLines(mail.message) != nil else {
            throw Problem(
                "long-lines", exit: .badData,
                message:
                    "draft \(name) is signed or encrypted and has lines of more than 998 bytes or NUL, which servers refuse or change: nothing was sent",
                next: [
                    "save it again with the program that signed or encrypted it, with shorter lines or as quoted-printable"
                ])
        }
        try waits.check(draft, name: name, account)
        return MailPreview(
            draft: draft, account: account.id, from: from, to: mail.envelope.to,
            cc: mail.envelope.cc, bcc: mail.envelope.bcc, subject: mail.envelope.subject,
            files: MIMEParser.parse(mail.message, limits: .ownMail).attachments.map(\.name),
            size: mail.message.count,
            wait: DraftWaits.phrase(in: draft.content))
    }

    /// The draft as it is now, perhaps after a wait for another opus. Throws if anyone has written in it since it was opened.
    private func current(_ opened: StoredDraft, again: Bool) throws -> StoredDraft {
        let now = try store.drafts.drafts(of: opened.account).first { $0.messageID == opened.messageID }
        if let now, now.isSameVersion(as: opened) { return now }
        let name = try drafts.shortName(of: opened)
        if now == nil { try refuseSent(opened, name, again: again) }
        throw Self.changed(name)
    }

    private static func changed(_ name: String) -> Problem {
        Problem(
            "changed-elsewhere", exit: .someFailed,
            message: "draft \(name) was changed or discarded by another opus meanwhile: nothing was sent",
            next: ["opus drafts"])
    }

    /// Throws if the mail whose draft, or a copy of it, this is was sent or may have been sent: this store did it, or Sent has it.
    private func refuseSent(_ draft: StoredDraft, _ name: String, again: Bool) throws {
        let original = places.identity(of: draft).name.map { MessageID($0) }
        let traces = MailTraces(store: store)
        let departed = try original.map { try traces.departure(of: $0, draft.account) != nil }
        if try departed == true || isSentMessage(draft) {
            throw Problem(
                "already-sent", exit: .someFailed,
                message: "the mail of draft \(name) was already sent, so it is not sent again",
                next: ["opus drafts discard \(name)", "opus drafts edit \(name) makes a new mail of it"])
        }
        guard !again else { return }
        for id in Set([draft.messageID, original].compactMap(\.self))
        where try store.runs.mayHaveDeparted(id, account: draft.account) {
            throw Self.inDoubt(name, "it left the outbox while its result was unknown")
        }
        if let mail = try elsewhere.twin(of: draft) {
            let time = zone.rfc3339(mail.sent ?? mail.received)
            throw Self.inDoubt(name, "Sent has a mail with the same text and recipients, of \(time)")
        }
    }

    private static func inDoubt(_ name: String, _ reason: String) -> Problem {
        Problem(
            "may-be-sent", exit: .someFailed,
            message: "the mail of draft \(name) may have been sent already: \(reason)",
            next: [
                "ask the recipient, or look into Sent",
                "opus drafts discard \(name), if it was sent",
                "opus send \(name) --again, if it was not",
            ])
    }

    /// Whether this very message of the Drafts mailbox was sent. Not every draft names the mail that it becomes.
    private func isSentMessage(_ draft: StoredDraft) throws -> Bool {
        guard draft.isPushed, let message = draft.pushed?.message else { return false }
        return try store.drafts.isSent(message, account: draft.account)
    }

    private func outgoing(_ draft: StoredDraft) -> OutgoingDraft {
        OutgoingDraft(
            draft.content, messageID: draft.messageID, date: clock.now,
            zoneOffsetSeconds: zone.offset(at: clock.now))
    }

    /// Queues mails in the outbox, all or none. `hold`: the number of seconds during which they can be
    /// cancelled. `partOf`: the run of the same command that made the drafts.
    public func queue(_ mails: [MailPreview], hold: Int, partOf whole: RunID? = nil) throws -> [QueuedMail] {
        try SendLimits(workspace.send).check(
            mails.count, sent: try sendHistory.recentlySent(), now: clock.now, zone: zone)
        // Drafts are edited without the lock, also while the user was asked.
        for mail in mails { _ = try current(mail.draft, again: true) }
        var queued: [QueuedMail] = []
        var whole = whole
        do {
            for id in workspace.accounts.map(\.id) {
                let own = mails.filter { $0.account == id }
                guard !own.isEmpty else { continue }
                let (part, run) = try queue(own, of: try accounts.require(id), hold: hold, partOf: whole)
                queued.append(part)
                // One undo cancels the mail of all accounts.
                whole = whole ?? run
            }
        } catch {
            try store.journal.cancel(queued.flatMap(\.submissions))
            throw error
        }
        return queued
    }

    private func queue(
        _ mails: [MailPreview], of account: Account, hold: Int, partOf whole: RunID?
    ) throws -> (QueuedMail, RunID) {
        let due = clock.now + Int64(hold)
        var steps: [Step] = []
        var sent: [MessageID: StoredDraft] = [:]
        for mail in mails {
            // A version that is queued for the Drafts mailbox is no longer needed.
            let removals = try places.cancelVersions(of: mail.draft.messageID, account)
            var draft = mail.draft
            try places.dropFailed(&draft)
            steps += try sending(mail, account, dueAt: hold > 0 ? due : nil, besides: removals)
            sent[mail.draft.messageID] = mail.draft
        }
        var new = NewRun(account: account.id, startedAt: clock.now, command: "send")
        new.partOf = whole
        let run = try store.journal.queue(new, steps: steps)
        var submissions: [Int64] = []
        var changed: StoredDraft?
        for step in run.queued {
            guard case .submit(reversePath: _, forwardPaths: _, message: _, let token) = step.kind,
                let id = step.id
            else { continue }
            submissions.append(id)
            guard let draft = sent[token] else { continue }
            if try !store.drafts.setSubmission(id, of: draft) { changed = changed ?? draft }
        }
        if let changed {
            // The other steps of each mail end with its submission.
            try store.journal.cancel(submissions)
            throw Self.changed(try drafts.shortName(of: changed))
        }
        return (QueuedMail(account: account.id, submissions: submissions, dueAt: due), run.id)
    }

    /// The submission, the copy in Sent, and the removal of the draft, in that order.
    private func sending(
        _ mail: MailPreview, _ account: Account, dueAt: Timestamp?, besides removals: [Step]
    ) throws -> [Step] {
        let context = try accounts.stepContext(account)
        let out = outgoing(mail.draft)
        let message =
            mail.draft.pushed?.message ?? .outgoing(out.messageID)
        let target = out.messageID.rawValue
        var paths: [String] = []
        // The copy in Sent keeps the bytes of the draft.
        let fitting = SevenBitMessage.withShortLines(out.message) ?? out.message
        for address in out.recipients { paths.append(try MessageBuilder.envelopeAddress(address)) }
        var steps: [Step] = [
            .byHand(
                "send", target, account, message: message,
                .submit(
                    reversePath: try MessageBuilder.envelopeAddress(mail.from), forwardPaths: paths,
                    message: fitting, token: out.messageID)),
            .byHand(
                "sent-copy", target, account, message: message,
                .append(
                    to: try accounts.sentMailbox(mail.from, account) ?? context.mailbox(for: .sent),
                    message: out.message, flags: [.seen],
                    token: out.messageID)),
        ]
        if let removal = try places.removal(of: mail.draft, account) { steps.append(removal) }
        steps += removals
        for index in steps.indices {
            steps[index].message = message
            steps[index].dueAt = dueAt
        }
        return steps
    }

    /// The number of seconds during which a mail can be cancelled.
    public var holdSeconds: Int { workspace.send.hold }

    /// Removes the drafts of sent mails, marks the messages that they answered, and starts their waits. For
    /// drafts that another program sent, it only removes them and starts their waits.
    ///
    /// - Returns: the run that started the waits of the latter; nil: there was nothing to do.
    @discardableResult
    public func finish(_ id: AccountID) async throws -> RunReport? {
        let account = try accounts.require(id)
        let sent = try store.drafts.drafts(of: id).filter { $0.submission?.state == .confirmed }
        try await finish(sent, account)
        return try await finishElsewhere(account)
    }

    private func finishElsewhere(_ account: Account) async throws -> RunReport? {
        let found = try elsewhere.found(of: account)
        guard !found.isEmpty else { return nil }
        let context = try accounts.stepContext(account)
        var work = QueuedWork()
        for one in found {
            var mail = one.draft
            mail.messageID = one.mail.messageID ?? mail.messageID
            guard let (todo, link) = try waits.task(of: mail, account, context, sentAt: one.at) else {
                continue
            }
            work.steps.append(
                .byHand(
                    "wait", mail.messageID.rawValue, account, message: link?.message, .createTodo(todo)))
            work.links += [link].compactMap(\.self)
        }
        let report =
            work.isEmpty ? nil : try await runner.carryOut(work, account: account, command: "send")
        for one in found { try store.drafts.removeDraft(one.draft.messageID) }
        return report
    }

    private func finish(_ sent: [StoredDraft], _ account: Account) async throws {
        guard !sent.isEmpty else { return }
        let context = try accounts.stepContext(account)
        var work = QueuedWork()
        // An answer may be sent from another account than that of the message.
        var marks: [AccountID: [Step]] = [:]
        for draft in sent {
            work.steps += try places.leftovers(of: draft, account)
            if let (answered, step) = try answeredMark(of: draft) {
                marks[answered.id, default: []].append(step)
            }
            if let (todo, link) = try waits.task(of: draft, account, context) {
                work.steps.append(
                    .byHand(
                        "wait", draft.messageID.rawValue, account, message: link?.message, .createTodo(todo)))
                work.links += [link].compactMap(\.self)
            }
        }
        work.steps += marks.removeValue(forKey: account.id) ?? []
        let run = try sent.last?.submission.flatMap { try store.runs.run(ofStep: $0.step) }
        if !work.isEmpty {
            _ = try await runner.carryOut(work, account: account, command: "send", partOf: run)
        }
        for (id, steps) in marks {
            _ = try await runner.carryOut(
                QueuedWork(steps: steps), account: accounts.require(id), command: "send", partOf: run)
        }
        for draft in sent { try store.drafts.removeDraft(draft.messageID) }
    }

    /// The step that marks the message as answered which a draft answers; nil: it has the mark, or may not get it.
    private func answeredMark(of draft: StoredDraft) throws -> (Account, Step)? {
        guard let original = draft.answers,
            let place = try store.messages.places(of: original).first(where: {
                !$0.isMissing && !$0.flags.contains(.answered)
            }), let account = try? accounts.require(place.key.account), account.permissions.allows(.mark)
        else { return nil }
        let step = Step.byHand(
            "answered", draft.messageID.rawValue, account, message: original,
            .store(
                place.key, addFlags: [.answered], removeFlags: [], addKeywords: [], removeKeywords: []))
        return (account, step)
    }

    /// For mails that were sent right before opus ended: does what follows the sending.
    public func finishAll() async throws {
        for account in workspace.accounts { try await finish(account.id) }
    }
}
