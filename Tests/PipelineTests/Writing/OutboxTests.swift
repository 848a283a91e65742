import MailStore
import Models
import Testing

@testable import Pipeline

/// The outbox: what a person may do with a mail in each state, and what that does to the mail and its draft.
@Suite("Outbox")
struct OutboxTests {
    private let account = AccountID("work")

    /// A mail that was sent with a program that ends so.
    private func mail(
        _ end: String, at later: Int64 = 0, _ body: (Workplace, Session, OutboxLine) async throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.sendsMail(end)
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await session.send(try await session.written { $0.subject = "Lunch" })
        }
        try work.sendsMail()
        try await work.with(at: Workplace.tuesday + later) { session in
            _ = try await session.outboxDelivery.deliver(account: nil)
            let line = try #require(try session.outbox.list(account: nil, all: true).first)
            try await body(work, session, line)
        }
    }

    private let refusing = "exit 67"
    private let vanishing = "kill -KILL $$"

    @Test("a refused mail that is retried is sent once, with the same Message-ID and a copy in Sent")
    func retryRefused() async throws {
        try await mail(refusing) { work, session, mail in
            try session.outbox.retry(mail)
            let round = try await session.outboxDelivery.deliver(account: nil)
            #expect(round.finished.map(\.messageID) == [mail.messageID])
            #expect(try work.departures().count == 2)
            #expect(try work.texts("Sent").filter { $0.contains("<\(mail.messageID)>") }.count == 1)
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
    }

    @Test("a refused mail that is discarded is a draft again and is not sent")
    func discardRefused() async throws {
        try await mail(refusing) { work, session, mail in
            try session.outbox.discard(mail)
            _ = try await session.journal.deliver(account)
            #expect(try work.departures().count == 1)
            #expect(try work.texts("Sent").isEmpty)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.local])
            #expect(try session.outbox.mail(mail.id).state == .discarded)
        }
    }

    @Test("a mail that is being sent can be neither discarded nor settled, and is not sent again")
    func onItsWay() async throws {
        try await mail(vanishing) { work, session, mail in
            #expect(mail.state == .unknown)
            #expect(TriageTests.refusal { try session.outbox.discard(mail) } == "being-sent 75")
            #expect(
                TriageTests.refusal { try session.outbox.settle(mail, wasSent: false) }
                    == "nothing-to-settle 64")
            try session.outbox.retry(mail)
            _ = try await session.outboxDelivery.deliver(account: nil)
            #expect(try work.departures().count == 1)
            #expect(try session.outbox.mail(mail.id).state == .unknown)
        }
    }

    @Test(
        "a mail with an unknown result is sent again only if the user says that it was not sent")
    func settleNotSent() async throws {
        try await mail(vanishing, at: 700) { work, session, mail in
            #expect(mail.state == .needsDecision)
            #expect(TriageTests.refusal { try session.outbox.retry(mail) } == "needs-decision 64")
            try session.outbox.settle(mail, wasSent: false)
            _ = try await session.outboxDelivery.deliver(account: nil)
            #expect(try work.departures().count == 2)
            #expect(try work.texts("Sent").count == 1)
            #expect(try session.outbox.mail(mail.id).state == .sent)
        }
    }

    @Test(
        "if the user says that a mail was sent, it gets its copy in Sent and loses its draft"
    )
    func settleSent() async throws {
        try await mail(vanishing, at: 700) { work, session, mail in
            try session.outbox.settle(mail, wasSent: true)
            _ = try await session.journal.deliver(account)
            try await session.sending.finish(account)
            #expect(try work.departures().count == 1)
            #expect(try work.texts("Sent").count == 1)
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
    }

    @Test(
        "a mail with an unknown result can be given up, and its draft is restored"
    )
    func discardUndecided() async throws {
        try await mail(vanishing, at: 700) { work, session, mail in
            try session.outbox.discard(mail)
            _ = try await session.journal.deliver(account)
            #expect(try work.departures().count == 1)
            #expect(try work.texts("Sent").isEmpty)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.local])
        }
    }

    @Test("a sent mail can be neither retried, discarded nor settled")
    func sent() async throws {
        try await mail("exit 0") { work, session, mail in
            #expect(mail.state == .sent)
            #expect(TriageTests.refusal { try session.outbox.retry(mail) } == "too-late 1")
            #expect(TriageTests.refusal { try session.outbox.discard(mail) } == "too-late 1")
            #expect(
                TriageTests.refusal { try session.outbox.settle(mail, wasSent: false) }
                    == "nothing-to-settle 64")
            let open = try session.outbox.list(account: nil)
            #expect(open.isEmpty)
            #expect(try session.outbox.list(account: nil, all: true).map(\.subject) == ["Lunch"])
        }
    }

    @Test("a mail is found by the id of its draft, the latest one if it was sent again")
    func names() async throws {
        try await mail(refusing) { work, session, mail in
            try session.outbox.discard(mail)
            let draft = try await session.drafts.open(mail.id)
            try await session.send(try session.drafts.keep(draft))
            #expect(try session.outbox.mail(mail.id).state == .sent)
            #expect(try session.outbox.mail(mail.name.uppercased()).state == .sent)
            for typed in ["", "d:", "d:zzzz"] {
                #expect(TriageTests.refusal { try session.outbox.mail(typed) } == "no-such-mail 66")
            }
        }
    }

    @Test("mail held for a later time is neither finished nor in need of the user")
    func rounds() async throws {
        let work = try Workplace()
        try work.sendsMail()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let now = try await session.written { $0.subject = "Now" }
            let held = try await session.written { $0.subject = "Later" }
            _ = try session.sending.queue([try session.sending.preview(held.stored)], hold: 60)
            let round = try await session.send(now)
            #expect(round.finished.map(\.subject) == ["Now"])
            #expect(round.open.map(\.subject) == ["Later"] && !round.needsPerson)
        }
        #expect(try work.departures().count == 1)
    }
}
