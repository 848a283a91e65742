import DialectServer
import MailStore
import Models
import Synchronization
import TaskStore
import Testing

/// One cell of the matrix: at the n-th command of a kind, the answer is cut off at a place, in a way.
struct MatrixCell: CustomStringConvertible, Sendable {
    var command: String
    var occurrence: Int
    var cut: Cut

    var description: String { "\(command) #\(occurrence + 1): \(cut)" }

    var fault: Fault { Fault(.cut(cut), at: command, skipping: occurrence) }

    static let places: [Cut.Place] = [
        .beforeDoing, .afterDoing, .afterOctets(1), .afterOctets(17), .insideLiteral, .afterUntagged,
        .afterTagged,
    ]

    /// Every command kind that was heard, at its first, second and last time, times place, times ending.
    static func all(of heard: [HeardCommand]) -> [MatrixCell] {
        var counts: [String: Int] = [:]
        for command in heard { counts[command.name, default: 0] += 1 }
        if heard.contains(where: { $0.name == "APPEND" && !$0.rest.contains("+}") }) {
            counts["{literal}"] = 1
        }
        return counts.sorted { $0.key < $1.key }.flatMap { name, count in
            Set([0, min(1, count - 1), count - 1]).sorted().flatMap { occurrence in
                places.flatMap { place in
                    Cut.Ending.allCases.map {
                        MatrixCell(command: name, occurrence: occurrence, cut: Cut(place, $0))
                    }
                }
            }
        }
    }
}

/// A batch of everything on one account, a fault in its middle, and what must be true when all is quiet again.
struct FaultMatrix {
    let profile: DialectProfile

    static let kept = "stays"
    private static let foreign = "foreign"

    /// What the batch met without a fault.
    func heardWithoutFault() async throws -> [HeardCommand] {
        let world = try await prepared()
        world.server.clearTranscript()
        try await session(world)
        let heard = world.server.transcript
        await world.close()
        return heard
    }

    /// - Returns: what went wrong, in words; empty when all is well.
    func play(_ cell: MatrixCell) async throws -> [String] {
        let world = try await prepared()
        world.server.arm(cell.fault)
        world.patience.withLock { $0 = .milliseconds(250) }
        try? await session(world)
        let wasMet = !world.server.isArmed
        world.server.disarm()
        world.patience.withLock { $0 = .seconds(60) }
        await world.disconnect()
        for _ in 1...7 {
            try? await session(world)
            await world.disconnect()
            if try !isOpen(world) { break }
        }
        var problems = try await problems(world)
        if !wasMet { problems.append("the fault was never met") }
        world.server.clearTranscript()
        try await session(world)
        problems += world.server.transcript.filter(Self.changes).map { "the next run said \($0)" }
        problems += world.server.violations
        await world.close()
        return problems
    }

    private func prepared() async throws -> DialectWorld {
        let world = try await DialectWorld(profile)
        world.server.act { model in
            for number in 1...7 { model.deliver(TestMail.plain("in-\(number)")) }
            model.deliver(TestMail.plain(Self.kept), flags: ["\\Seen"])
            if !profile.isGmail { model.deliver(TestMail.plain(Self.foreign), flags: ["\\Deleted"]) }
        }
        try await world.sync()
        try world.queue(try steps(world))
        world.server.act { model in
            for number in 1...3 { model.deliver(TestMail.plain("late-\(number)")) }
        }
        await world.disconnect()
        return world
    }

