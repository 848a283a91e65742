import Foundation
import MaildirClient
import Models
import TestSupport
import Testing

@testable import Pipeline

/// A watch: what it does by itself with mail, task files and what waits, and what it leaves to others.
@Suite("Watching")
struct WatchingTests {
    private let account = AccountID("work")

    private func watching(
        _ work: Workplace, at now: Timestamp = Workplace.tuesday, isOnce: Bool = false,
        _ body: (Session, Locked<[WatchEvent]>, Task<Void, any Error>) async throws -> Void
    ) async throws {
        try await work.with(at: now) { session in
            let events = Locked<[WatchEvent]>([])
            let watch = Task {
                try await session.watch.account(account, isOnce: isOnce) { event in
                    events.change { $0.append(event) }
                }
            }
            do {
                try await body(session, events, watch)
            } catch {
                watch.cancel()
                _ = await watch.result
                throw error
            }
            watch.cancel()
            _ = await watch.result
        }
    }

    private func listens(_ events: Locked<[WatchEvent]>) async throws {
        _ = try await eventually("the watch listens") {
            events.value.contains { if case .listening("polling") = $0 { true } else { false } } ? true : nil
        }
    }

    // MARK: Maildirs

    @Test("an unchanged Maildir is not read again, and new mail is found")
    func restingMaildir() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        // A sync right after a change is followed by another one.
        try await Task.sleep(for: .seconds(4))
        try await work.with { session in
            let events = Locked<[WatchEvent]>([])
            let synced = { @Sendable in
                events.value.compactMap { if case .synced(let report) = $0 { report.added } else { nil } }
            }
            var watching = session.watch
            watching.maildirPause = .milliseconds(10)
            let watch = Task { [watching] in
                try await watching.account(account) { event in events.change { $0.append(event) } }
            }
            try await listens(events)
            try await Task.sleep(for: .milliseconds(300))
            #expect(synced() == [1])
            try work.deliver("Dinner")
            _ = try await eventually("it is found") { synced().count > 1 ? true : nil }
            #expect(synced().prefix(2) == [1, 1])
            watch.cancel()
            _ = await watch.result
        }
    }

    // MARK: Accounts

    @Test(
        "the watch sends due mail once and removes its draft, and other mail waits"
    )
    func delivers() async throws {
        let work = try Workplace()
        try work.sendsMail()
        try await work.with { session in
            _ = try await session.sync.account(account)
            for (subject, hold) in [("Due", 60), ("Later", 600)] {
                let draft = try await session.written { $0.subject = subject }
                _ = try session.sending.queue([try session.sending.preview(draft.stored)], hold: hold)
            }
        }
        try await watching(work, at: Workplace.tuesday + 60) { session, events, _ in
            try await listens(events)
            #expect(events.value.contains { if case .delivered = $0 { true } else { false } })
            #expect(try session.outbox.list(account: nil).map(\.subject) == ["Later"])
            #expect(try session.drafts.list(account: nil).map(\.subject) == ["Later"])
        }
        #expect(try work.departures().map { $0.text.contains("Subject: Due") } == [true])
        #expect(try work.texts("Sent").count == 1)
    }

    @Test("a watch without auto applies no rule")
    func noRules() async throws {
        let work = try Workplace()
        try work.deliver("invoice 1")
        try await watching(work) { session, events, _ in try await listens(events) }
        #expect(try work.names("INBOX") == ["invoice-1"])
        #expect(try work.taskFiles("invoice").isEmpty)
    }

    @Test("a watch until the first change ends with the sync that found it, not with the first sync")
    func once() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        try await watching(work, isOnce: true) { session, events, watch in
            try await listens(events)
            try work.deliver("Dinner")
            try await watch.value
            #expect(
                try session.messages.list(account: nil, folder: nil, everywhere: false, matching: nil).count
                    == 2)
            let added = events.value.compactMap { event -> Int? in
                if case .synced(let report) = event { report.added } else { nil }
            }
            #expect(added == [1, 1])
        }
    }

    @Test("a watch pauses while another command changes the workspace")
    func waitsForLock() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        let events = Locked<[WatchEvent]>([])
        let reader = try Session.open(work.options(), .reading)
        var watch: Task<Void, any Error>?
        try await work.with { _ in
            watch = Task {
                try await reader.watch.account(account) { event in events.change { $0.append(event) } }
            }
            try await Task.sleep(for: .milliseconds(300))
            #expect(events.value.isEmpty)
        }
        try await listens(events)
        watch?.cancel()
        _ = await watch?.result
        reader.close()
    }

    @Test("an account whose settings are wrong ends its own watch only")
    func endedAccount() async throws {
        let work = try Workplace()
        try work.configure("  - name: away\n    address: ana@away.example\n    maildir: Missing")
        try await work.with { session in
            let events = Locked<[String]>([])
            let watch = Task {
                await session.watch.all(try session.accounts.ids(named: nil), isOnce: false) { event in
                    switch event {
                    case .account(let id, .listening): events.change { $0.append("listening \(id)") }
                    case .ended(let id, let problem):
                        events.change { $0.append("ended \(id) \(problem.code)") }
                    case .account, .tasks: break
                    }
                }
            }
            _ = try await eventually("both were reported") { events.value.count >= 2 ? true : nil }
            #expect(events.value.sorted() == ["ended away maildir", "listening work"])
            watch.cancel()
            let problems = try await watch.value
            #expect(problems.map(\.code) == ["maildir"])
        }
    }

    // MARK: Notices

    private static let telling = """
        rules-version: 1
        rules:
          - id: tell
            when: subject:urgent
            then:
              - notify: 'Urgent: {{subject}}'
        """

    @Test("a notice of a rule is reported once, only for new mail, and applies nothing")
    func notices() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.telling])
        try work.deliver("urgent old")
        try await work.with { session in
            _ = try await session.sync.account(account)
            var notices = try WatchNotices(
                loader: session.watch.loader, surroundings: session.watch.surroundings,
                try session.accounts.require(account))
            #expect(try notices.news().isEmpty)
            try work.deliver("urgent new", "Lunch")
            _ = try await session.sync.account(account)
            let id = try session.id(of: "urgent new")
            #expect(try notices.news() == ["Urgent: urgent new  (opus show \(id))"])
            #expect(try notices.news().isEmpty)
            #expect(try !session.journal.hasRunOnMail())
        }
        let report = try await work.run()
        #expect(report.failures.isEmpty)
    }

    @Test("mail of the first sync is not reported, and rules with errors report nothing")
    func noNews() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.telling])
        try work.deliver("urgent 1")
        try await work.with { session in
            let own = try session.accounts.require(account)
            var notices = try WatchNotices(
                loader: session.watch.loader, surroundings: session.watch.surroundings, own)
            _ = try await session.sync.account(account)
            #expect(try notices.news().isEmpty)
            try work.write("rules-version: 1\nrules: [ broken\n", to: "rules/20.yaml")
            try work.deliver("urgent 2")
            _ = try await session.sync.account(account)
            #expect(try notices.news().isEmpty)
        }
    }

    // MARK: Task files

    private func watchingTasks(
        _ work: Workplace, _ body: (Session, Locked<[TaskWatchEvent]>) async throws -> Void
    ) async throws {
        try await work.with { session in
            let events = Locked<[TaskWatchEvent]>([])
            let watch = Task {
                try await session.watch.tasks(of: [account]) { event in events.change { $0.append(event) } }
            }
            do {
                try await body(session, events)
            } catch {
                watch.cancel()
                _ = await watch.result
                throw error
            }
            watch.cancel()
            _ = await watch.result
        }
    }

    private func followed(_ events: Locked<[TaskWatchEvent]>) -> [FollowReport] {
        events.value.compactMap { if case .followed(let report) = $0 { report } else { nil } }
    }

    @Test(
        "mail moves soon after its task file is completed, and an unchanged folder is not reported")
    func taskFiles() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        try await watchingTasks(work) { _, events in
            try await Task.sleep(for: .milliseconds(300))
            #expect(events.value.isEmpty)
            try work.finish("question")
            _ = try await eventually("the mail followed") {
                try work.texts("Archive").isEmpty ? nil : true
            }
            _ = try await eventually("it was reported") { followed(events).isEmpty ? nil : true }
            #expect(
                followed(events).flatMap(\.lines) == [
                    "task “Answer A question” is done: its mail goes to the archive"
                ])
        }
    }

    @Test(
        "tasks of an account that becomes unreachable while they wait for the lock are left to its own round")
    func unreachableMeanwhile() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        try work.finish("question")
        try await work.with { session in
            var watching = session.watch
            watching.lock = WorkspaceLock(path: work.root + "/lock", isHeld: false)
            var other: StateLock? = try StateLock.take(path: work.root + "/lock")
            let (isReachable, followed) = (Locked(true), Locked(0))
            let news = TaskNews(note: { _ in followed.change { $0 += 1 } }) { _ in }
            let watch = Task { [watching] in
                try await watching.tasks(of: [account], news, isReachable: { _ in isReachable.value })
            }
            try await Task.sleep(for: .milliseconds(300))
            isReachable.change { $0 = false }
            withExtendedLifetime(other) {}
            other = nil
            _ = try await eventually("the folder was read") { followed.value > 0 ? true : nil }
            watch.cancel()
            _ = await watch.result
            #expect(try work.texts("Archive").isEmpty)
        }
    }

    @Test("an unreadable file is reported once, even if the folder is read again")
    func malformedOnce() async throws {
        let work = try Workplace()
        try work.writeTask("one", "one")
        try await watchingTasks(work) { session, events in
            try work.write("BEGIN:VCALENDAR\r\nnonsense", to: "tasks/next/broken.ics")
            _ = try await eventually("it was reported") {
                followed(events).contains { !$0.malformed.isEmpty } ? true : nil
            }
            try work.writeTask("two", "two")
            try await Task.sleep(for: .milliseconds(1_500))
            #expect(followed(events).filter { !$0.malformed.isEmpty }.count == 1)
        }
    }

    @Test("a missing task folder is reported once, moves no mail, and stops nothing else")
    func goneFolder() async throws {
        let work = try Workplace()
        for number in 1...12 { try work.deliver("A question \(number)") }
        try await work.run()
        try await watchingTasks(work) { _, events in
            try FileManager.default.moveItem(atPath: work.root + "/tasks/next", toPath: work.root + "/gone")
            _ = try await eventually("it was reported") { events.value.isEmpty ? nil : true }
            try work.writeTask("other", "other", list: "inbox")
            try await Task.sleep(for: .milliseconds(1_500))
            let stops = events.value.filter { if case .stopped = $0 { true } else { false } }
            #expect(stops.count == 1)
            #expect(try work.names("INBOX").count == 12)
        }
    }
}
