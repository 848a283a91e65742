import Models
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
                case .synced: "synced"
                case .interrupted: "interrupted"
                case .leftInterrupted: "left"
                case .finished: "finished"
                case .followed: "followed"
                case .nothingPlanned: "nothing planned"
                case .triage(.planned): "planned"
                case .triage(.declined): "declined"
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

    @Test("syncs, follows task files and triages, each told in order; a second morning is idle")
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

    @Test("a plan that the person does not want changes nothing")
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

    @Test("with appliesAll nothing is asked")
    func appliesAll() async throws {
        let place = try Workplace()
        try place.deliver("invoice 1")
        let ask = ScriptedAsk()
        let result = try await run(place, ask) { $0.appliesAll = true }
        #expect(result.events == ["synced", "followed", "planned", "applied"])
        #expect(ask.asked.isEmpty)
    }

    @Test("a plan that a brake holds is confirmed by a person, whatever was said with the command")
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

    @Test("the limit says how many messages one morning changes")
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

    @Test("the trouble of one account is told, and its code ends the morning")
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

    @Test("what the command allows is not asked: trash and many moves, but never a link")
    func allowed() {
        var options = Morning.Options()
        let question = { FollowQuestion(kind: $0, summary: "Pay", messages: 1) }
        #expect(!options.allows(question(.trash)))
        #expect(!options.allows(question(.many(tasks: 9))))
        options.allowsTrash = true
        options.allowsMassMove = true
        #expect(options.allows(question(.trash)))
        #expect(options.allows(question(.many(tasks: 9))))
        #expect(!options.allows(question(.link(subject: "x"))))
    }

    @Test("a missing rule file is told first")
    func noRules() async throws {
        let place = try Workplace(rules: [:])
        try place.deliver("invoice 1")
        let result = try await run(place, ScriptedAsk())
        #expect(result.events == ["no rules", "synced", "followed", "nothing planned"])
    }
}