    private func steps(_ world: DialectWorld) throws -> [Step] {
        let archive = try archiveMailbox(world)
        let drafts = try #require(
            try world.store.sync.mailboxes(of: world.account).first { $0.role == .drafts })
        let name = profile.prefix + "New"
        let fresh = Mailbox(account: world.account, name: MailboxName(name), displayName: name)
        let (asked, _) = try world.key("in-5")
        var steps = [
            try world.mark("in-1", add: [.flagged, .seen]),
            try world.mark("in-2", words: [Keyword("waiting")]),
            Step(
                idempotencyKey: "task", message: asked, cause: .rule("test"),
                kind: .createTodo(Todo(id: TodoID("asked"), list: .next, summary: "asked"))),
            Step(
                idempotencyKey: "draft", message: asked, cause: .rule("test"),
                kind: .append(
                    to: drafts, message: TestMail.plain("draft"), flags: [.draft, .seen],
                    token: MessageID("draft@x.example"))),
        ]
        for name in ["in-3", "in-4", "in-5"] { steps.append(try world.move(name, to: archive)) }
        steps += [try world.move("in-6", to: fresh), try world.move("in-7", to: fresh)]
        return steps
    }

    /// One run of the program: it reads, then it acts. The next one is twenty minutes later.
    private func session(_ world: DialectWorld) async throws {
        do {
            try await world.sync(later: 1_200)
        } catch {
            // As the program does: what cannot be read now does not keep the journal from being worked on.
            await world.disconnect()
        }
        try await world.drain()
    }

    private func isOpen(_ world: DialectWorld) throws -> Bool {
        try finalSteps(world).contains { $0.state.isOpen }
    }

    private func finalSteps(_ world: DialectWorld) throws -> [Step] {
        try world.store.runs.runs(limit: 10).flatMap { try world.store.runs.run($0.id)?.steps ?? [] }
    }

    private static func changes(_ command: HeardCommand) -> Bool {
        ["UID STORE", "UID COPY", "UID MOVE", "UID EXPUNGE", "APPEND", "CREATE"].contains(command.name)
    }

    // MARK: The oracle

    private func problems(_ world: DialectWorld) async throws -> [String] {
        var problems: [String] = []
        for step in try finalSteps(world) {
            if step.state.isOpen { problems.append("stuck: \(words(step))") }
            if case .move(let key, let destination) = step.kind {
                let subject = try subject(of: key, step)
                let there = places(of: subject, world)
                let target = destination.name.description
                switch step.state {
                case .confirmed where there == [target]: break
                case .rejected where there == ["INBOX"], .cancelled where there == ["INBOX"]: break
                case .needsDecision where !there.isEmpty && Set(there).isSubset(of: ["INBOX", target]): break
                default: problems.append("\(subject) is in \(there), and: \(words(step))")
                }
            }
            if [.rejected, .needsDecision].contains(step.state), step.error == nil {
                problems.append("no reason: \(words(step))")
            }
        }
        problems += try marksProblems(world)
        let files = try world.tasks.scan(known: [], now: Timestamp(seconds: 1), allowMassDelete: true).files
        if files.map(\.todo.summary) != ["asked"] { problems.append("tasks: \(files.map(\.path))") }
        let drafts = places(of: "draft", world)
        let draft = try finalSteps(world).first { $0.idempotencyKey == "draft" }
        if drafts.count != 1, draft?.state == .confirmed || drafts.count > 1 {
            problems.append("\(drafts.count) drafts, and: \(draft.map(words) ?? "")")
        }
        return problems
    }

    private func marksProblems(_ world: DialectWorld) throws -> [String] {
        var problems: [String] = []
        let held = world.server.model.places(in: ["INBOX"])
        func marks(_ subject: String) -> [[String]] { held.filter { $0.subject == subject }.map(\.marks) }
        for (subject, wanted) in [(Self.kept, ["\\seen"]), ("late-1", [])] where marks(subject) != [wanted] {
            problems.append("\(subject) has \(marks(subject))")
        }
        if !profile.isGmail, marks(Self.foreign) != [["\\deleted"]] {
            problems.append("what somebody else marked has \(marks(Self.foreign))")
        }
        for step in try finalSteps(world) where step.state == .confirmed {
            guard case .store(_, let flags, _, let keywords, _) = step.kind else { continue }
            let subject = flags.isEmpty ? "in-2" : "in-1"
            let wanted = flags.isEmpty ? keywords.map { $0.rawValue.lowercased() } : ["\\flagged", "\\seen"]
            if !profile.isGmail || !flags.isEmpty, marks(subject) != [wanted] {
                problems.append("\(subject) has \(marks(subject)), and: \(words(step))")
            }
        }
        return problems
    }

    private func subject(of key: MessageKey, _ step: Step) throws -> String {
        String(step.idempotencyKey.split(separator: " ")[1])
    }

    private func words(_ step: Step) -> String {
        "\(step.idempotencyKey): \(step.state.rawValue) \(step.error ?? "") \(step.proof?.sentence ?? "")"
    }
}
