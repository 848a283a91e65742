import Foundation
import MIMEParser
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Drafts that other programs save, remove and write: no version is lost, and none is doubled.
@Suite("Drafts mailbox")
struct DraftsMailboxTests {
    private let account = AccountID("work")

    /// A draft with the words `first words` that is in the Drafts mailbox.
    private func pushed(_ body: (Workplace, Session, OpenDraft) async throws -> Void) async throws {
        let work = try Workplace()
        try work.sendsMail()
        try await work.with { session in
            _ = try await session.sync.account(account)
            let draft = try await session.written { $0.body = "first words" }
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            try await body(
                work, session, try await session.drafts.open(try session.drafts.shortName(of: draft.stored)))
        }
    }

    private func changed(_ draft: OpenDraft, _ words: String, _ session: Session) throws -> OpenDraft {
        try session.drafts.keep(draft, typed: draft.text.replacing("first words", with: words)).draft
    }

    private func texts(_ session: Session) async throws -> [String] {
        var texts: [String] = []
        for line in try session.drafts.list(account: nil) {
            texts.append(try await session.drafts.open(line.id).builder.text)
        }
        return texts.sorted()
    }

    // MARK: Read from the account itself

    @Test("the newest version is read from the account before any sync, and reported once")
    func newest() async throws {
        try await pushed { work, session, draft in
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            let (newest, found) = try await session.draftsMailbox.newest(draft)
            #expect(newest.builder.text.hasPrefix("from the telephone"))
            #expect(found.news.count == 1 && !found.isChangedTwice && !found.isGone)
            #expect(newest.stored.messageID == draft.stored.messageID)
            let (_, again) = try await session.draftsMailbox.newest(newest)
            #expect(again.news.isEmpty)
            _ = try await session.sync.account(account)
            #expect(try await session.draftsMailbox.pickUp(of: account).isEmpty)
            #expect(try await texts(session).count == 1)
        }
    }

    @Test("a draft without changes elsewhere stays the same")
    func unchanged() async throws {
        try await pushed { _, session, draft in
            let (newest, found) = try await session.draftsMailbox.newest(draft)
            #expect(newest.stored == draft.stored && found.news.isEmpty && !found.isGone)
        }
    }

    @Test("if a draft was changed here and elsewhere, both versions are kept")
    func changedTwice() async throws {
        try await pushed { work, session, draft in
            let ours = try changed(draft, "my words", session)
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            let (newest, found) = try await session.draftsMailbox.newest(ours)
            #expect(found.isChangedTwice && found.news.count == 1)
            #expect(newest.builder.text.hasPrefix("my words"))
            #expect(try await texts(session).map { $0.prefix(4) } == ["from", "my w"])
        }
    }

    @Test(
        "a draft removed by another program is reported, one that was never pushed is not"
    )
    func gone() async throws {
        try await pushed { work, session, draft in
            let local = try await session.written { $0.body = "only here" }
            #expect(try await !session.draftsMailbox.newest(local).news.isGone)
            let drafts = MailboxName("Drafts")
            for entry in try work.client.list(drafts) { try work.client.remove(drafts, unique: entry.unique) }
            #expect(try await session.draftsMailbox.newest(draft).news.isGone)
            _ = try await session.sync.account(account)
            #expect(Set(try session.drafts.list(account: nil).map(\.state)) == [.removedElsewhere, .local])
        }
    }

    // MARK: By the last sync

    @Test("a sync reads the version of another program into the same draft")
    func pickUp() async throws {
        try await pushed { work, session, draft in
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            _ = try await session.sync.account(account)
            #expect(try await session.draftsMailbox.pickUp(of: account).count == 1)
            #expect(try await session.draftsMailbox.pickUp(of: account).isEmpty)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.saved])
            #expect(try await texts(session) == ["from the telephone\n"])
        }
    }

