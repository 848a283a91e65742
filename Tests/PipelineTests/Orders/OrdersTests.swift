import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Orders that another program gives by moving mail to a command mailbox.
@Suite("Orders")
struct OrdersTests {
    /// A workspace whose command mailboxes exist.
    private func workplace(_ subjects: String...) async throws -> Workplace {
        let work = try Workplace()
        try work.configure("command-mailboxes: Opus")
        try work.configure("people: { Carla: carla@acme.example }")
        for subject in subjects { try work.deliver(subject) }
        _ = try await ordered(work)
        return work
    }

    /// What `opus run` does with orders: a sync, and the orders after it.
    private func ordered(
        _ work: Workplace, at now: Timestamp = Workplace.tuesday, isDryRun: Bool = false
    ) async throws -> OrderReport {
        var report = OrderReport(account: Workplace.account)
        try await work.synced(at: now) { session in
            report = try await session.orders.carryOut(Workplace.account, isDryRun: isDryRun)
        }
        return report
    }

    /// Another program moves the mail with that subject to a command mailbox.
    private func order(_ work: Workplace, _ word: String, _ subject: String, from: String = "INBOX") throws {
        try work.moveElsewhere(subject, from: from, to: "Opus." + word)
    }

    @Test("without the setting, there are no command mailboxes")
    func off() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        #expect(try await ordered(work).isQuiet)
        #expect(try !work.client.mailboxes().contains { $0.displayName.hasPrefix("Opus") })
    }

    @Test("a message in Task becomes a task and goes to the archive")
    func task() async throws {
        let work = try await workplace("Lunch", "Report")
        try order(work, "Task", "Lunch")
        let report = try await ordered(work)
        #expect(report.orders.map(\.mail.subject) == ["Lunch"] && !report.hasFailures)
        #expect(try work.names("Archive") == ["Lunch"])
        #expect(try work.names("INBOX") == ["Report"])
        #expect(try work.taskFiles("SUMMARY:Lunch").map { $0.hasPrefix("next/") } == [true])
    }

    @Test("the same order of the same message reopens its closed task and makes no second one")
    func taskAgain() async throws {
        let work = try await workplace("Lunch")
        try order(work, "Task", "Lunch")
        _ = try await ordered(work)
        try work.finish("SUMMARY:Lunch")
        _ = try await work.follow()
        try order(work, "Task", "Lunch", from: "Archive")
        _ = try await ordered(work)
        #expect(try work.taskFiles("SUMMARY:Lunch").count == 1)
        #expect(try work.taskText("SUMMARY:Lunch").contains("STATUS:NEEDS-ACTION"))
    }

    @Test(
        "a message is deferred until the time of its mailbox",
        arguments: [("Tomorrow", 1, true), ("Next week", 1, false), ("Next week", 6, true)])
    func deferral(_ word: String, _ days: Int64, _ isBack: Bool) async throws {
        let work = try await workplace("Lunch")
        try order(work, word, "Lunch")
        _ = try await ordered(work)
        #expect(try work.names("Deferred") == ["Lunch"])
        // The workday begins at nine.
        _ = try await work.follow(at: Workplace.tuesday + days * Workplace.day + 3_600)
        #expect(try work.names("INBOX") == (isBack ? ["Lunch"] : []))
    }

    @Test("a message in Waiting makes a task that waits for its sender")
    func waiting() async throws {
        let work = try await workplace("Lunch")
        try order(work, "Waiting", "Lunch")
        _ = try await ordered(work)
        #expect(try work.taskFiles("bob@acme.example").map { $0.hasPrefix("waiting/") } == [true])
    }

    @Test("a sender in Not this sender is denied, and the message goes to the trash")
    func denied() async throws {
        let work = try await workplace("Offer")
        try order(work, "Not this sender", "Offer")
        _ = try await ordered(work)
        #expect(try work.names("Trash") == ["Offer"])
        #expect(try work.read("lists/denied.txt").contains("bob@acme.example"))
    }

    @Test("a message in Undo goes back, and its last change is undone")
    func undo() async throws {
        let work = try await workplace("Lunch")
        try order(work, "Task", "Lunch")
        _ = try await ordered(work)
        try order(work, "Undo", "Lunch", from: "Archive")
        let report = try await ordered(work)
        #expect(!report.hasFailures)
        #expect(try work.names("INBOX") == ["Lunch"])
        #expect(try work.taskFiles("SUMMARY:Lunch").isEmpty)
    }

    @Test("a message in Undo without an earlier change goes back to the inbox")
    func undoNothing() async throws {
        let work = try await workplace("Lunch")
        try order(work, "Undo", "Lunch")
        _ = try await ordered(work)
        #expect(try work.names("INBOX") == ["Lunch"])
    }

    @Test("the messages of one conversation are one order")
    func conversation() async throws {
        let work = try await workplace()
        try work.deliver(SampleMail(subject: "Plan"))
        try work.deliver(SampleMail(subject: "Re Plan", answers: "Plan", date: Workplace.tuesday - 60))
        try await work.synced { _ in }
        try order(work, "Task", "Plan")
        try order(work, "Task", "Re Plan")
        let report = try await ordered(work)
        #expect(report.orders.map(\.mail.subject) == ["Re Plan"])
        #expect(try work.names("Archive") == ["Plan", "Re-Plan"])
    }

    @Test("a preview names the order and changes nothing")
    func preview() async throws {
        let work = try await workplace("Lunch")
        try order(work, "Task", "Lunch")
        let report = try await ordered(work, isDryRun: true)
        #expect(report.orders.map(\.mail.subject) == ["Lunch"] && report.runs.isEmpty)
        #expect(try work.names("Opus.Task") == ["Lunch"])
    }

    @Test("a mailbox that held mail before is not a command mailbox, and is reported")
    func strange() async throws {
        let work = try Workplace()
        try work.deliver("Letter of 2019", to: MailboxName("Opus.Task"))
        try work.configure("command-mailboxes: Opus")
        for _ in 0..<2 {
            let report = try await ordered(work)
            #expect(report.strange.count == 1 && report.orders.isEmpty)
        }
        #expect(try work.names("Opus.Task") == ["Letter-of-2019"])
        #expect(try work.taskFiles("SUMMARY").isEmpty)
    }

    @Test("an order that cannot be carried out leaves its message, and the others are carried out")
    func failure() async throws {
        let work = try await workplace("Lunch")
        try work.put("empty", "Subject: Nameless\nMessage-ID: <nameless@x>\n\nHello\n")
        try await work.synced { _ in }
        _ = try work.client.move(unique: "100.empty", from: .inbox, to: MailboxName("Opus.Waiting"))
        try order(work, "Waiting", "Lunch")
        let report = try await ordered(work)
        #expect(report.orders.count == 2 && report.orders.count { $0.failure != nil } == 1)
        #expect(try work.names("Opus.Waiting") == ["empty"])
        #expect(try work.names("Archive") == ["Lunch"])
    }

    @Test("a watch reports the same failed order once")
    func saidOnce() {
        var said = SaidOrders()
        var report = OrderReport(account: Workplace.account)
        let mail = ReturnedMail(id: EmailID(rawValue: "m1"), shortID: "m1", from: "Bob", subject: "Lunch")
        report.orders = [
            .init(mailbox: "Opus/Waiting", mail: mail, failure: "it names no person to wait for")
        ]
        let isNew = [said.insert(report), said.insert(report)]
        #expect(isNew == [true, false])
        report.orders[0].failure = "another reason"
        let isOther = said.insert(report)
        #expect(isOther)
    }
}
