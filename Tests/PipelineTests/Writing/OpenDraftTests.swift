import Foundation
import MIMEParser
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// What a person typed into the text of a draft, taken over whole or not at all.
@Suite("Open drafts")
struct OpenDraftTests {
    private let account = AccountID("work")

    private func editing(_ body: (Workplace, Session, OpenDraft) async throws -> Void) async throws {
        let work = try Workplace()
        try work.write("one", to: "files/a.txt")
        try work.write("two", to: "files/b.txt")
        try await work.with { session in
            let draft = try await session.written {
                $0.subject = "Lunch"
                $0.attachments = [work.root + "/files/a.txt", work.root + "/files/b.txt"]
            }
            try await body(work, session, draft)
        }
    }

    @Test("a saved draft reads the same when it is opened again")
    func roundTrip() async throws {
        try await editing { _, session, draft in
            let name = try session.drafts.shortName(of: draft.stored)
            let opened = try await session.drafts.open(name)
            #expect(opened.text == draft.text)
            let (kept, mistakes) = try session.drafts.keep(opened, typed: opened.text)
            #expect(mistakes.isEmpty && kept.text == draft.text)
            #expect(kept.stored.revision == draft.stored.revision + 1)
            #expect(try session.drafts.list(account: nil).count == 1)
        }
    }

    @Test("removing the line of a file removes the file, and a new line adds one")
    func files() async throws {
        try await editing { work, session, draft in
            try work.write("three", to: "files/c.txt")
            let typed = draft.text.replacing(
                "Attach: [1] a.txt\n", with: "Attach: \(work.root)/files/c.txt\n")
            let (kept, mistakes) = try session.drafts.keep(draft, typed: typed)
            #expect(mistakes.isEmpty)
            #expect(kept.builder.files.map(\.name) == ["c.txt", "b.txt"])
            let opened = try await session.drafts.open(try session.drafts.shortName(of: kept.stored))
            #expect(
                opened.builder.files.map { String(decoding: $0.bytes, as: UTF8.self) } == ["three", "two"])
        }
    }

    @Test("with one wrong line nothing is accepted, and every wrong line is reported in order")
    func allOrNothing() async throws {
        try await editing { _, session, draft in
            let typed =
                "From: bob@else.example\nTo: carl@acme.example\nSubject: Dinner\nAttach: [3]\n"
                + "Attach: /nowhere/x\n\nOther words\n"
            let (kept, mistakes) = try session.drafts.keep(draft, typed: typed)
            #expect(mistakes.map { $0.prefix(6) } == ["line 1", "line 4", "line 5"])
            #expect(kept.text == typed)
            #expect(kept.stored.content == draft.stored.content)
            #expect(kept.builder.subject == "Lunch" && kept.builder.files.count == 2)
        }
    }

    @Test("a mail without a From is refused, and the error shows the line to write")
    func noFrom() async throws {
        try await editing { _, session, draft in
            let (kept, mistakes) = try session.drafts.keep(draft, typed: "To: carl@acme.example\n\nHi\n")
            #expect(mistakes == ["line 1: the From line is missing; write one of your addresses"])
            #expect(kept.stored.typed == "To: carl@acme.example\n\nHi\n")
        }
    }

    @Test("typed text is kept word for word after the program ends")
    func survives() async throws {
        let typed = "Subject Lunch\n\n  Words \u{1F34B} of an hour\n\n"
        let work = try Workplace()
        try await work.with { session in
            _ = try session.drafts.keep(try await session.written(), typed: typed)
        }
        try await work.with { session in
            let line = try #require(try session.drafts.list(account: nil).first)
            #expect(line.state == .unfinished)
            #expect(try await session.drafts.open(line.id).text == typed)
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            #expect(try work.texts("Drafts").isEmpty, "what cannot be read is not a mail yet")
        }
    }

    @Test(
        "another From moves the draft to the account of that address"
    )
    func otherAccount() async throws {
        let work = try Workplace()
        try work.configure("  - name: home\n    address: ana@home.example\n    maildir: Home")
        let home = Maildir(root: work.root + "/Home", account: AccountID("home"))
        try home.createRoot()
        try await work.with { session in
            for id in try session.accounts.ids(named: nil) { _ = try await session.sync.account(id) }
            let draft = try await session.written()
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            #expect(try work.texts("Drafts").count == 1)
            let opened = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            let (kept, mistakes) = try session.drafts.keep(
                opened, typed: opened.text.replacing("ana@acme.example", with: "ana@home.example"))
            #expect(mistakes.isEmpty && kept.accountID == AccountID("home"))
            #expect(try session.drafts.list(account: "home").map(\.state) == [.local])
            // A From that the user did not change leaves the draft in its account.
            var reply = try await session.written { $0.subject = "Reply" }
            reply.builder.from = kept.builder.from
            let (same, none) = try session.drafts.keep(reply, typed: reply.text + "More.\n")
            #expect(none.isEmpty && same.accountID == account && same.builder.from.domain == "home.example")
            try session.store.drafts.removeDraft(same.messageID)
            for id in try session.accounts.ids(named: nil) {
                _ = try await session.draftsMailbox.push(of: id, command: "drafts push")
            }
            #expect(try work.texts("Drafts").isEmpty)
            #expect(try home.list(MailboxName("Drafts")).count == 1)
            #expect(try session.drafts.list(account: nil).map(\.account) == [AccountID("home")])
        }
    }

    @Test("each version has its own Message-ID and names the draft, and hidden recipients are kept")
    func versions() async throws {
        try await editing { _, session, draft in
            let (second, _) = try session.drafts.keep(
                draft, typed: draft.text.replacing("Bcc:", with: "Bcc: eve@acme.example"))
            let (first, next) = (
                MIMEParser.parse(draft.stored.content), MIMEParser.parse(second.stored.content)
            )
            #expect(first.envelope.messageID != next.envelope.messageID)
            for message in [first, next] {
                #expect(message.header(MessageBuilder.draftField) == [draft.stored.messageID.rawValue])
            }
            #expect(next.envelope.bcc.map(\.addrSpec) == ["eve@acme.example"])
        }
    }
}
