import Foundation
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Sending: a mail leaves once, with its own bytes, and its draft goes only when it has left.
@Suite("Sending")
struct SendingTests {
    private let account = AccountID("work")

    private func sending(
        _ end: String = "exit 0", _ body: (Workplace, Session) async throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.sendsMail(end)
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await body(work, session)
        }
    }

    @Test("a mail is sent once, copied to Sent under the same Message-ID, and its draft is removed")
    func leavesOnce() async throws {
        try await sending { work, session in
            let draft = try await session.written { $0.subject = "Lunch" }
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            #expect(try work.texts("Drafts").count == 1)
            let opened = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            let round = try await session.send(opened)
            #expect(round.left.isEmpty && round.finished.map(\.state) == [.sent])

            let mail = try #require(try work.departures().first)
            #expect(mail.sender == "ana@acme.example" && mail.recipients == ["bob@acme.example"])
            #expect(mail.text.contains("Message-ID: <\(draft.stored.messageID)>"))
            let copy = try #require(try work.texts("Sent").first)
            #expect(copy.replacing("\r\n", with: "\n") == mail.text)
            #expect(try work.texts("Drafts").isEmpty)
            #expect(try session.drafts.list(account: nil).isEmpty)

            _ = try await session.outboxDelivery.deliver(account: nil)
            _ = try await session.journal.deliver(account)
            #expect(try work.departures().count == 1)
            #expect(try work.texts("Sent").count == 1)
        }
    }

    @Test("hidden recipients get the mail, which contains neither them nor the notes of the draft")
    func hidden() async throws {
        try await sending { work, session in
            let draft = try await session.written {
                $0.cc = ["Bob <BOB@acme.example>", "carl@acme.example"]
                $0.bcc = ["dora@acme.example"]
            }
            try await session.send(draft)
            let mail = try #require(try work.departures().first)
            #expect(mail.recipients == ["bob@acme.example", "carl@acme.example", "dora@acme.example"])
            for word in ["dora", "Bcc:", "X-Opus-"] { #expect(!mail.text.contains(word), "\(word)") }
            #expect(try work.texts("Sent").allSatisfy { !$0.contains("dora") })
        }
    }

    @Test("the date of a mail is the time when it is sent")
    func date() async throws {
        let work = try Workplace()
        try work.sendsMail()
        try await work.with { session in
            _ = try await session.written()
        }
        try await work.with(at: Workplace.tuesday + Workplace.day) { session in
            let line = try #require(try session.drafts.list(account: nil).first)
            try await session.send(try await session.drafts.open(line.id))
        }
        #expect(try work.departures().first?.text.contains("Date: Wed, 11 Mar 2026 08:30:00 +0100") == true)
    }

    @Test("a held mail is sent at its time, then copied to Sent, and its draft is removed")
    func hold() async throws {
        let work = try Workplace()
        try work.sendsMail()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let draft = try await session.written()
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            let round = try await session.send(
                try await session.drafts.open(try session.drafts.shortName(of: draft.stored)), hold: 60)
            #expect(round.open.count == 1 && round.finished.isEmpty)
        }
        try await work.with(at: Workplace.tuesday + 59) { session in
            _ = try await session.outboxDelivery.deliver(account: nil)
            _ = try await session.journal.deliver(account)
            #expect(try work.departures().isEmpty && work.texts("Sent").isEmpty)
            #expect(try work.texts("Drafts").count == 1)
        }
        try await work.with(at: Workplace.tuesday + 60) { session in
            _ = try await session.outboxDelivery.deliver(account: nil)
        }
        #expect(try work.departures().count == 1)
        #expect(try work.texts("Sent").count == 1)
        #expect(try work.texts("Drafts").isEmpty)
    }

    @Test("a sent reply marks its original as answered, a forward does not")
    func answered() async throws {
        try await sending { work, session in
            try work.deliver("A question", "News")
            _ = try await session.sync.account(account)
            try await session.send(
                try await session.written(.reply(try session.id(of: "A question")), to: []),
                try await session.written(.forward(try session.id(of: "News"))))
            #expect(try work.departures().count == 2)
            let flags = try work.client.list(.inbox).map { ($0.unique, $0.flags.contains(.answered)) }
            #expect(Dictionary(uniqueKeysWithValues: flags) == ["100.A-question": true, "100.News": false])
        }
    }

    @Test("a mail that cannot be sent now stays in the outbox without a copy, and is sent once later")
    func later() async throws {
        let work = try Workplace()
        try work.sendsMail("echo 'queue is full' >&2; exit 75")
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await session.send(try await session.written())
            let mail = try #require(try session.outbox.list(account: nil).first)
            #expect(mail.state == .queued && mail.attempts == 1)
            #expect(mail.reason?.contains("queue is full") == true)
            #expect(mail.dueAt == Workplace.tuesday + 30)
            #expect(try work.texts("Sent").isEmpty)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.sending])
        }
        try work.sendsMail()
        try await work.with(at: Workplace.tuesday + 29) {
            _ = try await $0.outboxDelivery.deliver(account: nil)
        }
        #expect(try work.departures().count == 1, "only the first attempt")
        try await work.with(at: Workplace.tuesday + 30) { session in
            _ = try await session.outboxDelivery.deliver(account: nil)
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
        #expect(try work.departures().count == 2)
        #expect(try work.texts("Sent").count == 1)
    }

    @Test(
        "a finally refused mail has no copy in Sent, and its draft can be edited and sent again")
    func refused() async throws {
        let work = try Workplace()
        try work.sendsMail("echo 'no such user' >&2; exit 67")
        try await work.with { session in
            _ = try await session.sync.account(account)
            let round = try await session.send(try await session.written())
            #expect(round.needsPerson && round.left.map(\.state) == [.failed])
            #expect(round.left.first?.reason?.contains("no such user") == true)
            #expect(try work.texts("Sent").isEmpty)
        }
        try work.sendsMail()
        try await work.with(at: Workplace.tuesday + 3_600) { session in
            _ = try await session.outboxDelivery.deliver(account: nil)
            #expect(try work.departures().count == 1, "it is not tried again by itself")
            let line = try #require(try session.drafts.list(account: nil).first)
            let draft = try await session.drafts.open(line.id)
            try session.drafts.mayEdit(draft)
            let (mended, mistakes) = try session.drafts.keep(
                draft, typed: draft.text.replacing("bob@", with: "carl@"))
            #expect(mistakes.isEmpty)
            try await session.send(mended)
            #expect(try session.outbox.mail(line.id).state == .sent)
        }
        #expect(try work.departures().map(\.recipients) == [["bob@acme.example"], ["carl@acme.example"]])
        #expect(try work.texts("Sent").count == 1)
    }

    @Test("a mail that may have been sent is never sent again by opus, which asks the user after ten minutes")
    func unknown() async throws {
        let work = try Workplace()
        try work.sendsMail("kill -KILL $$")
        try await work.with { session in
            _ = try await session.sync.account(account)
            let round = try await session.send(try await session.written())
            #expect(round.open.map(\.state) == [.unknown])
        }
        try work.sendsMail()
        try await work.with(at: Workplace.tuesday + 60) { session in
            let round = try await session.outboxDelivery.deliver(account: nil)
            #expect(round.open.map(\.state) == [.unknown])
        }
        try await work.with(at: Workplace.tuesday + 601) { session in
            let round = try await session.outboxDelivery.deliver(account: nil)
            #expect(round.left.map(\.state) == [.needsDecision] && round.needsPerson)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.sending])
        }
        #expect(try work.departures().count == 1)
        #expect(try work.texts("Sent").isEmpty)
    }

    @Test("a copy in Sent proves a mail whose reply was lost")
    func proven() async throws {
        let work = try Workplace()
        try work.sendsMail("kill -KILL $$")
        try work.client.create(MailboxName("Sent"))
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await session.send(try await session.written())
            let mail = try #require(try work.departures().first)
            try work.put("copy", mail.text, flags: [.seen], in: MailboxName("Sent"))
            let round = try await session.outboxDelivery.deliver(account: nil)
            #expect(round.left.isEmpty && round.finished.map(\.state) == [.sent])
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
        #expect(try work.departures().count == 1)
        #expect(try work.texts("Sent").count == 1)
    }

    @Test("a command that would exceed the limit sends nothing")
    func cap() async throws {
        let work = try Workplace()
        try work.sendsMail()
        try work.configure("send: { max-per-run: 2 }")
        try await work.with { session in
            var previews: [MailPreview] = []
            for number in 0..<3 {
                let draft = try await session.written(to: ["b\(number)@acme.example"])
                previews.append(try session.sending.preview(draft.stored))
            }
            #expect(
                TriageTests.refusal { try session.sending.queue(previews, hold: 0) } == "send-limit 75")
            #expect(try session.outbox.list(account: nil, all: true).isEmpty)
            #expect(try session.sending.queue(Array(previews.prefix(2)), hold: 0).count == 1)
            #expect(try session.outbox.list(account: nil).count == 2)
        }
    }

    @Test("a draft in the outbox is not queued again")
    func twice() async throws {
        try await sending { _, session in
            let draft = try await session.written()
            _ = try session.sending.queue([try session.sending.preview(draft.stored)], hold: 60)
            let busy = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            #expect(TriageTests.refusal { try session.sending.preview(busy.stored) } == "being-sent 75")
            #expect(try session.outbox.list(account: nil).count == 1)
        }
    }

    @Test("unreadable text, and mail from a foreign address, is not sent")
    func unfit() async throws {
        try await sending { work, session in
            let (unfinished, _) = try session.drafts.keep(
                try await session.written(), typed: "From ana\n\nText")
            #expect(
                TriageTests.refusal { try session.sending.preview(unfinished.stored) }
                    == "unfinished-draft 65")
            try work.put(
                "foreign", "From: bob@acme.example\nTo: carl@acme.example\nSubject: Foreign\n\nHello\n",
                flags: [.draft], in: MailboxName("Drafts"))
            _ = try await session.sync.account(account)
            let foreign = try await session.drafts.open(try session.id(of: "Foreign"))
            #expect(
                TriageTests.refusal { try session.sending.preview(foreign.stored) } == "not-your-address 65")
        }
    }

    @Test("each mail is sent by the account of its From, and one command may use several accounts")
    func accounts() async throws {
        let work = try Workplace()
        try work.sendsMail()
        try work.configure(
            "  - name: home\n    address: ana@home.example\n    maildir: Home\n"
                + "    sendmail: [ /bin/sh, \(work.root)/bin/sendmail ]")
        try Maildir(root: work.root + "/Home", account: AccountID("home")).createRoot()
        try await work.with { session in
            for id in try session.accounts.ids(named: nil) { _ = try await session.sync.account(id) }
            let office = try await session.written()
            let home = try await session.written { $0.from = "ana@home.example" }
            #expect(home.accountID == AccountID("home"))
            try await session.send(office, home)
        }
        #expect(Set(try work.departures().map(\.sender)) == ["ana@acme.example", "ana@home.example"])
        #expect(try work.texts("Sent").count == 1)
        let sent = try Maildir(root: work.root + "/Home", account: AccountID("home"))
            .list(MailboxName("Sent"))
        #expect(sent.count == 1)
    }
}
