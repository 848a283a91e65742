import Models
import Testing

@testable import Planner

/// Which mailbox plays a role, where the account has one.
@Suite("Step context")
struct StepContextTests {
    private let all = Sample.mailbox("[Gmail]/Alle Nachrichten", .all)

    @Test("Gmail has no archive: All Mail is it, in whatever language")
    func gmail() {
        #expect(StepContext.mailbox(for: .archive, among: [Sample.inbox, all]) == all)
        let british = Sample.mailbox("[Google Mail]/All Mail", .all)
        #expect(StepContext.mailbox(for: .archive, among: [Sample.inbox, british]) == british)
    }

    @Test("a mailbox of that role comes first, also on Gmail")
    func own() {
        #expect(StepContext.mailbox(for: .archive, among: [all, Sample.archive]) == Sample.archive)
    }

    @Test("on other servers a view of all mail is not an archive, and gets no other role")
    func elsewhere() {
        let view = Sample.mailbox("All Mail", .all)
        #expect(StepContext.mailbox(for: .archive, among: [Sample.inbox, view]) == nil)
        for role in MailboxRole.allCases where role != .archive && role != .all {
            #expect(StepContext.mailbox(for: role, among: [all]) == nil)
        }
    }
}
