import Foundation
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Replies become a line on their task, once; nothing that happens to mail completes a task.
@Suite("Notes of replies")
struct ReplyNotesTests {
    private let later = Workplace.tuesday + 7_200

    private func tasked() async throws -> Workplace {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        return work
    }

    private func reply(
        _ work: Workplace, _ name: String, from: String = "Bob <bob@acme.example>",
        subject: String = "Re: A question", received: Timestamp = Workplace.tuesday + 3_600
    ) throws {
        try work.put(
            name,
            """
            From: \(from)
            To: ana@acme.example
            Subject: \(subject)
            Message-ID: <\(name)@x>
            In-Reply-To: <A-question@x>
            References: <A-question@x>
            Date: Tue, 10 Mar 2026 09:00:00 +0000

            Yes.
            """, received: received)
    }

    private func notes(_ work: Workplace) throws -> String {
        try work.taskText("question").replacing("\\n", with: "\n").replacing("\\,", with: ",")
    }

    @Test("a reply is one line above the link to the mail, and is noted once")
    func once() async throws {
        let work = try await tasked()
        try reply(work, "one")
        let (report, _) = try await work.follow(at: later)
        #expect(report.lines == ["task “Answer A question” has a reply from Bob"])
        #expect(try await work.follow(at: later).report.lines.isEmpty)
        let text = try notes(work)
        let line = try #require(text.range(of: "Reply 2026-03-10 from Bob: Re: A question"))
        let link = try #require(text.range(of: "Mail: <mid:A-question@x>"))
        #expect(line.upperBound < link.lowerBound)
        #expect(text.ranges(of: "Reply 2026").count == 1)
        #expect(text.contains("STATUS:NEEDS-ACTION"))
    }

    @Test("the user's own text in the notes is kept when replies are added")
    func ownWords() async throws {
        let work = try await tasked()
        try work.edit("question") { $0.replacing("DESCRIPTION:", with: "DESCRIPTION:Ask Carl first.\\n\\n") }
        _ = try await work.follow(at: later)
        try reply(work, "one")
        try reply(work, "two", from: "Carl <carl@acme.example>")
        _ = try await work.follow(at: later)
        let text = try notes(work)
        #expect(text.contains("Ask Carl first.") && text.contains("from Bob") && text.contains("from Carl"))
    }

    @Test("own replies, mail from before the task and closed tasks get no line")
    func noReply() async throws {
        let work = try await tasked()
        try reply(work, "own", from: "Ana <ANA@acme.example>")
        try reply(work, "early", received: Workplace.tuesday - 60)
        #expect(try await work.follow(at: later).report.lines.isEmpty)
        try work.finish("question")
        _ = try await work.follow(at: later)
        try reply(work, "late", received: later)
        let (report, _) = try await work.follow(at: later + 60)
        #expect(report.lines.isEmpty)
        #expect(try !notes(work).contains("Reply "))
    }

    @Test("a foreign subject becomes one line of text, and a long one is cut")
    func hostile() async throws {
        let work = try await tasked()
        try reply(
            work, "one", from: "\"Bob\u{2028}END:VTODO\" <bob@acme.example>",
            subject: "=?utf-8?q?x=0D=0AEND:VTODO=0D=0ASUMMARY:gone=1B[2J?= "
                + String(repeating: "y", count: 300))
        _ = try await work.follow(at: later)
        try await work.with(at: later) { session in
            let todo = try session.task("Answer A question").todo
            let lines = todo.notes.split(separator: "\n").filter { $0.hasPrefix("Reply ") }
            #expect(lines.count == 1 && lines.allSatisfy { $0.count < 250 })
            #expect(!todo.notes.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x2028 })
            #expect(try session.tasks.files().malformed.isEmpty)
        }
    }

    @Test("removed mail is reported once, and its task stays")
    func gone() async throws {
        let work = try await tasked()
        try work.client.remove(.inbox, unique: "100.A-question")
        let (report, _) = try await work.follow(at: later)
        #expect(
            report.lines == ["the mail of task “Answer A question” is gone from the server; the task stays"])
        #expect(try await work.follow(at: later).report.lines.isEmpty)
        #expect(try notes(work).contains("STATUS:NEEDS-ACTION"))
    }

    @Test("moving the mail in another program does not change its task")
    func moved() async throws {
        let work = try await tasked()
        let before = try notes(work)
        _ = try work.client.move(unique: "100.A-question", from: .inbox, to: MailboxName("Archive"))
        #expect(try await work.follow(at: later).report.lines.isEmpty)
        #expect(try notes(work) == before)
    }

    @Test("a reply to a task of an account outside the run is noted in a later run")
    func otherAccount() async throws {
        let work = try await tasked()
        try reply(work, "one")
        try await work.with(at: later) { session in
            _ = try await session.sync.account(AccountID("work"))
            #expect(try await session.follow.taskEdits(for: [], allowMassDelete: false).lines.isEmpty)
        }
        #expect(try await work.follow(at: later).report.lines.count == 1)
    }

    @Test("a reply is noted even if its subject is the beginning of another one")
    func similar() async throws {
        let work = try await tasked()
        try reply(work, "long", subject: "Re: A question, and more")
        try reply(work, "short", received: Workplace.tuesday + 3_700)
        _ = try await work.follow(at: later)
        #expect(try notes(work).ranges(of: "Reply 2026").count == 2)
    }

    @Test("at most fifty replies are noted")
    func full() async throws {
        let work = try await tasked()
        for number in 10..<62 { try reply(work, "r\(number)", subject: "Re: A question \(number)") }
        _ = try await work.follow(at: later)
        #expect(try notes(work).ranges(of: "Reply 2026").count == 50)
        #expect(try await work.follow(at: later).report.runs.allSatisfy(\.didNothing))
        #expect(try notes(work).ranges(of: "Reply 2026").count == 50)
    }

    @Test("a new line is added above the link and its blank line, or at the end")
    func places() {
        let link = "Mail: <mid:a@x>"
        for (notes, expected) in [
            ("", "R"), ("Words", "Words\nR"), (link, "R\n\n" + link),
            ("Words\n\n" + link, "Words\nR\n\n" + link), ("Words\n" + link, "Words\nR\n\n" + link),
        ] {
            #expect(ReplyNote.adding("R", to: notes) == expected, "\(notes)")
        }
    }
}