    @Test("a version saved elsewhere during an edit becomes a separate draft")
    func pickUpBeside() async throws {
        try await pushed { work, session, draft in
            _ = try changed(draft, "my words", session)
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            _ = try await session.sync.account(account)
            #expect(try await session.draftsMailbox.pickUp(of: account).count == 1)
            #expect(try await session.draftsMailbox.pickUp(of: account).isEmpty)
            #expect(try await texts(session) == ["from the telephone\n", "my words\n"])
        }
    }

    @Test("a draft that is being sent does not accept a version of another program")
    func whileSending() async throws {
        try await pushed { work, session, draft in
            _ = try session.sending.queue([try session.sending.preview(draft.stored)], hold: 60)
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            _ = try await session.sync.account(account)
            #expect(try await session.draftsMailbox.pickUp(of: account).isEmpty)
        }
    }

    @Test("a version that another program saves during sending stays in the Drafts mailbox")
    func sentMeanwhile() async throws {
        try await pushed { work, session, draft in
            _ = try session.sending.queue([try session.sending.preview(draft.stored)], hold: 0)
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            _ = try await session.outboxDelivery.deliver(account: nil)
            #expect(try work.departures().map { $0.text.contains("first words") } == [true])
            #expect(try work.texts("Drafts").map { $0.contains("from the telephone") } == [true])
        }
    }

    // MARK: Sending the right one

    @Test("opus sends the latest version of another program, and reports it")
    func sendsNewest() async throws {
        try await pushed { work, session, draft in
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            var news: [String] = []
            let current = try await session.draftsMailbox.toSend(draft) { news.append($0) }
            #expect(news.count == 1)
            try await session.send(current)
            #expect(try work.departures().map { $0.text.contains("from the telephone") } == [true])
            #expect(try work.texts("Drafts").isEmpty)
        }
    }

    @Test("a draft with two versions is not sent")
    func unclear() async throws {
        try await pushed { work, session, draft in
            let ours = try changed(draft, "my words", session)
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            var news: [String] = []
            await #expect(throws: Problem.self) {
                do {
                    _ = try await session.draftsMailbox.toSend(ours) { news.append($0) }
                } catch {
                    #expect(Problem(error).code == "changed-elsewhere")
                    throw error
                }
            }
            #expect(news.count == 1)
        }
    }

    @Test("a draft that another program may have sent is not sent again")
    func sentElsewhere() async throws {
        try await pushed { work, session, draft in
            let drafts = MailboxName("Drafts")
            for entry in try work.client.list(drafts) { try work.client.remove(drafts, unique: entry.unique) }
            await #expect(throws: Problem.self) {
                do {
                    _ = try await session.draftsMailbox.toSend(draft) { _ in }
                } catch {
                    #expect(Problem(error).code == "removed-elsewhere")
                    throw error
                }
            }
        }
    }

    // MARK: What other programs wrote

    @Test("a draft of another program is listed, can be opened, and stays one draft")
    func adopted() async throws {
        let work = try Workplace()
        try work.put(
            "other",
            "From: ana@acme.example\nTo: bob@acme.example\nSubject: Other\nMessage-ID: <o@x>\n\nHi\n",
            flags: [.draft], in: MailboxName("Drafts"))
        try await work.with { session in
            _ = try await session.sync.account(account)
            let line = try #require(try session.drafts.list(account: nil).first)
            #expect(line.state == .elsewhere && line.id.hasPrefix("m:"))
            let draft = try await session.drafts.open(line.id)
            #expect(draft.builder.text == "Hi\n")
            #expect(try session.drafts.list(account: nil).map(\.state) == [.saved])
            let same = try await session.drafts.open(line.id)
            #expect(same.stored.messageID == draft.stored.messageID)
            let (kept, _) = try session.drafts.keep(draft, typed: draft.text.replacing("Hi", with: "Hello"))
            _ = try await session.draftsMailbox.push(of: account, command: "drafts push")
            #expect(try work.texts("Drafts").map { $0.contains("Hello") } == [true])
            #expect(try work.texts("Trash").map { $0.contains("Hi") } == [true], "never removed for good")
            #expect(try session.drafts.shortName(of: kept.stored).hasPrefix("d:"))
        }
    }
}
