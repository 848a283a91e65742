import Foundation
import MaildirClient
import Models
import TestSupport
import Testing

@testable import Pipeline

/// `opus store export`: what other programs find in it, and that it never looks complete before it is.
@Suite("Export of the store")
struct StoreExportTests {
    private func export(
        _ work: Workplace, to name: String = "out", as format: StoreExport.Format = .maildir
    ) async throws -> StoreExport.Report {
        var report = StoreExport.Report(folder: "", format: format)
        try await work.with { session in
            report = try await session.export.export(to: work.root + "/" + name, as: format, account: nil)
        }
        return report
    }

    private func exists(_ work: Workplace, _ path: String) -> Bool {
        FileManager.default.fileExists(atPath: work.root + "/" + path)
    }

    @Test("a Maildir has every message as it was, with its flags, labels, mailbox and time of arrival")
    func maildir() async throws {
        let work = try Workplace()
        try work.deliver(
            SampleMail(
                subject: "Figures", headers: ["X-Own: \tkept"], text: "From the start\r\n.\r\n",
                file: ("a.pdf", "PDF")), flags: [.seen, .flagged])
        try work.deliver("Old plan", to: MailboxName("Projects.Acme"))
        try await work.synced { session in try await session.byHand(.label("urgent"), "Figures") }
        let report = try await export(work)
        #expect(report.messages == 2 && report.missing == 0)
        let copy = Maildir(root: work.root + "/out/work", account: Workplace.account)
        #expect(Set(try copy.mailboxes().map(\.displayName)).isSuperset(of: ["INBOX", "Projects/Acme"]))
        let entry = try #require(try copy.list(.inbox).first)
        #expect(entry.flags == [.seen, .flagged] && entry.keywords == [Keyword("urgent")])
        #expect(try copy.received(entry) == Workplace.tuesday - 3_600)
        let original = try #require(try work.client.list(.inbox).first)
        #expect(
            try copy.read(.inbox, unique: entry.unique, limit: 1 << 20)
                == work.client.read(.inbox, unique: original.unique, limit: 1 << 20))
        #expect(try copy.list(MailboxName("Projects.Acme")).count == 1)
    }

    @Test("task files are copied octet for octet, drafts that are only in the store too, and secrets are not")
    func rest() async throws {
        let work = try Workplace()
        try work.writeTask("one", "Call Bob", list: "next", "X-OTHER:kept")
        try work.write("note", to: "tasks/next/notes.txt")
        try work.write("secret", to: "tasks/.hidden/one.ics")
        try work.write("secret", to: "elsewhere.ics")
        try FileManager.default.createSymbolicLink(
            atPath: work.root + "/tasks/next/link.ics", withDestinationPath: work.root + "/elsewhere.ics")
        try await work.synced { session in _ = try await session.written { $0.subject = "Offer" } }
        let report = try await export(work)
        #expect(report.tasks == 1 && report.drafts == 1)
        #expect(try work.read("out/tasks/next/one.ics") == work.read("tasks/next/one.ics"))
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: work.root + "/out/tasks").sorted()
                == ["next", "next/one.ics"])
        let copy = Maildir(root: work.root + "/out/work", account: Workplace.account)
        let draft = try #require(try copy.list(MailboxName("opus-drafts")).first)
        #expect(draft.flags == [.draft, .seen])
        let text = try copy.read(MailboxName("opus-drafts"), unique: draft.unique, limit: 1 << 20)
        #expect(String(decoding: text, as: UTF8.self).field("Subject") == "Offer")
    }

    @Test(
        "a message that the account has lost is exported with the header and text of the store, and counted")
    func lost() async throws {
        let work = try Workplace()
        try work.deliver("Lunch", "Gone")
        try await work.synced { _ in }
        try work.client.remove(.inbox, unique: "100.Gone")
        let report = try await export(work)
        #expect(report.messages == 2 && report.missing == 1)
        let copy = Maildir(root: work.root + "/out/work", account: Workplace.account)
        let texts = try copy.list(.inbox).map {
            String(decoding: try copy.read(.inbox, unique: $0.unique, limit: 1 << 20), as: UTF8.self)
        }
        let gone = try #require(texts.first { $0.field("Subject") == "Gone" })
        #expect(gone.field("From") == "Bob <bob@acme.example>" && gone.contains("\nHello."))
    }

    @Test("an export changes nothing that exists, and one that was interrupted is not continued")
    func occupied() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        try await work.synced { _ in }
        try work.write("mine", to: "out/file")
        var problem = await #expect(throws: Problem.self) { _ = try await export(work) }
        #expect(problem?.code == "cannot-export" && problem?.exit == .cannotCreate)
        #expect(try work.read("out/file") == "mine" && !exists(work, "out.unfinished"))
        try work.write("half", to: "new.unfinished/file")
        problem = await #expect(throws: Problem.self) { _ = try await export(work, to: "new") }
        #expect(problem?.next == ["delete \(work.root)/new.unfinished, then export again"])
        #expect(!exists(work, "new"))
        _ = try await export(work, to: "other//")
        #expect(exists(work, "other/work") && !exists(work, "other.unfinished"))
    }

    @Test("an export that fails is still called unfinished")
    func failed() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        try await work.synced { _ in }
        try await work.offline { _ = await #expect(throws: Problem.self) { _ = try await export(work) } }
        #expect(exists(work, "out.unfinished") && !exists(work, "out"))
    }

    @Test("an mbox has one file per mailbox, in folders, and no message ends early")
    func mbox() async throws {
        let work = try Workplace()
        try work.deliver(
            SampleMail(subject: "Trap", text: "From here\r\n>From there\r\nend\r\n"), flags: [.answered])
        try work.deliver("Lunch", "Dinner")
        try work.deliver("Old plan", to: MailboxName("Projects.Acme"))
        try await work.synced { session in try await session.byHand(.label("urgent"), "Trap") }
        let report = try await export(work, as: .mbox)
        #expect(report.messages == 4)
        #expect(exists(work, "out/work/Projects/Acme.mbox"))
        let text = try work.read("out/work/INBOX.mbox")
        let starts = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
            $0.hasPrefix("From ")
        }
        #expect(starts == Array(repeating: "From opus@localhost Tue Mar 10 06:30:00 2026", count: 3))
        #expect(text.contains("\n>From here\n>>From there\nend\n\n") && !text.contains("\r"))
        #expect(text.contains("\nStatus: O\nX-Status: A\nX-Keywords: urgent\n\n"))
    }
}

