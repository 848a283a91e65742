import DialectServer
import MailStore
import Models
import Synchronization
import TaskStore

/// Plays a random life, and after quiet compares what we hold with what is true.
///
/// One server and one store serve all sequences; each has an account of its own.
final class RandomSyncMachine: Sendable {
    let server: DialectServer
    let store: Store
    let tasks: TaskFiles
    private let played = Mutex(0)

    init(server: DialectServer, store: Store, tasks: TaskFiles) {
        self.server = server
        self.store = store
        self.tasks = tasks
    }

    /// nil when all is well; otherwise what is not. `isTraced`: prints what each event did.
    func play(_ sequence: RandomSequence, isTraced: Bool = false) async throws -> String? {
        let number = played.withLock { played in
            played += 1
            return played
        }
        server.reset(to: sequence.profile)
        let world = DialectWorld(
            AccountID("random\(number)"), at: server, store: store, tasks: tasks)
        let life = Life(world: world, isTraced: isTraced)
        let trouble = try await life.run(sequence.events)
        await world.disconnect()
        return trouble
    }

    /// The shortest sequence that still fails: steps are left out as long as one can be.
    func shrink(_ sequence: RandomSequence) async throws -> RandomSequence {
        var best = sequence
        var index = 0
        while index < best.events.count {
            var shorter = best
            shorter.events.remove(at: index)
            if try await play(shorter) != nil { best = shorter } else { index += 1 }
        }
        return best
    }
}

/// One sequence while it runs.
private final class Life: Sendable {
    private let world: DialectWorld
    /// Messages that another client removed for good: no other message may be lost.
    private let removed = Mutex<Set<String>>([])
    private let isActing = Mutex(false)
    private let delivered = Mutex(0)

    private let isTraced: Bool

    private var server: DialectServer { world.server }

    init(world: DialectWorld, isTraced: Bool) { (self.world, self.isTraced) = (world, isTraced) }

    func run(_ events: [RandomEvent]) async throws -> String? {
        server.act { model in
            for name in model.mailboxes.filter(\.isSelectable).map(\.name).prefix(3) {
                for _ in 1...2 { deliver(to: name, &model) }
            }
        }
        trace("begin")
        for event in events {
            let trouble = await step(event)
            trace(event.description)
            if let trouble { return trouble }
        }
        return await quiet()
    }

    private func trace(_ words: String) {
        guard isTraced else { return }
        print("== \(words)")
        for command in server.transcript { print("   \(command)") }
        server.clearTranscript()
        for mailbox in server.model.mailboxes where !mailbox.messages.isEmpty {
            let messages = server.model.places(in: [mailbox.name])
            let texts = zip(mailbox.messages, messages).map { "\($0.uid) \($1.subject) \($1.marks)" }
            print("   server \(mailbox.name) \(mailbox.uidValidity): \(texts.joined(separator: ", "))")
        }
        for step in (try? world.store.journal.openSteps(of: world.account)) ?? [] {
            print("   step   \(step.kind) \(step.state) \(step.attempts) \(step.error ?? "")")
        }
        for fact in (try? world.store.messages.facts(.everything(world.account))) ?? [] {
            print(
                "   store  \(fact.mailbox.name) \(fact.key.uidValidity) \(fact.key.uid) \(fact.subject) \(fact.flags)"
            )
        }
    }

    private func step(_ event: RandomEvent) async -> String? {
        switch event.kind {
        case .sync: _ = try? await world.sync()
        case .weFlag, .weUnflag, .weMove: return await weAct(event)
        case .deliver, .flag, .unflag, .label, .move, .copy, .expunge, .newUIDValidity:
            guard let delay = event.delay else {
                server.act { self.happen(event, &$0) }
                return nil
            }
            server.arm(Fault(.act("\(event)") { [self] in happen(event, &$0) }, skipping: delay))
        case .lyingVanished: arm(.lyingVanished, event)
        case .lostBefore: arm(.closeBeforeReply, event)
        case .lostAfter: arm(.closeAfterDoing, event)
        case .lostWithin: arm(.closeAfterOctets(event.second), event)
        case .garbage: arm(.garbage, event)
        case .backwards: arm(.reverseFetch, event)
        case .twice: arm(.duplicateFetch, event)
        case .refuse: arm(.refuse(status: event.second % 3 == 0 ? "BAD" : "NO", code: nil), event)
        case .withoutData: arm(.withoutFetchData, event)
        case .bye: arm(.bye, event)
        }
        return nil
    }

    private static let commands: [String?] = [
        nil, "EXAMINE", "UID FETCH", "LIST", "UID SEARCH", "STATUS", "SELECT", "UID MOVE", "UID COPY",
        "UID STORE",
    ]

    private func arm(_ effect: Fault.Effect, _ event: RandomEvent) {
        let command = Self.commands[event.first % Self.commands.count]
        server.arm(Fault(effect, at: command, skipping: event.second % 6))
    }

    // MARK: Others

