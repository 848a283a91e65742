import Accounts
import MailStore
import Models
import Planner

@testable import Pipeline

/// What killed commands leave in the journal.
extension Session {
    /// A command whose changes of task files were in the journal when it was killed, and none was made yet.
    func leave(_ wishes: [TaskWish], command: String) throws {
        let steps = Planning.steps(
            for: wishes, command: command, token: try CommandToken.next(in: store))
        _ = try store.journal.queue(NewRun(account: .tasks, startedAt: now, command: command), steps: steps)
    }

    /// A run that was about to archive the message with this subject.
    func leaveRun(archiving subject: String) throws {
        let lines = try messages.list(account: nil, folder: nil, everywhere: false, matching: nil)
        guard let facts = lines.first(where: { $0.facts.subject == subject })?.facts else {
            throw Problem("no-such-message", exit: .notFound, message: "no message is called \(subject)")
        }
        let account = try accounts.require(facts.key.account)
        let archive = try accounts.stepContext(account).mailbox(for: .archive)
        var run = NewRun(account: account.id, startedAt: now, command: "run")
        run.asksWhenInterrupted = true
        _ = try store.journal.queue(
            run,
            steps: [
                .byHand(
                    "archive", facts.id.rawValue, account, message: facts.id, .move(facts.key, to: archive))
            ])
    }
}
