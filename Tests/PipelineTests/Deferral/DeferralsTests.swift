import MailStore
import Models
import Testing

@testable import Pipeline

/// Deferred mail: where it waits, when it comes back, and what other programs and machines change about it.
@Suite("Deferred mail")
struct DeferralsTests {
    private static let wednesday = Workplace.tuesday + Workplace.day

    /// `opus defer` on messages that were delivered.
    private func deferred(_ phrase: String, _ subjects: String...) async throws -> Workplace {
        let work = try Workplace()
        for subject in subjects { try work.deliver(subject) }
        try await work.synced { session in
            for subject in subjects { try await session.byHand(.deferUntil(phrase), subject) }
        }
        return work
    }

    private func listed(_ work: Workplace) async throws -> [String] {
        var subjects: [String] = []
        try await work.with { subjects = try listed($0) }
        return subjects
    }

    /// The subjects of the deferred messages in the order of the list.
    private func listed(_ session: Session) throws -> [String] {
        try session.deferrals.list(account: nil).map(\.facts.subject)
    }

    @Test("a message waits in the deferred mailbox and comes back when its time is over")
    func returns() async throws {
        let work = try await deferred("tomorrow 09:00", "Lunch")
        #expect(try work.names("INBOX").isEmpty)
        #expect(try work.names("Deferred") == ["Lunch"])
        // 08:30 on Wednesday in Paris: half an hour too early.
        _ = try await work.follow(at: Self.wednesday)
        #expect(try work.names("Deferred") == ["Lunch"])
        _ = try await work.follow(at: Self.wednesday + 1_800)
        #expect(try work.names("INBOX") == ["Lunch"])
        #expect(try work.names("Deferred").isEmpty)
    }

    @Test("a message that was deferred to someday does not come back by itself")
    func someday() async throws {
        let work = try await deferred("someday", "Novel")
        _ = try await work.follow(at: Workplace.tuesday + 3_650 * Workplace.day)
        #expect(try work.names("Deferred") == ["Novel"])
    }

    @Test("the list is in the order in which messages come back, and someday is last")
    func order() async throws {
        let work = try Workplace()
        try work.deliver("Later", "Sooner", "Never")
        try await work.synced { session in
            try await session.byHand(.deferUntil("someday"), "Never")
            try await session.byHand(.deferUntil("+2 weeks"), "Later")
            try await session.byHand(.deferUntil("tomorrow"), "Sooner")
            #expect(try listed(session) == ["Sooner", "Later", "Never"])
        }
    }

    @Test("a cancelled deferral returns the message at once")
    func cancelled() async throws {
        let work = try await deferred("+1 week", "Lunch", "Report")
        try await work.with { session in try await session.byHand(.cancelDeferral, "Lunch") }
        #expect(try work.names("INBOX") == ["Lunch"])
        #expect(try work.names("Deferred") == ["Report"])
    }

    @Test("a new date replaces the old one")
    func newDate() async throws {
        let work = try await deferred("tomorrow", "Lunch")
        try await work.with { session in try await session.byHand(.deferUntil("+1 week"), "Lunch") }
        _ = try await work.follow(at: Self.wednesday + Workplace.day)
        #expect(try work.names("Deferred") == ["Lunch"])
        _ = try await work.follow(at: Workplace.tuesday + 8 * Workplace.day)
        #expect(try work.names("INBOX") == ["Lunch"])
    }

    @Test("a message that another program moves out of the mailbox is no longer deferred")
    func movedOut() async throws {
        let work = try await deferred("tomorrow", "Lunch")
        try work.moveElsewhere("Lunch", from: "Deferred", to: "INBOX")
        try await work.synced { session in
            try await session.deferrals.readDates(of: Workplace.account)
            #expect(try listed(session).isEmpty)
            #expect(try session.store.deferrals.all(account: Workplace.account).isEmpty)
        }
    }

    @Test("a message that another program moves into the mailbox waits until the default time, or someday")
    func movedIn() async throws {
        let work = try await deferred("+1 month", "Lunch")
        try work.deliver("Report", "Novel")
        try await work.synced { _ in }
        try work.moveElsewhere("Novel", from: "INBOX", to: "Deferred")
        _ = try await work.follow()
        try work.configure("defer: { default: next monday }")
        try work.moveElsewhere("Report", from: "INBOX", to: "Deferred")
        _ = try await work.follow()
        #expect(try await listed(work) == ["Report", "Lunch", "Novel"])
        _ = try await work.follow(at: Workplace.tuesday + 7 * Workplace.day)
        #expect(try work.names("INBOX") == ["Report"])
    }

    @Test("a person's answer in the conversation wakes a deferred message, and own mail does not")
    func answered() async throws {
        let work = try await deferred("someday", "Novel", "Lunch")
        try work.deliver(
            SampleMail(
                subject: "Re Lunch", from: "Ana <ana@acme.example>", to: "bob@acme.example", answers: "Lunch",
                date: Workplace.tuesday + 60))
        try work.deliver(SampleMail(subject: "Re Novel", answers: "Novel", date: Workplace.tuesday + 60))
        _ = try await work.follow(at: Workplace.tuesday + 120)
        #expect(try work.names("Deferred") == ["Lunch"])
        #expect(try work.names("INBOX").contains("Novel"))
    }

    @Test("the dates are the same after the store was lost")
    func lostStore() async throws {
        let work = try await deferred("+3 days", "Lunch")
        try work.loseStore()
        _ = try await work.follow(at: Workplace.tuesday + 60)
        #expect(try await listed(work) == ["Lunch"])
        _ = try await work.follow(at: Self.wednesday)
        #expect(try work.names("Deferred") == ["Lunch"])
        _ = try await work.follow(at: Workplace.tuesday + 4 * Workplace.day)
        #expect(try work.names("INBOX") == ["Lunch"])
    }

    @Test("a rule does not defer a message again that came back, not even after the store was lost")
    func once() async throws {
        let work = try Workplace()
        try work.deliver("A weekly letter")
        try await work.run()
        #expect(try work.names("Deferred") == ["A-weekly-letter"])
        try await work.run(at: Self.wednesday + Workplace.day)
        #expect(try work.names("INBOX") == ["A-weekly-letter"])
        try work.loseStore()
        _ = try await work.follow(at: Self.wednesday + Workplace.day)
        try await work.run(at: Self.wednesday + Workplace.day)
        #expect(try work.names("INBOX") == ["A-weekly-letter"])
    }

    @Test("the date is the longest phrase at the end, and at least one word is a message")
    func words() async throws {
        let work = try Workplace()
        try await work.with { session in
            func ids(_ words: String...) -> Int { session.deferrals.leadingIDs(in: words) }
            #expect(ids("ab12", "tomorrow") == 1)
            #expect(ids("ab12", "cd34", "next", "monday") == 2)
            #expect(ids("ab12", "next", "monday", "09:00") == 1)
            #expect(ids("ab12", "none") == 1)
            #expect(ids("ab12", "cd34", "someday") == 2)
            #expect(ids("ab12", "nonsense") == 1)
        }
    }

    @Test(
        "a phrase that is not in the future is not a date",
        arguments: [
            ("tomorrow", true), ("someday", true), ("SOMEDAY", true), ("2026-03-09", false), ("08:00", true),
            ("nonsense", false), ("", false),
        ])
    func phrase(_ words: String, _ isDate: Bool) async throws {
        let work = try Workplace()
        try await work.with { session in
            let phrase = DeferPhrase(workspace: session.workspace, now: session.now)
            #expect((phrase.until(words) != nil) == isDate)
        }
    }
}
