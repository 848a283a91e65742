import Accounts
import MIMEParser
public import MailStore
public import Models
import Planner

/// A mail as it will leave: what a person is asked about before it does.
public struct MailPreview: Sendable {
    public var draft: StoredDraft
    public var account: AccountID
    public var from: EmailAddress
    public var recipients: [EmailAddress]
    public var subject: String
    public var files: [String]
    /// Bytes.
    public var size: Int
}

/// Mails that were put into the outbox.
public struct QueuedMail: Sendable {
    public var account: AccountID
    /// The rows of the journal that submit them.
    public var submissions: [Int64]
    /// When the first of them may leave.
    public var dueAt: Timestamp
}

/// Sending: the bytes are fixed once, the journal does the rest.
extension Session {
    /// How a draft would leave. Throws where it cannot.
    public func preview(_ draft: StoredDraft) throws -> MailPreview {
        try refuseWhileSending(draft)
        let account = try requireAccount(draft.account)
        let name = try shortName(of: draft)
        guard account.canSend else {
            throw Problem(
                "no-smtp", exit: .configuration,
                message: "account \(account.id) has neither smtp: nor sendmail:",
                place: "account \(account.id), \(account.place)",
                next: [
                    "add smtp: { host: … } to the account, or sendmail: [ PROGRAM, ARGUMENT … ]",
                    "opus drafts edit \(name) and choose another From",
                ])
        }
        guard draft.typed == nil else {
            throw Problem(
                "unfinished-draft", exit: .badData, message: "the header of draft \(name) cannot be read yet",
                next: ["opus drafts edit \(name)"])
        }
        let mail = outgoing(draft)
        guard !mail.recipients.isEmpty else {
            throw Problem(
                "no-recipients", exit: .badData, message: "draft \(name) has no recipients",
                next: ["opus drafts edit \(name)", "--to ADDRESS"])
        }
        guard let from = mail.from else {
            throw Problem(
                "bad-mail", exit: .badData, message: "draft \(name) has no From",
                next: ["opus drafts edit \(name)"])
        }
        _ = try writer(from)
        return MailPreview(
            draft: draft, account: account.id, from: from, recipients: mail.recipients,
            subject: mail.envelope.subject,
            files: MIMEParser.parse(mail.message).attachments.map(\.name), size: mail.message.count)
    }

    private func outgoing(_ draft: StoredDraft) -> OutgoingDraft {
        OutgoingDraft(
            draft.content, messageID: draft.messageID, date: now, zoneOffsetSeconds: zone.offset(at: now))
    }

    /// Puts mails into the outbox, all or none. `hold`: seconds during which they may be taken back.
    public func queue(_ mails: [MailPreview], hold: Int) throws -> [QueuedMail] {
        try SendLimits(workspace.send).check(
            mails.count, sent: try recentlySent(), now: now, zone: zone)
        var queued: [QueuedMail] = []
        for id in workspace.accounts.map(\.id) {
            let own = mails.filter { $0.account == id }
            if !own.isEmpty { queued.append(try queue(own, of: try requireAccount(id), hold: hold)) }
        }
        return queued
    }

    private func queue(_ mails: [MailPreview], of account: Account, hold: Int) throws -> QueuedMail {
        let due = now + Int64(hold)
        var steps: [Step] = []
        var drafts: [MessageID: MessageID] = [:]
        let open = try store.openSteps(of: account.id)
        for mail in mails {
            steps += try sending(mail, account, dueAt: hold > 0 ? due : nil)
            drafts[mail.draft.messageID] = mail.draft.messageID
            // A version on its way to the Drafts mailbox need not arrive.
            let waiting = open.filter {
                $0.draftName == mail.draft.messageID.rawValue && $0.state == .ready && $0.attempts == 0
            }
            if !waiting.isEmpty { try store.cancel(waiting.compactMap(\.id)) }
        }
        let run = try store.queue(
            NewRun(account: account.id, startedAt: now, command: "send"), steps: steps)
        var submissions: [Int64] = []
        for step in run.queued {
            guard case .submit(reversePath: _, forwardPaths: _, message: _, let token) = step.kind,
                let id = step.id
            else { continue }
            submissions.append(id)
            try store.setSubmission(id, of: token)
        }
        return QueuedMail(account: account.id, submissions: submissions, dueAt: due)
    }

