import Foundation
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Drafts: begun from options and originals, kept whatever was typed, and in step with the Drafts mailbox.
@Suite("Drafts")
struct DraftTests {
    private let account = AccountID("work")

    private func wish(_ purpose: MailWish.Purpose = .new, _ change: (inout MailWish) -> Void = { _ in })
        -> MailWish
    {
        var wish = MailWish(purpose)
        wish.body = "Hello.\n"
        change(&wish)
        return wish
    }

    @Test("a new mail has the sender of the account and the given options, and is not saved yet")
    func compose() async throws {
        let work = try Workplace()
        try await work.with { session in
            let draft = try await session.composing.compose(
                wish {
                    $0.to = ["Bob <bob@acme.example>"]
                    $0.subject = "Lunch"
                })
            #expect(draft.accountID == account)
            #expect(draft.text.contains("From: Ana Ruiz <ana@acme.example>"))
            #expect(
                draft.text.contains("To: Bob <bob@acme.example>") && draft.text.contains("Subject: Lunch"))
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
    }

    @Test("a sender that is not the user is refused, and a missing template is reported")
    func refusals() async throws {
        let work = try Workplace()
        try await work.with { session in
            for (change, code) in [
                ({ (wish: inout MailWish) in wish.from = "bob@acme.example" }, "not-your-address"),
                ({ (wish: inout MailWish) in wish.template = "none" }, "no-such-template"),
                ({ (wish: inout MailWish) in wish.attachments = ["/nowhere/x.pdf"] }, "no-such-file"),
            ] {
                await #expect(throws: Problem.self, "\(code)") {
                    do {
                        _ = try await session.composing.compose(wish(.new, change))
                    } catch let problem as Problem {
                        #expect(problem.code == code)
                        throw problem
                    }
                }
            }
        }
    }

    @Test("a reply goes to the sender, quotes the original and names it as its parent")
    func reply() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.with { session in
            _ = try await session.sync.account(account)
            let line = try #require(
                try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil).first)
            let draft = try await session.composing.compose(wish(.reply(line.shortID)))
            #expect(draft.text.contains("To: Bob <bob@acme.example>"))
            #expect(draft.text.contains("Subject: Re: A question") && draft.text.contains("> Hello."))
            #expect(draft.stored.answers == line.facts.id)
            let bare = try await session.composing.compose(
                wish(.reply(line.shortID)) { $0.leavesOutQuote = true })
            #expect(!bare.text.contains("> Hello."))
        }
    }

    @Test(
        "mail to an identity with an international domain is answered by that identity, in either form of the domain",
        arguments: ["ana@bücher.example", "ana@xn--bcher-kva.example", "ana+news@bücher.example"])
    func internationalIdentity(_ address: String) async throws {
        let work = try Workplace()
        let settings = try work.read("opus.yaml")
        try work.write(
            settings.replacing(
                "    maildir: Maildir\n",
                with:
                    "    maildir: Maildir\n    identities:\n      - { from: ana@bücher.example, name: Ana B, signature: Bücher }\n"
            ), to: "opus.yaml")
        try work.put(
            "idn",
            "From: Bob <bob@acme.example>\nTo: \(address)\nSubject: Books\nMessage-ID: <idn@x>\n"
                + "Date: Tue, 10 Mar 2026 07:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n\nHello.\n"
        )
        try await work.with { session in
            _ = try await session.sync.account(account)
            let line = try #require(
                try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil).first)
            let draft = try await session.composing.compose(wish(.reply(line.shortID)))
            #expect(
                draft.text.contains("From: Ana B <ana") && draft.text.contains("Bücher\n"), "\(draft.text)")
        }
    }

    @Test("a draft that another process changed since it was opened is neither overwritten nor sent")
    func raced() async throws {
        let work = try Workplace()
        try work.sendsMail()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let opened = try session.drafts.keep(
                try await session.composing.compose(wish { $0.to = ["bob@acme.example"] }))
            let store = session.store.drafts
            var newer = opened.stored
            newer.revision = 2
            newer.content += Array("More.".utf8)
            #expect(try store.save(newer, over: 1)?.revision == 2)
            #expect(try store.save(newer, over: 1) == nil)
            #expect(try !store.setSubmission(1, of: opened.stored))
            #expect(throws: Problem.self) { try session.sending.preview(opened.stored) }
            // The mail of the other draft is not sent either.
            let other = try session.drafts.keep(
                try await session.composing.compose(wish { $0.to = ["carl@acme.example"] }))
            let mails = try [newer, other.stored].map { try session.sending.preview($0) }
            newer.revision = 3
            #expect(try store.save(newer, over: 2) != nil)
            #expect(throws: Problem.self) { try session.sending.queue(mails, hold: 0) }
            #expect(try session.outbox.list(account: nil).isEmpty)
            #expect(try session.sending.queue([mails[1]], hold: 0).count == 1)
            let kept = try session.drafts.keep(opened)
            #expect(kept.messageID != opened.messageID)
            #expect(try session.drafts.list(account: nil).count == 3)
            // Nor is a text lost that another editor left unfinished.
            var unfinished = kept.stored
            unfinished.typed = "Form: ana\n\nThe only copy.\n"
            _ = try store.save(unfinished)
            #expect(try session.drafts.keep(kept).messageID != kept.messageID)
            #expect(try session.drafts.list(account: nil).contains { $0.state == .unfinished })
            try store.removeDraft(opened.messageID)
            #expect(try store.save(newer, over: 3) == nil)
        }
    }

    @Test("text that is not a valid mail is kept as typed, with its mistakes")
    func unfinished() async throws {
        let work = try Workplace()
        try await work.with { session in
            let draft = try session.drafts.keep(try await session.composing.compose(wish()))
            let (kept, mistakes) = try session.drafts.keep(draft, typed: "From: nobody@else.example\n\nText")
            #expect(mistakes.count == 1)
            #expect(kept.text == "From: nobody@else.example\n\nText")
            #expect(try session.drafts.list(account: nil).map(\.state) == [.unfinished])
            let (done, none) = try session.drafts.keep(
                kept, typed: "From: ana@acme.example\nTo: bob@acme.example\nSubject: x\n\nText")
            #expect(none.isEmpty && done.stored.typed == nil)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.local])
        }
    }

    @Test("a draft is pushed once, and a new version replaces the old one")
    func push() async throws {
        let work = try Workplace()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let draft = try session.drafts.keep(
                try await session.composing.compose(wish { $0.to = ["bob@acme.example"] }))
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            #expect(try session.drafts.list(account: nil).map(\.state) == [.saved])
            let again = try await session.draftsMailbox.push(of: account, command: "drafts push")
            #expect(again.report.queued == 0 && again.news.isEmpty)
            let open = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            _ = try session.drafts.keep(open, typed: open.text.replacing("Hello.", with: "Good morning."))
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            #expect(try work.client.list(MailboxName("Drafts")).count == 1)
        }
    }

    @Test("a version that another program saved becomes the draft")
    func otherProgram() async throws {
        let work = try Workplace()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let draft = try session.drafts.keep(
                try await session.composing.compose(wish { $0.to = ["bob@acme.example"] }))
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            let mailbox = MailboxName("Drafts")
            let entry = try #require(try work.client.list(mailbox).first)
            let text = String(decoding: draft.stored.content, as: UTF8.self)
                .replacing("Hello.", with: "From the telephone.")
            _ = try work.client.addMessage(
                to: mailbox, message: Array(text.utf8), flags: [.draft], unique: "200.telephone",
                received: Workplace.tuesday)
            try work.client.remove(mailbox, unique: entry.unique)
            _ = try await session.sync.account(account)
            let news = try await session.draftsMailbox.pickUp(of: account)
            #expect(news.count == 1 && news.first?.contains("changed elsewhere") == true)
            let name = try session.drafts.shortName(of: draft.stored)
            #expect(try await session.drafts.open(name).text.contains("From the telephone."))
        }
    }

    @Test("a discarded draft is removed here and from the Drafts mailbox")
    func discard() async throws {
        let work = try Workplace()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let draft = try session.drafts.keep(
                try await session.composing.compose(wish { $0.to = ["bob@acme.example"] }))
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            let name = try session.drafts.shortName(of: draft.stored)
            _ = try await session.draftsMailbox.discard(try await session.drafts.open(name))
            #expect(try work.client.list(MailboxName("Drafts")).isEmpty)
            #expect(try session.drafts.list(account: nil).isEmpty)
            await #expect(throws: Problem.self) { _ = try await session.drafts.open(name) }
        }
    }

    @Test("a mail is not queued without a server to send it, or without recipients")
    func preview() async throws {
        let work = try Workplace()
        try await work.with { session in
            let draft = try session.drafts.keep(try await session.composing.compose(wish()))
            #expect(TriageTests.refusal { try session.sending.preview(draft.stored) } == "no-smtp 78")
        }
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir", with: "maildir: Maildir\n    sendmail: [ /bin/true ]"), to: "opus.yaml")
        try await work.with { session in
            let line = try #require(try session.drafts.list(account: nil).first)
            let draft = try await session.drafts.open(line.id)
            #expect(TriageTests.refusal { try session.sending.preview(draft.stored) } == "no-recipients 65")
        }
    }

    @Test("a queued mail is in the outbox, cannot be edited, and can be discarded")
    func outbox() async throws {
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml").replacing(
                "maildir: Maildir", with: "maildir: Maildir\n    sendmail: [ /bin/true ]"), to: "opus.yaml")
        try await work.with { session in
            let draft = try session.drafts.keep(
                try await session.composing.compose(wish { $0.to = ["bob@acme.example"] }))
            let queued = try session.sending.queue([try session.sending.preview(draft.stored)], hold: 60)
            #expect(queued.map(\.dueAt) == [Workplace.tuesday + 60])
            let mail = try #require(try session.outbox.list(account: nil).first)
            #expect(mail.state == .queued && mail.recipients == ["bob@acme.example"])
            #expect(try session.outbox.mail(mail.id).step == mail.step)
            let busy = try await session.drafts.open(mail.id)
            #expect(TriageTests.refusal { try session.drafts.mayEdit(busy) } == "being-sent 75")
            #expect(
                TriageTests.refusal { try session.outbox.settle(mail, wasSent: true) }
                    == "nothing-to-settle 64")
            try session.outbox.discard(mail)
            #expect(try session.outbox.list(account: nil).isEmpty)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.local])
            let gone = try session.outbox.mail(mail.id)
            #expect(TriageTests.refusal { try session.outbox.retry(gone) } == "too-late 1")
        }
    }
}
