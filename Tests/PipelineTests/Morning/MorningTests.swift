import Models
import Rules
import Synchronization
import Testing

@testable import Pipeline

@Suite("Morning")
struct MorningTests {
    private static let work = AccountID("work")

    /// Answers from a list, in order, and remembers what was asked.
    private final class ScriptedAsk: Ask {
        let isAttended: Bool
        private let answers: Mutex<[Answer]>
        private let questions = Mutex<[String]>([])

        init(_ answers: Answer..., isAttended: Bool = true) {
            self.answers = Mutex(answers)
            self.isAttended = isAttended
        }

        var asked: [String] { questions.withLock(\.self) }

        func answer(_ question: Question) -> Answer {
            let name =
                switch question {
                case .finish: "finish"
                case .apply: "apply"
                case .confirm: "confirm"
                case .follow: "follow"
                case .archiveBacklog: "archive"
                }
            questions.withLock { $0.append(name) }
            return answers.withLock { $0.isEmpty ? .later : $0.removeFirst() }
        }
    }

    /// The names of what happened, without progress.
    private final class Events: Sendable {
        private let all = Mutex<[String]>([])

        var names: [String] { all.withLock(\.self) }

        func note(_ event: MorningEvent) {
            let name: String? =
                switch event {
                case .syncing: nil
                case .noRules: "no rules"
                case .brokenRules: "broken rules"
                case .synced: "synced"
                case .interrupted: "interrupted"
                case .leftInterrupted: "left"
                case .finished: "finished"
                case .followed: "followed"
                case .ordered: "ordered"
                case .wouldScreen, .screened: "screened"
                case .wouldBundle, .bundled: "bundled"
                case .nothingPlanned: "nothing planned"
                case .previewed: "previewed"
                case .triage(.planned): "planned"
                case .triage(.declined): "declined"
                case .triage(.leftUndecided): "left undecided"
                case .triage(.skipped(let messages)): "skipped \(messages.count)"
                case .triage(.applied): "applied"
                case .failed(let problem): "failed \(problem.code)"
                }
            if let name { all.withLock { $0.append(name) } }
        }
    }

    private func run(
        _ place: Workplace, _ ask: ScriptedAsk, at now: Timestamp = Workplace.tuesday,
        _ change: (inout Morning.Options) -> Void = { _ in }
    ) async throws -> (report: MorningReport, events: [String]) {
        var options = Morning.Options()
        change(&options)
        let events = Events()
        var result = MorningReport()
        try await place.with(at: now) { session in
            var morning = try Morning(session, options, ask: ask) { events.note($0) }
            result = try await morning.run()
        }
        return (result, events.names)
    }

