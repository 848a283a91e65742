import DialectServer
import Foundation
import MailStore
import Models
import Planner
import Synchronization
import TaskStore
import TestSupport
import Testing

@testable import Pipeline

/// Random batches in every dialect that can move: done, then undone, and the account is as it was before.
///
/// `OPUS_UNDO_BATCHES` says how many batches are played (25), `OPUS_RANDOM_SEED` where the seeds begin.
@Suite struct UndoBatchTests {
    @Test func `undoing a random batch restores the account and the task folder`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["OPUS_UNDO_BATCHES"].flatMap(Int.init) ?? 25
        let start = environment["OPUS_RANDOM_SEED"].flatMap(UInt64.init) ?? 1
        let folder = DialectWorld.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await DialectServer.start(.plain)
        let store = try Store.open(path: folder + "/store.sqlite")
        var changed = 0
        var failures = 0
        for index in 0..<count {
            let seed = start + UInt64(index)
            var batch = UndoBatch(
                seed: seed, server: server, store: store, tasks: TaskFiles(root: folder + "/tasks-\(seed)"))
            if let trouble = try await batch.play() {
                failures += 1
                Issue.record("OPUS_RANDOM_SEED=\(seed) OPUS_UNDO_BATCHES=1 (\(batch.profile)): \(trouble)")
            }
            changed += batch.changes
        }
        store.close()
        await server.stop()
        Figure.note("undo", "\(changed) changes", points: count, failures: failures)
        #expect(changed > count * 5, "batches that change nothing prove nothing")
    }
}

/// One batch: what we do, what another client does meanwhile, and what must be true after the undo.
private struct UndoBatch {
    let profile: DialectProfile
    /// Steps that were proven before they were undone.
    private(set) var changes = 0
    private let world: DialectWorld
    private let isInterfered: Bool
    private var numbers: SeededGenerator

    private static let profiles = DialectProfile.all.filter(canMove)

    init(seed: UInt64, server: DialectServer, store: Store, tasks: TaskFiles) {
        numbers = SeededGenerator(seed: seed)
        profile = Self.profiles[Int(seed % UInt64(Self.profiles.count))]
        isInterfered = Int.random(in: 0..<3, using: &numbers) == 0
        server.reset(to: profile)
        world = DialectWorld(AccountID("undo\(seed)"), at: server, store: store, tasks: tasks)
    }

    private var server: DialectServer { world.server }

    /// nil when all is well; otherwise what is not.
    mutating func play() async throws -> String? {
        deliver()
        try await world.sync()
        let before = truth()
        let run = try await apply(try plan())
        let done = truth()
        let files = try taskFiles()
        let others = isInterfered ? try interfere(with: run) : [:]
        if let trouble = try await undo(run) { return "undo: " + trouble }
        var expected = before
        for (subject, mark) in others {
            expected = expected.map { $0.subject == subject ? $0.with(mark) : $0 }
        }
        let comparison = PlaceComparison(held: truth(), truth: expected)
        guard comparison.isEqual else { return "after the undo: \(comparison)" }
        guard try taskFiles().isEmpty else { return "task files are left" }
        guard try world.comparison().isEqual else { return "the store: \(try world.comparison())" }
        if !isInterfered, Int.random(in: 0..<3, using: &numbers) == 0 {
            guard let undo = try world.store.runs.runs(limit: 1).first?.id, undo != run else { return nil }
            if let trouble = try await self.undo(undo) { return "redo: " + trouble }
            let comparison = PlaceComparison(held: truth(), truth: done)
            guard comparison.isEqual else { return "after the redo: \(comparison)" }
            guard try taskFiles() == files else { return "the task files are others" }
        }
        await world.disconnect()
        return server.violations.isEmpty ? nil : "forbidden: \(server.violations)"
    }

    // MARK: Before