    private func deliver(to name: String, _ model: inout MailModel) {
        let number = delivered.withLock { delivered in
            delivered += 1
            return delivered
        }
        model.deliver(TestMail.plain("m\(number)"), to: name)
    }

    private func happen(_ event: RandomEvent, _ model: inout MailModel) {
        let boxes = model.mailboxes.filter { $0.isSelectable && !$0.attributes.contains("\\All") }
        let box = boxes[event.first % boxes.count]
        let other = boxes[(event.first / 7 + event.second) % boxes.count]
        if event.kind == .deliver { return deliver(to: box.name, &model) }
        if event.kind == .newUIDValidity { return model.changeUIDValidity(of: box.name) }
        guard !box.messages.isEmpty else { return }
        let message = box.messages[event.second % box.messages.count]
        switch event.kind {
        case .flag: model.changeFlags([message.uid], in: box.name, add: ["\\Seen"])
        case .unflag: model.changeFlags([message.uid], in: box.name, remove: ["\\Seen"])
        case .label: model.changeFlags([message.uid], in: box.name, add: ["todo"])
        case .move: model.move([message.uid], from: box.name, to: other.name)
        case .copy: model.copy([message.uid], from: box.name, to: other.name)
        case .expunge:
            // In the middle of our own step it may be the copy that we have just made, and the wish of whoever
            // removed it: then it is they who lost the message, not we.
            let place = isActing.withLock { $0 } ? [box.name] : Set(model.mailboxes.map(\.name))
            let before = subjects(model, in: place)
            model.expunge([message.uid], in: box.name)
            removed.withLock { $0.formUnion(before.subtracting(subjects(model, in: place))) }
        default: break
        }
    }

    private func subjects(_ model: MailModel, in names: Set<String>? = nil) -> Set<String> {
        Set(model.places(in: names ?? Set(model.mailboxes.map(\.name))).map(\.subject))
    }

    // MARK: We

    /// Queues a step on a message that we hold, and drains. Nothing that stood somewhere may be gone after it.
    private func weAct(_ event: RandomEvent) async -> String? {
        guard let step = try? wish(event) else { return nil }
        let before = subjects(server.model)
        isActing.withLock { $0 = true }
        defer { isActing.withLock { $0 = false } }
        try? world.queue([step])
        _ = try? await world.drain()
        let lost = before.subtracting(subjects(server.model)).subtracting(removed.withLock { $0 })
        return lost.isEmpty ? nil : "our own step lost \(lost.sorted())"
    }

    private func wish(_ event: RandomEvent) throws -> Step? {
        let facts = try world.store.messages.facts(.everything(world.account)).sorted {
            ($0.mailbox.name, $0.key.uid) < ($1.mailbox.name, $1.key.uid)
        }
        guard !facts.isEmpty else { return nil }
        let chosen = facts[event.first % facts.count]
        // One store serves all lives, and it takes each key once.
        let key =
            "\(world.account) \(event) \(chosen.key.mailbox) \(chosen.key.uidValidity) \(chosen.key.uid)"
        let kind: Step.Kind
        switch event.kind {
        case .weMove:
            let mailboxes = try world.store.sync.mailboxes(of: world.account).filter {
                $0.name != chosen.mailbox.name
                    && ($0.role != .all || server.profile.isGmail && chosen.mailbox.role == .inbox)
            }
            guard !mailboxes.isEmpty else { return nil }
            kind = .move(chosen.key, to: mailboxes[event.second % mailboxes.count])
        case .weFlag:
            kind = .store(
                chosen.key, addFlags: [.flagged], removeFlags: [], addKeywords: [], removeKeywords: [])
        default:
            kind = .store(
                chosen.key, addFlags: [], removeFlags: [.seen, .flagged], addKeywords: [], removeKeywords: [])
        }
        return Step(idempotencyKey: key, message: chosen.id, cause: .rule("random"), kind: kind)
    }

    // MARK: Quiet

    /// Without faults and other clients: after two syncs, both sides must agree.
    private func quiet() async -> String? {
        server.disarm()
        await world.disconnect()
        do {
            try await world.sync()
            trace("quiet: sync")
            try await world.sync(later: DialectWorld.aDay)
            trace("quiet: sync a day later")
            // What waited for another try is due now, and is shown as done until then.
            _ = try await world.drain()
            trace("quiet: drain")
            try await world.sync()
            trace("quiet: last sync")
            let comparison = try world.comparison()
            guard comparison.isEqual else { return "\(comparison)" }
        } catch {
            return "a sync on a quiet server failed: \(error)"
        }
        let violations = server.violations
        guard violations.isEmpty else { return "forbidden: \(violations)" }
        let lost = Set((1...max(1, delivered.withLock { $0 })).map { "m\($0)" }).subtracting(
            subjects(server.model)
        ).subtracting(removed.withLock { $0 })
        return lost.isEmpty ? nil : "lost for good: \(lost.sorted())"
    }
}
