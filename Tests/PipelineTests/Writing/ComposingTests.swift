import Foundation
import MIMEParser
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// How mails begin: who writes, to whom, with which words and files.
@Suite("Composing")
struct ComposingTests {
    private let account = AccountID("work")

    private static let round = """
        From: Bob <bob@acme.example>
        To: Ana <ana.ruiz@example.org>, carl@acme.example
        Cc: dora@acme.example
        Reply-To: Desk <desk@acme.example>
        Subject: Plan
        Message-ID: <plan@x>
        References: <first@x>
        Date: Tue, 10 Mar 2026 07:00:00 +0000

        What do you think?
        """

    private static let withFile = """
        From: bob@acme.example
        To: ana@acme.example
        Subject: Numbers
        Message-ID: <numbers@x>
        Date: Tue, 10 Mar 2026 07:00:00 +0000
        MIME-Version: 1.0
        Content-Type: multipart/mixed; boundary=b

        --b
        Content-Type: text/plain

        See the file.
        --b
        Content-Type: text/csv; name=q3.csv
        Content-Disposition: attachment; filename=q3.csv
        Content-Transfer-Encoding: base64

        MSwyLDMK
        --b--
        """

    private func composing(
        _ prepare: (Workplace) throws -> Void = { _ in }, _ body: (Workplace, Session) async throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.write(
            try work.read("opus.yaml").replacing(
                "[ana@acme.example]", with: "[ana@acme.example, ana.ruiz@example.org]"), to: "opus.yaml")
        try prepare(work)
        try work.put("plan", Self.round)
        try work.put("numbers", Self.withFile)
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await body(work, session)
        }
    }

    private func begun(
        _ session: Session, _ purpose: MailWish.Purpose, _ change: (inout MailWish) -> Void = { _ in }
    ) async throws -> OpenDraft {
        var wish = MailWish(purpose)
        wish.body = "Mine."
        change(&wish)
        return try await session.composing.compose(wish)
    }

    private func refusal(_ body: () async throws -> Void) async -> Problem? {
        do {
            try await body()
            return nil
        } catch { return Problem(error) }
    }

    @Test("a reply is sent from the address that received the mail, to where its sender wants replies")
    func reply() async throws {
        try await composing { _, session in
            let builder = try await begun(session, .reply(try session.id(of: "Plan"))).builder
            #expect(builder.from.addrSpec == "ana.ruiz@example.org")
            #expect(builder.to.map(\.addrSpec) == ["desk@acme.example"] && builder.cc.isEmpty)
            #expect(builder.inReplyTo == MessageID("plan@x"))
            #expect(builder.references == [MessageID("first@x"), MessageID("plan@x")])
        }
    }

    @Test("a reply to all goes to everyone except the user, once each, and hidden copies stay hidden")
    func replyAll() async throws {
        try await composing { _, session in
            let draft = try await begun(session, .replyAll(try session.id(of: "Plan"))) {
                $0.bcc = ["eve@acme.example"]
            }
            #expect(draft.builder.to.map(\.addrSpec) == ["desk@acme.example", "carl@acme.example"])
            #expect(draft.builder.cc.map(\.addrSpec) == ["dora@acme.example"])
            #expect(draft.builder.bcc.map(\.addrSpec) == ["eve@acme.example"])
        }
    }

    @Test("with a named account, mail is sent from that account's address")
    func named() async throws {
        try await composing { _, session in
            let draft = try await begun(session, .reply(try session.id(of: "Plan"))) { $0.account = "work" }
            #expect(draft.builder.from.addrSpec == "ana@acme.example")
            #expect(
                await refusal {
                    _ = try await begun(session, .new) { $0.account = "none" }
                }?.code == "no-such-account")
        }
    }

    @Test("a forwarded mail has no recipient yet, has the files, and is not a reply")
    func forward() async throws {
        try await composing { _, session in
            let draft = try await begun(session, .forward(try session.id(of: "Numbers")))
            #expect(draft.builder.to.isEmpty && draft.builder.subject == "Fwd: Numbers")
            #expect(draft.builder.text.hasPrefix("Mine.") && draft.builder.text.contains("See the file."))
            #expect(draft.builder.files.map(\.name) == ["q3.csv"])
            #expect(draft.builder.files.map(\.bytes) == [Array("1,2,3\n".utf8)])
            #expect(draft.stored.answers == nil && draft.builder.inReplyTo == nil)
        }
    }

    @Test("a reply does not send the files of a mail back to its writer")
    func replyWithoutFiles() async throws {
        try await composing { _, session in
            let draft = try await begun(session, .reply(try session.id(of: "Numbers")))
            #expect(draft.builder.files.isEmpty)
            #expect(draft.builder.text.contains("> See the file."))
        }
    }

    @Test("files are attached complete under their own names, and an unreadable file stops the mail")
    func attachments() async throws {
        try await composing { work, session in
            try work.write("one", to: "files/a.txt")
            let draft = try await begun(session, .forward(try session.id(of: "Numbers"))) {
                $0.attachments = [work.root + "/files/a.txt"]
            }
            #expect(draft.builder.files.map(\.name) == ["q3.csv", "a.txt"])
            #expect(draft.builder.files.last?.contentType == "text/plain")
            let problem = await refusal {
                _ = try await begun(session, .new) { $0.attachments = [work.root + "/files"] }
            }
            #expect(problem?.code == "is-folder" && problem?.exit == .badData)
        }
    }

    @Test("the user's text is first, then the template, then the signature")
    func order() async throws {
        try await composing { work in
            try work.write(
                "To: carl@acme.example\nSubject: From the template\n\nRegards\n", to: "templates/t.txt")
            try work.write(
                try work.read("opus.yaml").replacing(
                    "maildir: Maildir\n", with: "maildir: Maildir\n    signature: |\n      Ana, room 7\n"),
                to: "opus.yaml")
        } _: { _, session in
            let draft = try await begun(session, .new) {
                $0.template = "t"
                $0.to = ["bob@acme.example"]
            }
            #expect(draft.builder.text == "Mine.\nRegards\n\n-- \nAna, room 7\n")
            #expect(draft.builder.to.map(\.addrSpec) == ["bob@acme.example", "carl@acme.example"])
            #expect(draft.builder.subject == "From the template")
            let reply = try await begun(session, .reply(try session.id(of: "Plan"))) { $0.template = "t" }
            #expect(reply.builder.subject == "Re: Plan")
            let said = try await begun(session, .new) {
                $0.template = "t"
                $0.subject = "Said"
            }
            #expect(said.builder.subject == "Said")
        }
    }

    @Test("the template of the account is preferred to the common one")
    func accountTemplate() async throws {
        try await composing { work in
            try work.write("Common\n", to: "templates/t.txt")
            try work.write("Of work\n", to: "templates/work/t.txt")
        } _: { _, session in
            let draft = try await begun(session, .new) { $0.template = "t" }
            #expect(draft.builder.text.contains("Of work") && !draft.builder.text.contains("Common"))
        }
    }

    @Test("a template is read only from its folder, and mistakes are reported with their lines")
    func badTemplates() async throws {
        try await composing { work in
            try work.write("Hello\n", to: "secret.txt")
            try work.write("From: ana@acme.example\nTo: bob at acme\n\nHello\n", to: "templates/broken.txt")
        } _: { work, session in
            for name in ["../secret", ".hidden", "", "none"] {
                let problem = await refusal {
                    _ = try await begun(session, .new) { $0.template = name }
                }
                #expect(problem?.code == "no-such-template" && problem?.exit == .notFound, "\(name)")
                #expect(problem?.next == ["one of: broken"], "\(name)")
            }
            let problem = await refusal {
                _ = try await begun(session, .new) { $0.template = "broken" }
            }
            #expect(problem?.code == "bad-template")
            #expect(problem?.place == work.root + "/templates/broken.txt")
            #expect(problem?.details.first?.hasPrefix("line 2: ") == true)
        }
    }

    @Test("an invalid address is refused with its option, and no recipient is dropped")
    func badAddresses() async throws {
        try await composing { _, session in
            for (change, option) in [
                ({ (wish: inout MailWish) in wish.to = ["bob at acme"] }, "--to"),
                ({ (wish: inout MailWish) in wish.cc = ["bob@acme.example, carl at acme"] }, "--cc"),
                ({ (wish: inout MailWish) in wish.bcc = ["bob@acme.example\r\nTo: eve@x"] }, "--bcc"),
            ] {
                let problem = await refusal { _ = try await begun(session, .new, change) }
                #expect(problem?.code == "bad-mail" && problem?.exit == .badData)
                #expect(problem?.message.contains(option) == true, "\(problem?.message ?? "")")
            }
        }
    }

    @Test("a message outside any mailbox can be answered, but not forwarded complete")
    func goneOriginal() async throws {
        try await composing { work, session in
            let id = try session.id(of: "Numbers")
            try work.client.remove(.inbox, unique: "100.numbers")
            let reply = try await begun(session, .reply(id))
            #expect(reply.builder.text.contains("> See the file."))
            let problem = await refusal { _ = try await begun(session, .forward(id)) }
            #expect(problem?.next.contains { $0.hasPrefix("--no-quote") } == true)
        }
    }
}