    /// The mail itself, its copy in Sent, and the draft's end, in that order.
    private func sending(_ mail: MailPreview, _ account: Account, dueAt: Timestamp?) throws -> [Step] {
        let context = try stepContext(account)
        let out = outgoing(mail.draft)
        let message =
            mail.draft.pushed?.message ?? EmailID(rawValue: "draft-" + DraftName.hash(of: out.messageID))
        let target = out.messageID.rawValue
        var paths: [String] = []
        for address in out.recipients { paths.append(try MessageBuilder.envelopeAddress(address)) }
        var steps = [
            byHand(
                "send", target, account, message: message,
                .submit(
                    reversePath: try MessageBuilder.envelopeAddress(mail.from), forwardPaths: paths,
                    message: out.message, token: out.messageID)),
            byHand(
                "sent-copy", target, account, message: message,
                .append(
                    to: context.mailbox(for: .sent), message: out.message, flags: [.seen],
                    token: out.messageID)),
        ]
        if let removal = try removal(of: mail.draft, account) { steps.append(removal) }
        for index in steps.indices {
            steps[index].message = message
            steps[index].dueAt = dueAt
        }
        return steps
    }

    /// What left within the last hour, and what is about to: by recipient and time.
    func recentlySent() throws -> [SentMail] {
        let states: Set<Step.State> = [
            .planned, .ready, .issued, .unknown, .reconciling, .confirmed, .needsDecision,
        ]
        return try workspace.accounts.flatMap { account in
            try store.submissions(of: account.id, in: states, since: now - SendLimits.hour).compactMap {
                submission in
                guard case .submit(reversePath: _, let paths, message: _, token: _) = submission.step.kind
                else {
                    return nil
                }
                // What was queued in a time to come was queued by a clock that was wrong.
                guard submission.queuedAt <= now + SendLimits.hour else { return nil }
                return SentMail(at: submission.queuedAt, recipients: paths.map { $0.lowercased() })
            }
        }
    }

    /// Seconds during which a mail may be taken back.
    public var holdSeconds: Int { workspace.send.hold }

    /// Carries out what is due in an account's journal.
    public func deliver(_ id: AccountID) async throws -> RunReport {
        var report = RunReport(account: id)
        report.drain = try await drain(try requireAccount(id))
        return report
    }

    /// Takes away the drafts of mails that were sent, and marks what they answered.
    public func finishSent(_ id: AccountID) async throws {
        let account = try requireAccount(id)
        var answered: [Step] = []
        for draft in try store.drafts(of: id) where draft.submission?.state == .confirmed {
            if let original = draft.answers,
                let place = try store.places(of: original).first(where: {
                    !$0.isMissing && !$0.flags.contains(.answered)
                })
            {
                answered.append(
                    byHand(
                        "answered", draft.messageID.rawValue, account, message: original,
                        .store(
                            place.key, addFlags: [.answered], removeFlags: [], addKeywords: [],
                            removeKeywords: [])))
            }
            try store.removeDraft(draft.messageID)
        }
        if !answered.isEmpty {
            _ = try await carryOut(QueuedWork(steps: answered), account: account, command: "send")
        }
    }
}

/// A mail that left, or is about to.
struct SentMail: Hashable, Sendable {
    var at: Timestamp
    /// Lower case.
    var recipients: [String]
}

/// How much a command may send: a mistake in a script stops before the first mail, and not after the thousandth.
///
/// How many mails go to one address is not counted here: a person who writes to a friend four times an hour means it.
/// That limit is for rules (``SendAllowance``).
struct SendLimits {
    let settings: SendSettings

    init(_ settings: SendSettings) { self.settings = settings }

    static let hour: Int64 = 3_600

    /// Throws where so many mails are too many.
    func check(_ count: Int, sent: [SentMail], now: Timestamp, zone: ZoneClock) throws(Problem) {
        guard count <= settings.perRun else {
            throw tooMany(
                "\(counted(count, "mail")) at once, more than max-per-run: \(settings.perRun)",
                "send fewer")
        }
        let recent = sent.filter { now - $0.at < Self.hour }
        let next =
            recent.map(\.at).min().map { "the next may go at \(clock($0 + Self.hour, zone))" } ?? "send fewer"
        guard recent.count + count <= settings.perHour else {
            throw tooMany(
                "\(counted(recent.count, "mail was", "mails were")) sent within the hour, and \(count) more would be more than "
                    + "max-per-hour: \(settings.perHour)", next)
        }
    }

    private func clock(_ time: Timestamp, _ zone: ZoneClock) -> String {
        String(zone.local(time).clock.prefix(5))
    }

    private func tooMany(_ what: String, _ next: String) -> Problem {
        Problem(
            "send-limit", exit: .temporary, message: "nothing was sent: \(what)",
            next: [next, "raise it under send: in opus.yaml"])
    }
}
