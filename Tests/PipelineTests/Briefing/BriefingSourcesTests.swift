import Foundation
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// What a briefing finds in a workspace, section by section.
@Suite("Sources of a briefing")
struct BriefingSourcesTests {
    private let account = AccountID("work")
    private static let wednesday = Workplace.tuesday + Workplace.day

    @Test("mail that came back today and is still in the inbox is listed, and on the next day it is not")
    func returned() async throws {
        let work = try Workplace()
        try work.deliver("Lunch", "Report")
        try await work.synced { session in
            try await session.byHand(.deferUntil("tomorrow 08:00"), "Lunch", "Report")
        }
        _ = try await work.follow(at: Self.wednesday)
        try await work.with(at: Self.wednesday) { session in
            let briefing = try session.briefings.briefing()
            #expect(briefing.returned.map(\.subject).sorted() == ["Lunch", "Report"])
            #expect(
                briefing.returned.map(\.shortID).sorted() == (try session.ids("Lunch", "Report")).sorted())
            try await session.byHand(.archive, "Report")
            #expect(try session.briefings.briefing().returned.map(\.subject) == ["Lunch"])
        }
        try await work.with(at: Self.wednesday + Workplace.day) { session in
            let later = try session.briefings.briefing()
            #expect(later.returned.isEmpty)
        }
    }

    @Test("due tasks are sorted by day; tasks of the future and finished ones are left out")
    func due() async throws {
        let work = try Workplace()
        try work.writeTask("late", "Pay the rent", "DUE;VALUE=DATE:20260303")
        try work.writeTask("today", "Call", "DUE;VALUE=DATE:20260310")
        try work.writeTask("passed", "Send it", "DUE:20260310T060000Z")
        try work.writeTask("future", "Later", "DUE;VALUE=DATE:20260311")
        try work.writeTask("done", "Old", "DUE;VALUE=DATE:20260301")
        try work.finish("Old")
        try work.writeTask("undated", "Read")
        try await work.synced { session in
            let briefing = try session.briefings.briefing()
            #expect(briefing.due.map(\.summary) == ["Pay the rent", "Call", "Send it"])
            #expect(briefing.due.map(\.isOverdue) == [true, false, true])
            let tomorrow = try session.briefings.briefing(of: briefing.day.adding(days: 1))
            #expect(tomorrow.due.map(\.summary).contains("Later") && tomorrow.due.count == 4)
        }
    }

    @Test("people to whom you wrote, automatic replies and senders of last week are not new")
    func newSenders() async throws {
        let work = try Workplace()
        try work.deliver(SampleMail(subject: "New", from: "Fay <fay@x.example>"))
        try work.deliver(SampleMail(subject: "Known", from: "Gil <gil@x.example>"))
        try work.deliver(
            SampleMail(subject: "Mine", from: "ana@acme.example", to: "gil@x.example"),
            to: MailboxName("Sent"))
        try work.deliver(
            SampleMail(
                subject: "Away", from: "Hal <hal@x.example>", headers: ["Auto-Submitted: auto-replied"]))
        try work.deliver(
            SampleMail(
                subject: "First", from: "Ida <ida@x.example>", date: Workplace.tuesday - 7 * Workplace.day))
        try work.deliver(SampleMail(subject: "Second", from: "Ida <ida@x.example>"))
        try await work.synced { session in
            let found = try session.briefings.briefing().newSenders
            #expect(found == [.init(name: "Fay", address: "fay@x.example", messages: 1)])
        }
    }

    @Test(
        "drafts of the user are listed with what is still missing, and rules that were undone are not listed")
    func draftsAndRules() async throws {
        let work = try Workplace()
        try work.deliver("invoice 1")
        try await work.run()
        try await work.with { session in
            _ = try await session.written { $0.subject = "Offer" }
            _ = try await session.written(to: []) { $0.subject = "" }
            let briefing = try session.briefings.briefing()
            #expect(briefing.drafts.map(\.subject).sorted() == ["(no subject)", "Offer"])
            #expect(briefing.drafts.map(\.to).sorted() == ["(no recipient)", "bob@acme.example"])
            #expect(briefing.ruleRuns.map(\.rules) == [["pay"]])
        }
    }

    @Test("a briefing of one account counts only its mail")
    func oneAccount() async throws {
        let work = try Workplace()
        let home = try work.addAccount("home")
        _ = try home.addMessage(
            to: .inbox, message: Array("From: Cleo <cleo@x.example>\r\nSubject: Hi\r\n\r\n".utf8),
            unique: "1.home",
            received: Workplace.tuesday - 60)
        try work.deliver("Lunch", "Report")
        try await work.with { session in
            for id in try session.accounts.ids(named: nil) { _ = try await session.sync.account(id) }
            #expect(try session.briefings.briefing().inbox == 3)
            let briefing = try session.briefings.briefing(account: "home")
            #expect(briefing.inbox == 1 && briefing.newSenders.map(\.name) == ["Cleo"])
            #expect(throws: Problem.self) { try session.briefings.briefing(account: "nowhere") }
        }
    }

    @Test("after the store was lost, no second briefing of the day is put into the inbox")
    func afterLoss() async throws {
        let work = try Workplace()
        try work.deliver("Hello")
        for expected in [1, 0] {
            try await work.synced { session in
                let briefing = try session.briefings.briefing()
                #expect(try await session.briefingMailing.deliver(briefing, account: nil).queued == expected)
            }
            try work.loseStore()
        }
        #expect(try work.client.list(.inbox).count == 2)
        let mail = try #require(try work.texts("INBOX").first { $0.contains("Briefing for") })
        #expect(mail.field("Auto-Submitted") == "auto-generated")
        #expect(mail.field("From") == "Ana Ruiz <ana@acme.example>")
        #expect(mail.field("Date")?.hasSuffix("08:30:00 +0100") == true, "the user's own time zone")
    }
}