@Suite("Messages in an mbox")
struct MboxEntryTests {
    private func entry(
        _ message: String, flags: Set<Flag> = [], keywords: Set<Keyword> = []
    ) -> String {
        let mail = ExportedMail(
            bytes: Array(message.utf8), received: Workplace.tuesday, flags: flags, keywords: keywords,
            key: "1")
        return String(decoding: MboxEntry(mail).bytes, as: UTF8.self)
    }

    private static let start = "From opus@localhost Tue Mar 10 07:30:00 2026\n"

    @Test("a message cannot bring its own status, even on several lines")
    func ownFields() {
        let text = entry(
            "Subject: a\r\nStatus: RO\r\n folded\r\nX-KEYWORDS: evil\r\nContent-Length: 5\r\nTo: b\r\n\r\nStatus: body\r\n",
            flags: [.seen, .deleted, .draft])
        #expect(text == Self.start + "Subject: a\nTo: b\nStatus: RO\nX-Status: TD\n\nStatus: body\n\n")
    }

    @Test("a message without a body, without a last line end or without a header stays one message")
    func odd() {
        #expect(entry("Subject: a\r\n\r\n") == Self.start + "Subject: a\nStatus: O\n\n\n")
        #expect(entry("Subject: a\n\nb") == Self.start + "Subject: a\nStatus: O\n\nb\n\n")
        #expect(entry("Subject: a") == Self.start + "Subject: a\nStatus: O\n\n\n")
        #expect(entry("From x\nSubject: a\n\nb\n").hasPrefix(Self.start + "Subject: a\n"))
    }

    @Test("labels are sorted, and one that would break the line is left out")
    func labels() {
        let text = entry(
            "Subject: a\n\nb\n", keywords: [Keyword("zoo"), Keyword("alpha"), Keyword("two words")])
        #expect(text.contains("\nX-Keywords: alpha zoo\n"))
    }

    @Test(
        "a name becomes a file name that no shell and no path can misread",
        arguments: [
            ("Projects", "Projects"), ("a/b", "a%2Fb"), ("..", "_."), (".hidden", "_hidden"), ("", "_"),
            ("a b*", "a%20b%2A"), ("Müll", "Müll"), ("a\u{202E}b", "a_b"), ("a\nb", "a%0Ab"),
            (String(repeating: "x", count: 200), String(repeating: "x", count: 60)),
        ])
    func names(_ name: String, _ safe: String) { #expect(ExportName.safe(name) == safe) }

    @Test("two mailboxes whose names become equal get two files")
    func equalNames() throws {
        let folder = try TemporaryFolder()
        let writer = MboxExport(root: folder.path)
        let names = try ["a\u{202E}b", "a\u{200B}b", "x/a_b"].map { try writer.begin($0) }
        #expect(names == ["/a_b.mbox", "/a_b-2.mbox", "/x/a_b.mbox"].map { folder.path + $0 })
    }
}
