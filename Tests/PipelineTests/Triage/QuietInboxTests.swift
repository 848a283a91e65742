import Foundation
import GRDB
import MaildirClient
import Models
import Synchronization
import TestSupport
import Testing

@testable import MailStore
@testable import Pipeline

/// An inbox in which the rules had nothing to do is not judged again until something changes.
@Suite("Quiet inboxes")
struct QuietInboxTests {
    private static let day = Workplace.day

    /// Rules that read much of what a rule can read, and that leave much of the mail alone.
    private static let rules = """
        rules-version: 1
        protect: [marked: is:flagged]
        rules:
          - { id: old, when: "subject:news and age>3d", then: archive }
          - { id: known, when: "subject:hello and from:known", then: { label: friend } }
          - { id: replied, when: "thread:has(subject:done)", then: archive }
          - { id: waited, when: "task:waited>7d", then: { label: nudge } }
          - { id: open, when: "has:open-task and subject:weekly", then: archive }
          - { id: often, when: "sender:count>=6 and subject:report", then: { label: often } }
          - { id: text, when: "body:urgent", then: flag }
          - { id: header, when: "header:X-Kind:offer and is:read", then: trash }
          - { id: twice, when: "is:duplicate", then: trash }
          - { id: boss, when: "from:boss@acme.example", then: keep }
          - id: question
            when: subject:question
            then: { task: { title: 'Answer {{subject}}', list: waiting } }

        """

    private struct Yes: Ask {
        let isAttended = true
        func answer(_ question: Question) -> Answer { .yes }
    }

    /// What `opus run --yes` does, and whether it judged the inbox.
    @discardableResult
    private func morning(_ work: Workplace, at now: Timestamp = Workplace.tuesday) async throws -> Bool {
        var didJudge = true
        try await work.with(at: now) { session in
            _ = try await session.sync.account(Workplace.account)
            _ = try await session.follow.taskEdits(for: [Workplace.account], allowMassDelete: true) { _ in
                .yes
            }
            let library = try session.rules.library()
            didJudge = try !session.triage.quiet.isQuiet(Workplace.account, library)
        }
        try await work.with(at: now) { session in
            var options = Morning.Options()
            options.appliesAll = true
            var morning = try Morning(session, options, ask: Yes()) { _ in }
            _ = try await morning.run()
        }
        return didJudge
    }

    /// An inbox that was judged, and judged again after the first run applied something.
    private func quiet(_ rules: String = Self.rules) async throws -> Workplace {
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.deliver("Lunch", "Boss", "question 1")
        try await morning(work)
        try await morning(work)
        return work
    }

    @Test("a run without news does not judge the inbox again, at any later time")
    func nothingNew() async throws {
        let work = try await quiet()
        #expect(try await !morning(work))
        #expect(try await !morning(work, at: Workplace.tuesday + 2 * Self.day))
    }

    @Test("mail, marks, tasks, rules, lists and settings cause a new judgement")
    func changes() async throws {
        let work = try await quiet()
        let changes: [(String, () throws -> Void)] = [
            ("mail", { try work.deliver("Dinner") }),
            ("a mark", { _ = try work.client.setFlags(.inbox, unique: "100.Lunch", add: [.seen]) }),
            ("mail of the user", { try work.deliver("Sent", to: MailboxName("Sent")) }),
            ("a task", { try work.edit("question") { $0.replacing("Answer", with: "Reply to") } }),
            ("a rule", { try work.write(Self.rules + "# later\n", to: "rules/10.yaml") }),
            ("settings", { try work.write(work.read("opus.yaml") + "# later\n", to: "opus.yaml") }),
        ]
        for (name, change) in changes {
            try change()
            #expect(try await morning(work), "\(name)")
            try await morning(work)
            #expect(try await !morning(work), "after \(name)")
        }
    }

    @Test("an answer that rules leave alone is judged again when its task is done")
    func awaitedAnswer() async throws {
        let rules = """
            rules-version: 1
            rules:
              - { id: ask, mailboxes: [Sent], when: subject:question, then: waiting }
              - { id: file, when: "from:boss@acme.example", then: archive }

            """
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.deliver(
            SampleMail(subject: "question", from: "ana@acme.example", to: "boss@acme.example"),
            to: MailboxName("Sent"))
        try await morning(work)
        try work.deliver(
            SampleMail(
                subject: "Re: question", from: "boss@acme.example", answers: "question",
                date: Workplace.tuesday - 60),
            to: .inbox)
        try await morning(work)
        try await morning(work)
        #expect(try await !morning(work))
        #expect(try work.names("INBOX").count == 1)
        try work.edit("question") { $0.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED") }
        #expect(try await morning(work))
        #expect(try work.names("INBOX").isEmpty)
    }

    @Test("passing an age limit causes a new judgement at that time, and not before")
    func age() async throws {
        let work = try await quiet()
        try work.deliver("news 1")
        try await morning(work)
        let passes = Workplace.tuesday - 3_600 + 3 * Self.day
        #expect(try await !morning(work, at: passes - 7_200))
        #expect(try work.names("INBOX").contains("news-1"))
        #expect(try await morning(work, at: passes + 7_200))
        #expect(try !work.names("INBOX").contains("news-1"))
    }

    @Test("an earlier clock causes a new judgement")
    func earlier() async throws {
        let work = try await quiet()
        #expect(try await morning(work, at: Workplace.tuesday - 1))
    }

    @Test("a dry run, a query and one rule judge the inbox and leave no note")
    func parts() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Lunch")
        for change: (inout Morning.Options) -> Void in [
            { $0.isDryRun = true }, { $0.rule = "text" },
        ] {
            try await work.with { session in
                var options = Morning.Options()
                options.appliesAll = true
                change(&options)
                var morning = try Morning(session, options, ask: Yes()) { _ in }
                _ = try await morning.run()
                let library = try session.rules.library()
                #expect(try !session.triage.quiet.isQuiet(Workplace.account, library))
            }
        }
    }

