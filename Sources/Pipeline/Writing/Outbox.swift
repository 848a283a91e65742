import Accounts
import MIMEParser
import MailStore
public import Models

/// The outbox: mail that is queued, held, being sent or refused.
public struct Outbox: Sendable {
    let accounts: AccountAccess
    let store: Store
    let clock: SessionClock

    /// Mail that will be sent or could not be sent; with `all`, also sent and discarded mail.
    public func list(account: String?, all: Bool = false) throws -> [OutboxLine] {
        var states: Set<Step.State> = [
            .planned, .ready, .issued, .unknown, .reconciling, .rejected, .needsDecision,
        ]
        if all { states.formUnion([.confirmed, .cancelled]) }
        let submissions = try accounts.ids(named: account).flatMap {
            try store.journal.submissions(of: $0, in: states)
        }
        let names = submissions.compactMap(\.step.token)
        var lines = submissions.compactMap { Self.line($0, names) }
        for account in Set(lines.lazy.filter { $0.state == .queued }.map(\.account)) {
            guard let reason = try whyNothingLeaves(account) else { continue }
            for index in lines.indices
            where lines[index].account == account && lines[index].isOverdue(at: clock.now) {
                lines[index].reason = lines[index].reason ?? reason
            }
        }
        guard all else { return lines }
        for account in Set(lines.map(\.account)) {
            let unfinished = try store.runs.unfinishedAfterSending(account: account)
            for index in lines.indices where lines[index].account == account && lines[index].state == .sent {
                lines[index].unfinished = (unfinished[lines[index].step] ?? []).compactMap(
                    OutboxLine.Leftover.init)
            }
        }
        return lines
    }

    /// Why the account sent nothing when opus last tried; nil: opus has reached the account since.
    private func whyNothingLeaves(_ account: AccountID) throws -> String? {
        guard let halt = try store.journal.halt(of: account),
            halt.at >= (try store.sync.lastSync(of: account)) ?? halt.at
        else { return nil }
        return halt.reason
    }

    private static func line(_ submission: Submission, _ names: [MessageID]) -> OutboxLine? {
        let step = submission.step
        guard case .submit(reversePath: _, let paths, let message, let token) = step.kind, let id = step.id
        else {
            return nil
        }
        let state: OutboxLine.State =
            switch step.state {
            case .planned: .held
            case .ready: .queued
            case .issued: .sending
            case .unknown, .reconciling: .unknown
            case .rejected: .failed
            case .needsDecision: .needsDecision
            case .confirmed: .sent
            case .cancelled: .discarded
            }
        return OutboxLine(
            id: DraftName.short(token, among: names), name: DraftName.hash(of: token),
            account: submission.account,
            state: state, queuedAt: submission.queuedAt, dueAt: step.dueAt, recipients: paths,
            subject: HeaderBlock.envelope(of: message).subject, messageID: token, attempts: step.attempts,
            reason: state == .sent ? nil : step.reason,
            refusals: state == .sent ? [:] : step.outcome.recipients ?? [:],
            wasSentElsewhere: step.outcome.place != nil, step: id)
    }

    /// Mail of accounts that opus.yaml no longer has, by the name of the account: opus does not send it.
    public func stranded() throws -> [(account: AccountID, mails: Int)] {
        try store.runs.unsentMail(besides: accounts.workspace.accounts.map(\.id))
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The mail in the outbox for a typed id, which is the id of its draft; `account`: only of this one.
    public func mail(_ typed: String, account: String? = nil) throws -> OutboxLine {
        let prefix = (typed.hasPrefix("d:") ? String(typed.dropFirst(2)) : typed).lowercased()
        let found = try list(account: account, all: true).filter {
            !prefix.isEmpty && $0.name.hasPrefix(prefix)
        }
        guard let last = found.last else {
            throw Problem(
                "no-such-mail", exit: .notFound,
                message: "the outbox has no mail whose id begins with \(typed)",
                next: ["opus outbox"])
        }
        // A mail may have been refused, corrected and sent again: the latest one counts.
        guard Set(found.map(\.name)).count == 1 else {
            throw Problem(
                "ambiguous-id", exit: .usage, message: "\(typed) is the beginning of several ids",
                next: ["one of: " + found.map(\.id).joined(separator: ", ")])
        }
        return found.last { $0.state != .discarded } ?? last
    }

    /// Sends a mail again that was refused, held or given up, with the same Message-ID.
    public func retry(_ mail: OutboxLine) throws {
        switch mail.state {
        case .failed: try store.journal.retry([mail.step])
        case .held: try store.journal.approve([mail.step])
        case .queued, .sending, .unknown: return
        case .needsDecision:
            throw Problem(
                "needs-decision", exit: .usage,
                message: "mail \(mail.id) may have been sent already; only you can find out",
                next: [
                    "opus outbox settle \(mail.id) --not-sent (sends it again)",
                    "opus outbox settle \(mail.id) --sent",
                ])
        case .sent, .discarded: throw isOver(mail)
        }
    }

    /// Cancels a mail that was not sent, or whose result is unknown; its draft can be edited again.
    public func discard(_ mail: OutboxLine) throws {
        switch mail.state {
        case .queued, .held, .failed: try store.journal.cancel([mail.step])
        case .sending, .unknown:
            throw Problem(
                "being-sent", exit: .temporary,
                message: "mail \(mail.id) is on its way: opus cannot stop it",
                next: ["opus outbox"])
        case .needsDecision: try store.journal.cancel([mail.step])
        case .sent, .discarded: throw isOver(mail)
        }
        try store.drafts.removeSubmission(of: mail.messageID)
    }

    /// Whether the mail has a draft. Mail that a rule sends at once has none.
    public func hasDraft(_ mail: OutboxLine) throws -> Bool {
        try store.drafts.drafts(of: mail.account).contains { $0.messageID == mail.messageID }
    }

    /// Records the user's answer whether a mail with an unknown result was sent.
    public func settle(_ mail: OutboxLine, wasSent: Bool) throws {
        guard mail.state == .needsDecision else {
            throw Problem(
                "nothing-to-settle", exit: .usage,
                message: "mail \(mail.id) is \(mail.state.rawValue): it does not need a decision",
                next: ["opus outbox"])
        }
        if wasSent {
            // A mail that another program sent already has its copy.
            try store.journal.settle(mail.step, as: .confirmed, withoutCopy: mail.wasSentElsewhere)
        } else {
            try refuseFound(mail)
            try store.journal.retry([mail.step])
        }
    }

    /// A copy that a sync has found since proves that the mail was sent.
    private func refuseFound(_ mail: OutboxLine) throws {
        let sent = Set(
            try store.sync.mailboxes(of: mail.account).filter { $0.role == .sent }.map(\.name))
        let copies = try store.messages.messages(with: mail.messageID, account: mail.account)
        guard
            try copies.contains(where: { copy in
                try store.messages.places(of: copy).contains {
                    sent.contains($0.key.mailbox) && !$0.isMissing
                }
            })
        else { return }
        throw Problem(
            "already-sent", exit: .someFailed,
            message: "mail \(mail.id) was sent: Sent has its copy, so it is not sent again",
            next: ["opus outbox settle \(mail.id) --sent"])
    }

    private func isOver(_ mail: OutboxLine) -> Problem {
        Problem(
            "too-late", exit: .someFailed,
            message: mail.state == .sent
                ? "mail \(mail.id) was sent: opus cannot stop it"
                : "mail \(mail.id) is not in the outbox: it was discarded, or its draft was changed",
            next: mail.state == .sent ? ["opus outbox --all"] : ["opus drafts", "opus outbox --all"])
    }
}
