import Models
import Testing

@testable import Planner

/// Which mailbox plays a role, where the account has one.
@Suite("Step context")
struct StepContextTests {
    private let all = Sample.mailbox("[Gmail]/Alle Nachrichten", .all)

    @Test("on Gmail, All Mail is the archive, in every language")
    func gmail() {
        #expect(StepContext.mailbox(for: .archive, among: [Sample.inbox, all]) == all)
        let british = Sample.mailbox("[Google Mail]/All Mail", .all)
        #expect(StepContext.mailbox(for: .archive, among: [Sample.inbox, british]) == british)
    }

    @Test("a mailbox with the role takes precedence, also on Gmail")
    func own() {
        #expect(StepContext.mailbox(for: .archive, among: [all, Sample.archive]) == Sample.archive)
    }

    @Test("on other servers, a view of all mail is not the archive and has no other role")
    func elsewhere() {
        let view = Sample.mailbox("All Mail", .all)
        #expect(StepContext.mailbox(for: .archive, among: [Sample.inbox, view]) == nil)
        for role in MailboxRole.allCases where role != .archive && role != .all {
            #expect(StepContext.mailbox(for: role, among: [all]) == nil)
        }
    }
}
