import Foundation
import Models
import Testing

@testable import Pipeline

/// `opus store`: what is checked, and what a new store keeps.
@Suite("Care of the store")
struct StoreCareTests {
    @Test("a sound store has no defects, and the check counts its messages")
    func verify() async throws {
        let work = try Workplace()
        try work.deliver("Lunch", "Report")
        try await work.synced { session in
            let check = try session.care.verify()
            #expect(check.defects.isEmpty && check.messages == 2)
            #expect(check.bytes > 0 && check.path == work.root + "/.opus/store.sqlite")
        }
    }

    @Test("compacting keeps every message")
    func compact() async throws {
        let work = try Workplace()
        for number in 0..<40 {
            try work.deliver(
                SampleMail(subject: "Letter \(number)", text: String(repeating: "word\(number) ", count: 400))
            )
        }
        try await work.synced { _ in }
        for number in 1..<40 { try work.moveElsewhere("Letter \(number)", from: "INBOX", to: "Trash") }
        try await work.synced { session in
            let done = try session.care.compact()
            #expect(done.after <= done.before && done.after > 0)
            #expect(try session.care.verify().messages == 40)
        }
    }

    @Test("a new store keeps what is only in the store, and opus does nothing twice after it")
    func rebuild() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A weekly letter", "Lunch")
        try await work.run()
        try await work.synced { session in
            try await session.byHand(.deferUntil("+1 week"), "Lunch")
            _ = try await session.written { $0.subject = "Offer" }
        }
        let files = try work.taskFiles("SUMMARY")
        try await work.with { session in
            let report = try await session.rebuilding.rebuild(account: nil)
            #expect(report.accounts.count == 1 && !report.isResumed)
        }
        let again = try await work.run()
        #expect(again.didNothing)
        #expect(try work.taskFiles("SUMMARY") == files)
        try await work.with { session in
            let deferred = try session.deferrals.list(account: nil).map(\.facts.subject)
            #expect(deferred == ["A weekly letter", "Lunch"])
            let drafts = try session.drafts.list(account: nil).map(\.subject)
            #expect(drafts == ["Offer"])
            let runs = try session.journal.runs(limit: 10)
            #expect(runs.map(\.command) == ["defer", "run"])
        }
    }
}