    /// Most of it into the inbox, some into another mailbox, and now and then a second copy of the same.
    private mutating func deliver() {
        var numbers = numbers
        let count = Int.random(in: 4...9, using: &numbers)
        let isGmail = profile.isGmail
        server.act { model in
            let others = model.mailboxes.filter { $0.isSelectable && $0.name != "INBOX" && Self.isPlain($0) }
            for number in 1...count {
                var flags: Set<String> = []
                if Bool.random(using: &numbers) { flags.insert("\\Seen") }
                if Int.random(in: 0..<4, using: &numbers) == 0 { flags.insert("\\Flagged") }
                let isElsewhere = Int.random(in: 0..<4, using: &numbers) == 0
                let other = others.randomElement(using: &numbers)?.name ?? "INBOX"
                let box = isElsewhere ? other : "INBOX"
                model.deliver(TestMail.plain("m\(number)"), to: box)
                let uid = model.messages(box).last?.uid ?? 0
                model.changeFlags([uid], in: box, add: flags)
                if !isGmail, Int.random(in: 0..<6, using: &numbers) == 0 {
                    model.copy([uid], from: box, to: box)
                }
            }
        }
        self.numbers = numbers
    }

    /// Without a role of its own, whatever its server calls that.
    private static func isPlain(_ mailbox: MailModel.Mailbox) -> Bool {
        let roles = [
            "\\All", "\\Drafts", "\\Sent", "\\Junk", "\\Trash", "\\Flagged", "\\Important", "\\Archive",
        ]
        return roles.allSatisfy { !mailbox.attributes.contains($0) }
    }

    /// Every place of every message with its marks, as the server has it.
    private func truth() -> [Place] {
        let model = server.model
        return model.places(in: Set(model.mailboxes.filter(\.isSelectable).map(\.name)))
    }

    private func taskFiles() throws -> [String] {
        try world.tasks.scan(known: [], now: Timestamp(seconds: 0), allowMassDelete: true).files.map(\.digest)
            .sorted()
    }

    // MARK: What we do

    private func context() throws -> StepContext {
        let known = try world.store.sync.mailboxes(of: world.account)
        var roles: [MailboxRole: Mailbox] = [:]
        for role in MailboxRole.allCases { roles[role] = StepContext.mailbox(for: role, among: known) }
        var context = StepContext(
            account: world.account, inbox: try world.mailbox("INBOX"), mailboxes: roles,
            now: Timestamp(seconds: 1_750_000_000), timeZone: "Europe/Paris")
        context.token = "\(try world.store.runs.runs(limit: 1).first?.id.rawValue ?? 0)"
        return context
    }

    private mutating func plan() throws -> Plan {
        let now = Timestamp(seconds: 1_750_000_000)
        var plan = Plan(account: world.account, now: now, timeZone: "Europe/Paris", origin: .hand)
        let all = try world.store.messages.facts(.everything(world.account)).filter {
            $0.mailbox.role != .all
        }
        for facts in all.sorted(by: { ($0.key.mailbox, $0.key.uid) < ($1.key.mailbox, $1.key.uid) }) {
            var item = Plan.Item(
                message: facts.id, key: facts.key, thread: facts.thread, subject: facts.subject,
                date: facts.date)
            item.messageID = facts.messageID
            item.flags = facts.flags
            item.keywords = facts.keywords
            item.decisions = try decisions()
            plan.items.append(item)
        }
        return plan
    }

    private mutating func decisions() throws -> [Plan.Decision] {
        var actions: [Action] = []
        if Int.random(in: 0..<3, using: &numbers) == 0 { actions.append(.task(TodoDraft(summary: "Do it"))) }
        if Int.random(in: 0..<3, using: &numbers) == 0 {
            actions.append([.flag, .unflag].randomElement(using: &numbers) ?? .flag)
        }
        if Bool.random(using: &numbers) { actions.append(.mark(read: Bool.random(using: &numbers))) }
        if !profile.isGmail, Int.random(in: 0..<4, using: &numbers) == 0 {
            actions.append(.label(Keyword("todo")))
        }
        // A view such as Gmail's Important is not a place: it shows messages that are elsewhere.
        let important = server.model.mailboxes.filter { $0.attributes.contains("\\Important") }
        let views = Set(important.map { MailboxName($0.name) })
        let others = try world.store.sync.mailboxes(of: world.account).filter {
            $0.role == nil && $0.name != .inbox && !views.contains($0.name)
        }
        var moves: [Action] = [
            .keep, .archive, .trash, .junk, .deferUntil(Timestamp(seconds: 1_760_000_000)),
        ]
        if let other = others.randomElement(using: &numbers) { moves.append(.move(to: other)) }
        actions.append(moves.randomElement(using: &numbers) ?? .keep)
        // A rule each, so that what one server cannot keep does not take the rest with it.
        return actions.enumerated().map { Plan.Decision(rule: "rule\($0.offset)", action: $0.element) }
    }

