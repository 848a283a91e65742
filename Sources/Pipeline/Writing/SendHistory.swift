import Accounts
import MailStore
import Models
import Rules

/// A mail that was sent, or will be.
struct SentMail: Hashable, Sendable {
    var at: Timestamp
    /// In lower case.
    var recipients: [String]
}

/// Recently sent mail, and the remaining allowance according to `send:`.
struct SendHistory: Sendable {
    let workspace: Workspace
    let store: Store
    let clock: SessionClock

    /// Mail that was sent within the last hour, or will be sent: by recipient and time.
    func recentlySent() throws -> [SentMail] {
        let states: Set<Step.State> = [
            .planned, .ready, .issued, .unknown, .reconciling, .confirmed, .needsDecision,
        ]
        return try workspace.accounts.flatMap { account in
            try store.journal.submissions(of: account.id, in: states, since: clock.now - SendLimits.hour)
                .compactMap {
                    submission in
                    guard case .submit(reversePath: _, let paths, message: _, token: _) = submission.step.kind
                    else {
                        return nil
                    }
                    // A mail that was queued in the future was queued with a wrong clock.
                    guard submission.queuedAt <= clock.now + SendLimits.hour else { return nil }
                    return SentMail(at: submission.queuedAt, recipients: paths.map { $0.lowercased() })
                }
        }
    }

    /// How much mail rules may still send within the limits of `send:`.
    func allowance() throws -> SendAllowance {
        let sent = try recentlySent()
        var allowance = SendAllowance(
            perHour: workspace.send.perHour, perRecipient: workspace.send.perRecipientPerHour,
            sent: sent.count,
            sentTo: Dictionary(sent.flatMap(\.recipients).map { ($0, 1) }, uniquingKeysWith: +))
        allowance.isAllowed = workspace.allowSend
        allowance.perRun = workspace.send.perRun
        return allowance
    }
}
