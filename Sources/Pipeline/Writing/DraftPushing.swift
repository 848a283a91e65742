import Accounts
import Executor
import MIMEParser
import MailStore
public import Models
import Planner
import Rules

/// Saves newer local versions in the Drafts mailbox.
extension DraftsMailbox {
    /// Puts the newest versions into the Drafts mailbox of the account and removes the older ones, through the
    /// journal. Versions of other programs are not changed.
    ///
    /// - Returns: The results, and a sentence for each version of another program that is kept separately.
    public func push(
        of id: AccountID, command: String
    ) async throws -> (report: RunReport, news: [String]) {
        let account = try accounts.require(id)
        try places.noteArrivals(account)
        let news = try await keepOthersBeside(account)
        whole.begin()
        defer { whole.end() }
        try noteNudges(account, command: command)
        let work = try pushes(account)
        if !work.cancelled.isEmpty { try store.journal.cancel(work.cancelled) }
        var report = try await runner.carryOut(
            QueuedWork(steps: work.steps), account: account, command: command)
        if work.isKeptHere {
            report.notices.append(
                "the server cannot replace a message there; the new version is kept here, and opus send sends it"
            )
        }
        try places.noteArrivals(account)
        return (report, news)
    }

    /// Removes the version of a draft from the Drafts mailbox of the account that another `From` left.
    ///
    /// - Returns: Why it is still there; nil: it is not.
    public func leave(_ id: AccountID) async throws -> String? {
        let drain = try await runner.deliver(id).drain
        return drain.interruption ?? drain.failures.first?.reason
    }

    /// Puts drafts into the Drafts mailbox that an interrupted command left only here. nil: there are none. The upload is
    /// a run of its own: an undo of what else the command does must not remove a draft.
    public func pushRest(of id: AccountID) async throws -> RunReport? {
        let account = try accounts.require(id)
        guard account.permissions.allows(.draft), try !pushes(account).steps.isEmpty else { return nil }
        return try await whole.apart { try await push(of: id, command: "drafts").report }
    }

    /// A killed command may have saved the draft of a nudge without its line in the notes of the task.
    private func noteNudges(_ account: Account, command: String) throws {
        for draft in try store.drafts.drafts(of: account.id)
        where draft.pushed == nil && draft.submission == nil {
            if let token = places.identity(of: draft).token,
                try store.runs.isUndone(draft: token, account: account.id)
            {
                continue
            }
            guard let change = try nudges.change(noting: draft, account) else { continue }
            _ = try taskChanges.change([change], command: command)
        }
    }

    /// Versions that another program saved while these drafts were changed locally become separate drafts
    /// before the mailbox is updated.
    private func keepOthersBeside(_ account: Account) async throws -> [String] {
        let changed = try store.drafts.drafts(of: account.id).filter {
            !$0.isPushed && $0.pushed != nil && $0.typed == nil && $0.submission?.state.isSending != true
        }
        var news: [String] = []
        for draft in changed {
            do {
                news += try await lookAgain(at: draft, .keptBeside).news
            } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
                // It does not matter if the mailbox cannot be reached: later steps only remove known bytes.
                return news
            }
        }
        return news
    }

    private func pushes(
        _ account: Account
    ) throws -> (steps: [Step], cancelled: [Int64], isKeptHere: Bool) {
        // If the account cannot remove a version, a new version would be an additional draft.
        let replaces = try store.accounts.moveAbility(of: account.id) == .yes
        var isKeptHere = false
        let mailbox = try accounts.stepContext(account).mailbox(for: .drafts)
        let open = try store.journal.openSteps(of: account.id)
        var steps: [Step] = []
        var cancelled: [Int64] = []
        for draft in try store.drafts.drafts(of: account.id) where !draft.isPushed && draft.typed == nil {
            guard draft.submission?.state.isSending != true, draft.submission?.state != .confirmed else {
                continue
            }
            let (token, name) = places.identity(of: draft)
            guard let token, name == draft.messageID.rawValue, try !places.isUnlisted(draft) else { continue }
            if draft.pushed == nil, try store.runs.isUndone(draft: token, account: account.id) { continue }
            guard replaces || draft.pushed == nil else {
                isKeptHere = true
                continue
            }
            let waiting = open.filter { $0.draftName == draft.messageID.rawValue }
            if waiting.contains(where: { $0.token == token }) { continue }
            // An older version that was not appended yet is no longer needed.
            cancelled += waiting.filter { $0.state == .ready }.compactMap(\.id)
            steps.append(
                .byHand(
                    "draft", token.rawValue, account, message: draft.pushed?.message,
                    .append(to: mailbox, message: draft.content, flags: [.draft, .seen], token: token)))
            if let removal = try places.removal(of: draft, account) { steps.append(removal) }
        }
        return (steps, cancelled, isKeptHere)
    }

    // MARK: Discarding

    /// Removes a draft locally and from the Drafts mailbox. Versions that another program saved stay there. If it is a nudge,
    /// its line leaves the notes of the task.
    ///
    /// - Returns: The result, and a sentence if another version stays.
    public func discard(
        _ draft: OpenDraft, command: String = "drafts discard"
    ) async throws -> (report: RunReport, news: [String]) {
        try drafts.refuseWhileSending(draft.stored)
        if places.isNameless(draft.stored) {
            throw Problem(
                "nameless-draft", exit: .someFailed,
                message:
                    "draft \(try drafts.shortName(of: draft.stored)) has no Message-ID, so opus cannot remove it from Drafts",
                next: ["delete it with the program that saved it"])
        }
        let account = draft.account
        var news: [String] = []
        do {
            news = try await lookAgain(at: draft.stored, .left).news
        } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
            // Only known bytes are removed, now or later.
        }
        let steps =
            try places.cancelVersions(of: draft.stored.messageID, account)
            + [try places.removal(of: draft.stored, account)].compactMap(\.self)
        whole.begin()
        defer { whole.end() }
        if let change = try nudges.change(takingBack: draft.messageID, account) {
            _ = try taskChanges.change([change], command: command)
        }
        var stored = draft.stored
        try places.dropFailed(&stored)
        try drafts.forget(draft)
        let report = try await runner.carryOut(
            QueuedWork(steps: steps), account: account, command: command)
        return (report, news)
    }
}
