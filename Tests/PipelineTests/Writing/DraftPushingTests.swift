import Foundation
import MIMEParser
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Drafts on their way into the Drafts mailbox and out of it: one version there, and only known bytes go.
@Suite("Pushing drafts")
struct DraftPushingTests {
    private let account = AccountID("work")
    private let drafts = MailboxName("Drafts")

    private func drafting(_ body: (Workplace, Session) async throws -> Void) async throws {
        let work = try Workplace()
        try work.sendsMail()
        try await work.with { session in
            _ = try await session.sync.account(account)
            try await body(work, session)
        }
    }

    private func push(_ session: Session) async throws -> (report: RunReport, news: [String]) {
        try await session.draftsMailbox.push(of: account, command: "drafts push")
    }

    private func changed(_ draft: OpenDraft, _ words: String, _ session: Session) throws -> OpenDraft {
        let body = draft.builder.text.split(separator: "\n").first.map(String.init) ?? ""
        return try session.drafts.keep(draft, typed: draft.text.replacing(body, with: words)).draft
    }

    @Test("after ten versions of a draft, only the last one is in the mailbox")
    func replaced() async throws {
        try await drafting { work, session in
            var draft = try await session.written { $0.body = "version 0" }
            for number in 1...9 {
                _ = try await push(session)
                draft = try changed(
                    try await session.drafts.open(try session.drafts.shortName(of: draft.stored)),
                    "version \(number)", session)
            }
            _ = try await push(session)
            #expect(try work.texts("Drafts").map { $0.contains("version 9") } == [true])
        }
    }

    @Test("a pushed draft is marked as draft and as seen")
    func flags() async throws {
        try await drafting { work, session in
            _ = try await session.written()
            _ = try await push(session)
            #expect(try work.client.list(drafts).map(\.flags) == [[.draft, .seen]])
        }
    }

    @Test("a version that another program saved is kept beside the version of opus")
    func othersVersion() async throws {
        try await drafting { work, session in
            let draft = try await session.written { $0.body = "first words" }
            _ = try await push(session)
            let opened = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            _ = try changed(opened, "my words", session)
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            let (report, news) = try await push(session)
            #expect(report.drain.failures.isEmpty && news.count == 1)
            let texts = try work.texts("Drafts")
            #expect(texts.count == 2)
            for words in ["my words", "from the telephone"] {
                #expect(texts.count { $0.contains(words) } == 1, "\(words)")
            }
            let again = try await push(session)
            #expect(again.report.queued == 0 && again.news.isEmpty)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.saved, .saved])
        }
    }

    @Test("a draft that is being sent is not pushed")
    func sending() async throws {
        try await drafting { work, session in
            let draft = try await session.written()
            _ = try session.sending.queue([try session.sending.preview(draft.stored)], hold: 60)
            let (report, _) = try await push(session)
            #expect(report.queued == 0)
            #expect(try work.texts("Drafts").isEmpty)
        }
    }

    @Test("a discarded draft is not restored by a later push or sync")
    func discarded() async throws {
        try await drafting { work, session in
            let draft = try await session.written()
            _ = try await push(session)
            _ = try await session.draftsMailbox.discard(
                try await session.drafts.open(try session.drafts.shortName(of: draft.stored)))
            _ = try await session.sync.account(account)
            _ = try await push(session)
            _ = try await session.draftsMailbox.pickUp(of: account)
            #expect(try work.texts("Drafts").isEmpty)
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
    }

    @Test("a discarded draft moves to the trash, if the account has one")
    func trash() async throws {
        let work = try Workplace()
        try work.client.create(MailboxName("Trash"))
        try await work.with { session in
            _ = try await session.sync.account(account)
            let draft = try await session.written { $0.body = "wanted after all" }
            _ = try await push(session)
            _ = try await session.draftsMailbox.discard(
                try await session.drafts.open(try session.drafts.shortName(of: draft.stored)))
        }
        #expect(try work.texts("Drafts").isEmpty)
        #expect(try work.texts("Trash").map { $0.contains("wanted after all") } == [true])
    }

    @Test("discarding a draft keeps and reports a later version of another program")
    func discardLeavesOthers() async throws {
        try await drafting { work, session in
            let draft = try await session.written { $0.body = "first words" }
            _ = try await push(session)
            let opened = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            try work.saveElsewhere("first words", "from the telephone", as: "telephone")
            let (report, news) = try await session.draftsMailbox.discard(opened)
            #expect(report.drain.failures.isEmpty)
            #expect(news.count == 1 && news.first?.hasSuffix("that version stays in Drafts") == true)
            #expect(try work.texts("Drafts").map { $0.contains("from the telephone") } == [true])
        }
    }

    @Test("a draft in the outbox cannot be discarded")
    func discardWhileSending() async throws {
        try await drafting { work, session in
            let draft = try await session.written()
            _ = try session.sending.queue([try session.sending.preview(draft.stored)], hold: 60)
            let busy = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            await #expect(throws: Problem.self) { _ = try await session.draftsMailbox.discard(busy) }
            try session.outbox.discard(try session.outbox.mail(try session.drafts.shortName(of: busy.stored)))
            let free = try await session.drafts.open(try session.drafts.shortName(of: draft.stored))
            _ = try await session.draftsMailbox.discard(free)
            #expect(try session.drafts.list(account: nil).isEmpty)
        }
    }

    @Test("a draft is kept while the account cannot be reached, and then pushed once")
    func away() async throws {
        try await drafting { work, session in
            _ = try await session.written { $0.body = "typed on the train" }
            let manager = FileManager.default
            try manager.moveItem(atPath: work.root + "/Maildir", toPath: work.root + "/away")
            _ = try? await push(session)
            #expect(try session.drafts.list(account: nil).map(\.state) == [.local])
            try manager.moveItem(atPath: work.root + "/away", toPath: work.root + "/Maildir")
            _ = try await push(session)
            _ = try await push(session)
            #expect(try work.texts("Drafts").map { $0.contains("typed on the train") } == [true])
            #expect(try session.drafts.list(account: nil).map(\.state) == [.saved])
        }
    }
}