    // MARK: Against judging everything

    /// Something that may happen to a mailbox, at random. Returns what it was.
    private func happen(
        _ work: Workplace, _ random: inout SeededGenerator, _ number: Int, _ now: inout Timestamp
    ) async throws -> String {
        let subjects = ["news", "hello", "done", "weekly", "report", "question", "lunch"]
        let subject = "\(subjects[random.below(subjects.count)]) \(number)"
        let inbox = try work.client.list(.inbox)
        let entry = inbox.isEmpty ? nil : inbox[random.below(inbox.count)]
        switch random.below(12) {
        case 0, 1:
            var mail = SampleMail(subject: subject, date: now - Int64(random.below(4)) * Self.day)
            mail.from = ["Bob <bob@acme.example>", "boss@acme.example", "eve@x.example"][random.below(3)]
            if random.below(4) == 0 { mail.text = "This is urgent.\r\n" }
            if random.below(3) == 0 { mail.headers = ["X-Kind: offer"] }
            if random.below(3) == 0 {
                mail.answers = "\(subjects[random.below(7)]) \(random.below(number + 1))"
            }
            try work.deliver(mail, flags: random.below(2) == 0 ? [.seen] : [])
            return "mail \(subject)"
        case 2:
            try work.deliver(
                SampleMail(subject: subject, from: "ana@acme.example", to: "eve@x.example"),
                to: MailboxName("Sent"))
            return "sent \(subject)"
        case 3, 4:
            guard let entry else { return "nothing" }
            let flags: [Set<Flag>] = [[], [.seen], [.flagged], [.seen, .flagged]]
            _ = try work.client.setFlags(
                .inbox, unique: entry.unique, add: flags[random.below(4)], remove: flags[random.below(4)])
            return "marks of \(entry.unique)"
        case 5:
            guard let entry else { return "nothing" }
            try work.client.remove(.inbox, unique: entry.unique)
            return "removed \(entry.unique)"
        case 6:
            try? work.finish("question")
            return "finished"
        case 7:
            now = now + Int64(random.below(4)) * Self.day + Int64(random.below(9_000))
            return "time"
        case 8:
            let text = Self.rules.replacing("age>3d", with: "age>\(1 + random.below(4))d")
            try work.write(text, to: "rules/10.yaml")
            return "rules"
        case 9:
            try await work.with(at: now) { session in
                if let plan = try? session.undo.plan(UndoRequest()) { _ = try await session.undo.apply(plan) }
            }
            return "undo"
        default: return "nothing"
        }
    }

    @Test("an inbox that is not judged has nothing for the rules to do", arguments: 0..<5)
    func random(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        var now = Workplace.tuesday
        var skipped = 0
        for number in 0..<14 {
            let what = try await happen(work, &random, number, &now)
            let time = now
            try await work.with(at: time) { session in
                _ = try await session.sync.account(Workplace.account)
                _ = try await session.follow.taskEdits(for: [Workplace.account], allowMassDelete: true) { _ in
                    .yes
                }
                let library = try session.rules.library()
                let isQuiet = try session.triage.quiet.isQuiet(Workplace.account, library)
                let plan = try session.plan()
                if isQuiet {
                    skipped += 1
                    #expect(plan.isQuiet, "\(seed), \(number), \(what): \(plan.changes)")
                }
            }
            try await morning(work, at: time)
        }
        #expect(skipped > 0)
    }

    @Test("a plan reads only tables whose changes delete the note")
    func tables() async throws {
        let work = try await quiet()
        try work.deliver("hello 1", "report 2", "weekly 3")
        try await work.synced { session in
            let heard = Mutex<Set<String>>([])
            try session.store.file.reading { db in
                db.trace { event in
                    if case .statement(let statement) = event {
                        heard.withLock { _ = $0.insert(statement.sql) }
                    }
                }
            }
            _ = try session.plan()
            let statements = heard.withLock(\.self)
            #expect(statements.contains { $0.contains("FROM placement") })
            // An answer is noted in a task only after it has arrived, and that deletes the note.
            let tables = Set(StoreTable.all.map(\.name)).subtracting(QuietInboxSchema.watches.map(\.table))
                .subtracting(["task_notice"])
            for statement in statements {
                let words = Set(
                    statement.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
                #expect(words.isDisjoint(with: tables), "\(statement)")
            }
        }
    }
}
