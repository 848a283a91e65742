import Models
import SyncPlanner

/// One mailbox to sync.
struct MailboxJob: Sendable {
    var entry: AccountSurvey.Entry
    var tracking: ChangeTracking
    var passed: PassedMailbox?
    var expectsMoves = false

    func run(_ context: SyncContext) async throws -> SyncReport.MailboxReport {
        try LeftOutMailbox(entry.mailbox, store: context.store).comeBack()
        return try await MailboxSync(
            context: MailboxContext(sync: context, mailbox: entry.mailbox, expectsMoves: expectsMoves),
            numbers: entry.numbers, tracking: tracking, passed: passed
        ).run()
    }
}
