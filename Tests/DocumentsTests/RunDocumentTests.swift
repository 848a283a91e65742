import Foundation
import Models
import Pipeline
import Testing

@testable import Documents

@Suite("Documents of runs and syncs")
struct RunDocumentTests {
    private static let account = AccountID("work")

    private func text(_ document: some Encodable) throws -> String {
        String(decoding: try DocumentText.line(document), as: UTF8.self)
    }

    @Test("a run without changes leaves out keys without a value")
    func emptyRun() throws {
        #expect(
            try text(RunDocument([RunReport(account: Self.account)])) == """
                {"items":[{"account":"work","alreadySo":0,"confirmed":0,"failed":0,"later":0,"steps":[],"undecided":0,\
                "waiting":0}],"schema":"opus.run/1"}

                """)
    }

    @Test("a run names its id, what halted it and its notices")
    func haltedRun() throws {
        var report = RunReport(account: Self.account)
        report.run = RunID(rawValue: 7)
        report.notices = ["from the landlord"]
        report.drain.halt = .loginRefused
        report.drain.interruption = "bad password"
        report.drain.refusedSending = "535 no"
        let text = try text(RunDocument([report]))
        #expect(text.contains(#""halt":"login-refused","interruption":"bad password""#))
        #expect(text.contains(#""notices":["from the landlord"]"#))
        #expect(text.contains(#""refusedSending":"535 no""#))
        #expect(text.contains(#""run":"r:0007""#))
    }

    @Test("a sync has counts for each account and mailbox")
    func sync() throws {
        var mailbox = SyncReport.MailboxReport(
            mailbox: Mailbox(account: Self.account, name: .inbox, displayName: "INBOX", role: .inbox))
        mailbox.added = 3
        mailbox.removed = 1
        mailbox.problem = "one message cannot be read"
        var report = SyncReport(account: Self.account)
        report.mailboxes = [mailbox]
        #expect(
            try text(SyncDocument([report])) == """
                {"accounts":[{"account":"work","added":3,"changed":0,"mailboxes":[{"added":3,"changed":0,"name":"INBOX",\
                "removed":1,"role":"inbox","skipped":0}],"problems":["INBOX: one message cannot be read"],"removed":1}],\
                "schema":"opus.sync/1"}

                """)
    }

    @Test("a morning without changes has every list, empty")
    func morning() throws {
        #expect(
            try text(MorningDocument(MorningReport(), at: Timestamp(seconds: 0)))
                == #"{"held":[],"malformedTasks":[],"runs":[],"schema":"opus.morning/1","sync":[],"tasks":[]}"#
                + "\n")
    }
}