    private mutating func apply(_ plan: Plan) async throws -> RunID {
        let work = try Planning.work(for: plan, context: try context()) { _, _ in throw CancellationError() }
        let run = try world.store.journal.queue(
            NewRun(account: world.account, startedAt: plan.now, command: "test"), steps: work.steps)
        try await settle()
        changes = try world.store.runs.run(run.id)?.summary.states[.confirmed] ?? 0
        return run.id
    }

    /// Some servers end the connection on a move to the trash: the next drain looks and goes on.
    private func settle() async throws {
        for _ in 1...12 {
            guard try !world.store.journal.openSteps(of: world.account).isEmpty else { break }
            _ = try await world.drain()
            // What the server refused is due again by then.
            world.time.withLock { $0 += 15 * 60 }
        }
        try await world.sync()
    }

    // MARK: What another client does

    /// Moves messages on that the run moved, and marks others; answers with the mark that each must still have.
    private mutating func interfere(with run: RunID) throws -> [String: String] {
        let steps = try world.store.runs.run(run)?.steps ?? []
        var subjects: [EmailID: String] = [:]
        for facts in try world.store.messages.facts(.everything(world.account)) {
            subjects[facts.id] = facts.subject
        }
        let moved = Set(
            steps.compactMap { step -> String? in
                guard case .move = step.kind, step.state == .confirmed else { return nil }
                return step.message.flatMap { subjects[$0] }
            })
        var marked: [String: String] = [:]
        var places: [String: [Place]] = [:]
        for place in truth() { places[place.subject, default: []].append(place) }
        for subject in Set(subjects.values).sorted() {
            // With two copies, the intended one is unknown.
            guard let place = places[subject]?.first, places[subject]?.count == (profile.isGmail ? 2 : 1)
            else { continue }
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0:
                change(subject, in: place.mailbox) {
                    $0.changeFlags([$1], in: place.mailbox, add: ["\\Answered"])
                }
                marked[subject] = "\\answered"
            case 1 where moved.contains(subject) && !profile.isGmail:
                let boxes = server.model.mailboxes.filter {
                    $0.isSelectable && $0.name != place.mailbox && !$0.attributes.contains("\\All")
                }
                guard let box = boxes.randomElement(using: &numbers)?.name else { continue }
                change(subject, in: place.mailbox) { $0.move([$1], from: place.mailbox, to: box) }
            default: break
            }
        }
        return marked
    }

    private func change(_ subject: String, in mailbox: String, _ body: (inout MailModel, UInt32) -> Void) {
        server.act { model in
            let wanted = Array("Subject: \(subject)\r\n".utf8)
            let found = model.messages(mailbox).first { message in
                String(decoding: model.bytes(message), as: UTF8.self).contains(
                    String(decoding: wanted, as: UTF8.self))
            }
            if let found { body(&model, found.uid) }
        }
    }

    // MARK: Undo

    private func undo(_ run: RunID) async throws -> String? {
        try await world.sync()
        let steps = try world.store.runs.run(run)?.steps ?? []
        let context = try context()
        let facts = try UndoLook(
            store: world.store, tasks: world.tasks, files: world.files, context: context
        ).facts(of: steps)
        let items = Undo.items(for: steps, now: facts)
        let stuck = items.filter { item in
            if case .cannot = item.answer { return true }
            return false
        }
        guard stuck.isEmpty else { return "\(stuck)" }
        let queued = try world.store.journal.queue(
            NewRun(account: world.account, startedAt: context.now, command: "undo", undoes: run),
            steps: Undo.work(items, context).steps)
        try await settle()
        let failed = try world.store.runs.run(queued.id)?.steps.filter { $0.state != .confirmed } ?? []
        return failed.isEmpty ? nil : "\(failed.map { "\($0.kind) \($0.state) \($0.error ?? "")" })"
    }
}

extension Place {
    fileprivate func with(_ mark: String) -> Place {
        var place = self
        place.marks = Set(marks + [mark]).sorted()
        return place
    }
}