    @Test(
        "a morning syncs, follows task files and triages in this order, and a second one changes nothing"
    )
    func order() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1", "question 2")
        let ask = ScriptedAsk(.yes)
        let first = try await run(place, ask)
        #expect(first.events == ["synced", "followed", "planned", "skipped 0", "applied"])
        #expect(ask.asked == ["apply"])
        #expect(first.report.exit == .done)
        #expect(!first.report.isIdle)
        let second = try await run(place, ask)
        #expect(second.report.isIdle)
        #expect(second.report.later.isEmpty)
        #expect(ask.asked == ["apply"])
    }

    @Test("a plan that the user declines changes nothing")
    func declined() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1")
        for answer in [Answer.no, .later] {
            let result = try await run(place, ScriptedAsk(answer))
            #expect(result.events.suffix(2) == ["planned", "declined"])
            #expect(result.report.runs.allSatisfy { $0.didNothing })
            #expect(result.report.exit == .done)
        }
        #expect(try place.names("INBOX") == ["invoice-1"])
    }

    @Test("a dry run shows the plan, task files and returning mail, and changes nothing")
    func dryRun() async throws {
        let place = try Workplace()
        try place.deliver("weekly 1")
        _ = try await run(place, ScriptedAsk(.yes))
        try place.deliver("invoice 2")
        let later = Workplace.tuesday + 2 * Workplace.day
        let dry = try await run(place, ScriptedAsk(), at: later) { $0.isDryRun = true }
        #expect(dry.events == ["synced", "followed", "previewed"])
        #expect(dry.report.follow?.returned.map(\.subject) == ["weekly 1"])
        #expect(dry.report.plans.map { PlanTotals($0).tasks } == [1] && !dry.report.isIdle)
        #expect(try place.names("INBOX") == ["invoice-2"] && place.taskFiles("invoice").isEmpty)
        let real = try await run(place, ScriptedAsk(), at: later) { $0.appliesAll = true }
        #expect(real.report.follow?.returned.map(\.subject) == ["weekly 1"])
        #expect(try place.names("Archive") == ["invoice-2"])
    }

    @Test("a query and a rule narrow the triage")
    func narrowed() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1", "invoice 2", "question 3")
        let one = try await run(place, ScriptedAsk()) {
            $0.appliesAll = true
            $0.rule = "ask"
        }
        #expect(one.report.exit == .done)
        #expect(try place.names("INBOX").count == 3 && place.taskFiles("question").count == 1)
        let query = try Query.parse("subject:2", rules: .empty).get()
        _ = try await run(place, ScriptedAsk()) {
            $0.appliesAll = true
            $0.query = query
        }
        #expect(try place.names("INBOX") == ["invoice-1", "question-3"])
        await #expect(throws: Problem.self) { _ = try await run(place, ScriptedAsk()) { $0.rule = "pey" } }
    }

    @Test("with --yes no question is asked")
    func appliesAll() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1")
        let ask = ScriptedAsk()
        let result = try await run(place, ask) { $0.appliesAll = true }
        #expect(result.events == ["synced", "followed", "planned", "applied"])
        #expect(ask.asked.isEmpty)
    }

    @Test("the user confirms a plan beyond the brakes, whatever the command allows")
    func brake() async throws {
        let place = try Workplace()
        let settings = try place.read("opus.yaml")
        try place.write(settings + "brakes: { count: 2, share: 10 }\n", to: "opus.yaml")
        try place.deliver("invoice 1", "invoice 2", "invoice 3")
        let refusing = ScriptedAsk(.no)
        let refused = try await run(place, refusing) { $0.appliesAll = true }
        #expect(refusing.asked == ["confirm"])
        #expect(refused.events.last == "failed brake")
        #expect(refused.report.exit == .someFailed)
        #expect(!refused.report.isTriaged)
        let agreeing = ScriptedAsk(.yes)
        let agreed = try await run(place, agreeing) { $0.appliesAll = true }
        #expect(agreeing.asked == ["confirm"])
        #expect(agreed.events.suffix(2) == ["skipped 0", "applied"])
        #expect(agreed.report.exit == .done)
    }

    @Test("--limit limits the number of messages that a morning changes")
    func limit() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1", "invoice 2", "invoice 3")
        let ask = ScriptedAsk()
        let first = try await run(place, ask) {
            $0.appliesAll = true
            $0.limit = .most(2)
        }
        // A task and a move each.
        #expect(first.report.runs.flatMap(\.drain.confirmed).count == 4)
        let second = try await run(place, ask) { $0.appliesAll = true }
        #expect(second.report.runs.flatMap(\.drain.confirmed).count == 2)
    }

    @Test("the problem of one account is reported, and sets the exit code")
    func failure() async throws {
        let place = try Workplace()
        let settings = try place.read("opus.yaml")
        try place.write(
            settings + "  - name: away\n    address: ana@away.example\n    maildir: /proc/none\n",
            to: "opus.yaml")
        try place.deliver("invoice 1")
        let result = try await run(place, ScriptedAsk()) { $0.appliesAll = true }
        #expect(result.events.first == "synced")
        #expect(result.events.dropFirst().first?.hasPrefix("failed ") == true)
        #expect(result.events.last == "applied")
        #expect(result.report.exit == result.report.failure?.exit)
        #expect(result.report.exit != .done)
    }

    @Test("options answer the questions about trash and many moves, but not about links")
    func allowed() {
        var options = Morning.Options()
        let question = { FollowQuestion(kind: $0, summary: "Pay", messages: 1) }
        #expect(!options.agrees(to: question(.trash)))
        #expect(!options.agrees(to: question(.many(tasks: 9))))
        options.allowsTrash = true
        options.allowsMassMove = true
        #expect(options.agrees(to: question(.trash)))
        #expect(options.agrees(to: question(.many(tasks: 9))))
        #expect(!options.agrees(to: question(.link(subject: "x"))))
    }

    @Test("a missing rule file is reported first")
    func noRules() async throws {
        let place = try Workplace(rules: [:])
        try place.deliver("invoice 1")
        let result = try await run(place, ScriptedAsk())
        #expect(result.events == ["no rules", "synced", "followed", "nothing planned"])
    }

    // MARK: Interrupted runs

    private func interrupted() async throws -> Workplace {
        let place = try Workplace(rules: ["10.yaml": "rules-version: 1\nrules: []\n"])
        try place.deliver("Lunch")
        try await place.with { session in
            _ = try await session.sync.account(Self.work)
            try session.leaveRun(archiving: "Lunch")
        }
        return place
    }

    @Test("an interrupted run continues only after a yes, and each morning asks until then")
    func interruptedRun() async throws {
        let place = try await interrupted()
        for answer in [Answer.no, .later] {
            let ask = ScriptedAsk(answer)
            let result = try await run(place, ask)
            #expect(ask.asked == ["finish"])
            #expect(result.events == ["synced", "interrupted", "left", "followed", "nothing planned"])
            #expect(try place.names("INBOX") == ["Lunch"])
        }
        let result = try await run(place, ScriptedAsk(.yes))
        #expect(result.events.prefix(3) == ["synced", "interrupted", "finished"])
        #expect(try place.names("Archive") == ["Lunch"])
        #expect(try await run(place, ScriptedAsk()).report.isIdle)
    }

    @Test("with --yes an interrupted run is finished once, without a question")
    func interruptedRunUnattended() async throws {
        let place = try await interrupted()
        let ask = ScriptedAsk(isAttended: false)
        let result = try await run(place, ask) { $0.appliesAll = true }
        #expect(ask.asked.isEmpty && result.events.contains("finished"))
        #expect(try place.names("Archive") == ["Lunch"])
        #expect(try await run(place, ask) { $0.appliesAll = true }.events.contains("interrupted") == false)
    }

    // MARK: Questions about task files

    private func finished() async throws -> Workplace {
        let place = try Workplace()
        try place.configure("tasks: { when-done: trash }")
        try place.deliver("A question")
        try await place.run()
        try place.finish("question")
        return place
    }

    @Test("mail of completed tasks moves to the trash after an answer or by option")
    func trash() async throws {
        let place = try await finished()
        let ask = ScriptedAsk(.later)
        let held = try await run(place, ask)
        #expect(ask.asked == ["follow"])
        #expect(held.report.follow?.held.count == 1 && !held.report.isIdle)
        #expect(try place.names("INBOX") == ["A-question"])
        let unasked = ScriptedAsk()
        _ = try await run(place, unasked) { $0.allowsTrash = true }
        #expect(unasked.asked.isEmpty)
        #expect(try place.names("Trash") == ["A-question"])
    }

    @Test("an unreadable task file ends the morning with an error, after everything else is done")
    func malformed() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1")
        try place.write("BEGIN:VCALENDAR\r\nnonsense", to: "tasks/next/broken.ics")
        let result = try await run(place, ScriptedAsk()) { $0.appliesAll = true }
        #expect(result.report.exit == .someFailed)
        #expect(result.report.malformed.first?.hasPrefix("tasks/next/broken.ics:") == true)
        #expect(try place.names("Archive") == ["invoice-1"])
    }

    @Test("mail of completed tasks beyond the brake ends the morning with an error")
    func braked() async throws {
        let place = try Workplace()
        try place.configure("brakes: { share: 50, count: 2 }")
        for number in 1...3 { try place.deliver("question \(number)") }
        try await place.run()
        for number in 1...3 { try place.finish("question \(number)") }
        let held = try await run(place, ScriptedAsk(.no))
        #expect(held.report.exit == .someFailed && held.report.follow?.isBraked == true)
        #expect(try place.names("INBOX").count == 3)
        let done = try await run(place, ScriptedAsk()) { $0.allowsMassMove = true }
        #expect(done.report.exit == .done)
        #expect(try place.names("Archive").count == 3)
    }

    @Test(
        "only the named account is processed, and an unknown account ends the morning at the start"
    )
    func oneAccount() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1")
        await #expect(throws: Problem.self) {
            _ = try await run(place, ScriptedAsk()) {
                $0.account = "home"
                $0.appliesAll = true
            }
        }
        #expect(try place.names("INBOX") == ["invoice-1"])
        let result = try await run(place, ScriptedAsk()) {
            $0.account = "work"
            $0.appliesAll = true
        }
        #expect(result.report.syncs.count == 1 && result.report.exit == .done)
    }
}
