import MailStore
import Models
import SyncEngine
import TestSupport
import Testing

/// In which thread messages are shown: what a sync stores, in whichever order mail comes.
@Suite("Shown threads")
struct ShownThreadTests {
    private static let sent = MailboxName("Sent")

    private func world() throws -> SyncWorld {
        try SyncWorld([mailbox("INBOX", .inbox), mailbox("Archive", .archive), mailbox("Sent", .sent)])
    }

    /// A message of day `day`, whose name is in its text.
    private func letter(
        _ name: String, _ subject: String, day: Int = 1, references: [String] = [], header: String = ""
    ) -> [UInt8] {
        let text = String(
            decoding: mail(subject, id: name, references: references, body: "\(name) is here.\r\n"),
            as: UTF8.self)
        let month = ["Jan", "Feb", "Mar"][(day - 1) / 28]
        let date = "Date: \((day - 1) % 28 + 1) \(month) 2025 10:00:00 +0000\r\n"
        return Array((date + header + text).utf8)
    }

    /// The names of the messages that are shown together, sorted.
    private func groups(_ world: SyncWorld) throws -> [[String]] {
        let facts = try world.store.messages.facts(.everything(work), including: .text)
        let shown = try world.store.threads.shownThreads(of: facts.map(\.id))
        let names = facts.map { (shown[$0.id], String($0.text?.split(separator: " ").first ?? "")) }
        return Dictionary(grouping: names, by: \.0).values.map { Set($0.map(\.1)).sorted() }.sorted {
            $0[0] < $1[0]
        }
    }

    /// The messages of each tree.
    private func trees(_ whole: ThreadMessages) -> [Set<EmailID>] {
        var found: [Set<EmailID>] = []
        for node in whole.nodes {
            if node.parent == nil { found.append([]) }
            if let message = node.message { found[found.count - 1].insert(message) }
        }
        return found
    }

    private func edit(_ world: SyncWorld, add: [ThreadEdit] = [], remove: [ThreadEdit] = []) async throws {
        let run = NewRun(account: work, startedAt: Timestamp(seconds: 1), command: "thread", origin: .hand)
        let step = Step(
            idempotencyKey: "\(add)\(remove)", message: nil, cause: .hand("thread"),
            kind: .editThreads(ThreadChange(added: add, removed: remove)))
        let queued = try world.store.journal.queue(run, QueuedWork(steps: [step]))
        let id = try #require(queued.queued.first?.id)
        try world.store.journal.resolve([StepResult(id: id, state: .confirmed, proof: .reported("test"))])
        try await world.sync()
    }

    private func id(_ name: String) -> EmailID {
        EmailIdentity.id(account: work, messageID: MessageID("\(name)@x"))
    }

    @Test("a reply without references is shown with its original by subject, in every mailbox")
    func subjects() async throws {
        let world = try world()
        await world.source.deliver([
            letter("ask", "Lunch"), letter("other", "Lunch 2"), letter("again", "lunch", day: 9),
        ])
        await world.source.deliver([letter("mine", "AW: Lunch", day: 2)], to: Self.sent)
        await world.source.deliver(
            [
                letter("list", "Re: Lunch", day: 3, header: "List-Id: <l.x>\r\n"),
                letter("late", "Re: lunch", day: 60),
            ],
            to: archive)
        try await world.sync()
        #expect(try groups(world) == [["again"], ["ask", "mine"], ["late"], ["list"], ["other"]])
        // Decisions go by what messages name: nothing of this moves anything.
        for facts in try world.store.messages.facts(.everything(work)) {
            #expect(facts.thread == facts.conversation)
            #expect(facts.thread.rawValue == facts.id.rawValue)
        }
    }

    @Test("settings decide about joining by subject, and the next sync applies a change")
    func settings() async throws {
        let world = try world()
        await world.source.deliver([
            letter("a", "Lunch"), letter("b", "Lunch", day: 2), letter("c", "Re: Lunch", day: 20),
        ])
        try await world.sync()
        #expect(try groups(world) == [["a"], ["b", "c"]])
        func update(_ subjects: ThreadSettings.Subjects, _ days: Int) throws -> [[String]] {
            try ThreadUpdate(
                store: world.store, account: work, settings: ThreadSettings(subjects: subjects, days: days)
            ).run()
            return try groups(world)
        }
        #expect(try update(.strict, 30) == [["a", "b", "c"]])
        #expect(try update(.marked, 5) == [["a"], ["b"], ["c"]])
        #expect(try update(.off, 30) == [["a"], ["b"], ["c"]])
        #expect(try update(.marked, 30) == [["a"], ["b", "c"]])
    }

    @Test(
        "threads do not depend on the order of arrival, and a tree of references is never divided",
        arguments: 1...12)
    func anyOrder(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let letters = (0..<40).map { number in
            let references = (0..<[0, 0, 1, 2, 60].randomElement(using: &random).orNone).map { _ in
                "m\(Int.random(in: 0..<60, using: &random))"
            }
            let reply = Bool.random(using: &random) ? "Re: " : ""
            return letter(
                "m\(number)", reply + "Topic \(Int.random(in: 0..<12, using: &random))",
                day: Int.random(in: 1...80, using: &random), references: references)
        }
        let once = try world()
        await once.source.deliver(letters)
        try await once.sync()
        let expected = try groups(once)

        let slowly = try world()
        var rest = letters.shuffled(using: &random)[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...9, using: &random))
            rest = rest.dropFirst(part.count)
            await slowly.source.deliver(
                Array(part), to: [.inbox, archive, Self.sent].randomElement(using: &random) ?? .inbox)
            try await slowly.sync()
        }
        #expect(try groups(slowly) == expected)

        // What REFERENCES builds of all messages together.
        let ids = try once.store.messages.facts(.everything(work)).map(\.id)
        let whole = ThreadMessages(try ids.compactMap { try once.store.threads.header(of: $0) })
        let threads = try once.store.threads.threads(of: ids, account: work)
        for tree in trees(whole) { #expect(Set(tree.map { threads[$0] }).count == 1) }
        #expect(Set(threads.values).count <= trees(whole).count)
    }

    @Test(
        "without contradictions, stored threads are the trees of REFERENCES",
        arguments: 1...12)
    func likeReferences(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var chains: [[String]] = []
        var letters: [[UInt8]] = []
        for number in 0..<60 {
            let parent = Bool.random(using: &random) ? chains.randomElement(using: &random) ?? [] : []
            chains.append(parent + ["m\(number)"])
            // Some messages never came.
            if number == 0 || Int.random(in: 0..<4, using: &random) > 0 {
                letters.append(letter("m\(number)", "Subject \(number)", references: parent))
            }
        }
        let world = try world()
        await world.source.deliver(letters.shuffled(using: &random))
        try await world.sync()
        let ids = try world.store.messages.facts(.everything(work)).map(\.id)
        let whole = ThreadMessages(try ids.compactMap { try world.store.threads.header(of: $0) })
        let shown = try world.store.threads.shownThreads(of: ids)
        let stored = Set(Dictionary(grouping: ids, by: { shown[$0] }).values.map { Set($0) })
        #expect(Set(trees(whole)) == stored)
    }

    @Test("references in the middle of a long chain count")
    func longChain() async throws {
        let world = try world()
        let chain = (0..<300).map { "c\($0)" }
        await world.source.deliver([
            letter("c150", "One"), letter("c299", "Two", references: Array(chain.dropLast())),
        ])
        try await world.sync()
        #expect(try groups(world) == [["c150", "c299"]])
    }

    @Test("threads split by the user stay separate, also for later mail and for rules")
    func split() async throws {
        let world = try world()
        await world.source.deliver([
            letter("a", "Lunch"), letter("b", "Re: Lunch", day: 2, references: ["a"]),
            letter("c", "Re: Lunch", day: 3, references: ["a", "b"]),
            letter("d", "Re: Lunch", day: 4, references: ["a"]),
        ])
        try await world.sync()
        #expect(try groups(world) == [["a", "b", "c", "d"]])
        try await edit(world, add: [.split(id("b"))])
        #expect(try groups(world) == [["a", "d"], ["b", "c"]])
        await world.source.deliver([
            letter("e", "Re: Lunch", day: 5, references: ["a", "b", "c"]),
            letter("f", "Re: Lunch", day: 5, references: ["a"]),
        ])
        try await world.sync()
        #expect(try groups(world) == [["a", "d", "f"], ["b", "c", "e"]])
        let facts = try world.store.messages.facts(.everything(work))
        let conversations = Dictionary(grouping: facts, by: \.conversation).values.map {
            $0.map(\.id).sorted()
        }
        let expected = [["a", "d", "f"], ["b", "c", "e"]].map { $0.map(id).sorted() }
        #expect(Set(conversations) == Set(expected))
        try await edit(world, remove: [.split(id("b"))])
        #expect(try groups(world).count == 1)
        #expect(Set(try world.store.messages.facts(.everything(work)).map(\.conversation)).count == 1)
    }

    @Test("a thread that was split off is not joined again by its subject")
    func splitSubject() async throws {
        let world = try world()
        await world.source.deliver([letter("a", "Lunch"), letter("r", "Re: Lunch", day: 2)])
        try await world.sync()
        #expect(try groups(world) == [["a", "r"]])
        try await edit(world, add: [.split(id("r"))])
        #expect(try groups(world) == [["a"], ["r"]])
    }

    @Test("threads joined by the user stay together, and get the later mail of both")
    func join() async throws {
        let world = try world()
        await world.source.deliver([letter("a", "One"), letter("b", "Two"), letter("c", "Three")])
        try await world.sync()
        try await edit(world, add: [.join(min(id("a"), id("b")), max(id("a"), id("b")))])
        #expect(try groups(world) == [["a", "b"], ["c"]])
        await world.source.deliver([
            letter("d", "Re: Two", day: 2), letter("e", "Re: One", day: 2, references: ["a"]),
        ])
        try await world.sync()
        #expect(try groups(world) == [["a", "b", "d", "e"], ["c"]])
        // Joined is what is shown: a decision about one moves no message of the other.
        let facts = try world.store.messages.facts(.everything(work))
        #expect(Set(facts.map(\.conversation)).count == 4)
        try await edit(world, remove: [.join(min(id("a"), id("b")), max(id("a"), id("b")))])
        #expect(try groups(world) == [["a", "e"], ["b", "d"], ["c"]])
    }

    @Test(
        "joined threads get mail with their subject, and stay joined when references connect them"
    )
    func joinAndSubjects() async throws {
        let world = try world()
        await world.source.deliver([letter("x", "Other"), letter("r", "Re: Lunch", day: 9)])
        try await world.sync()
        try await edit(world, add: [.join(min(id("x"), id("r")), max(id("x"), id("r")))])
        await world.source.deliver([letter("a", "Lunch", day: 8)])
        try await world.sync()
        #expect(try groups(world) == [["a", "r", "x"]])
        await world.source.deliver([letter("bridge", "Bridge", day: 10, references: ["x", "r"])])
        try await world.sync()
        // Its first message is about another subject now.
        #expect(try groups(world) == [["a"], ["bridge", "r", "x"]])
    }

    @Test("the list has one row per thread, newest first, with facts of its messages")
    func list() async throws {
        let world = try world()
        await world.source.deliver([letter("old", "Old"), letter("ask", "Lunch", day: 2)])
        await world.source.deliver([letter("mine", "Re: Lunch", day: 5, references: ["ask"])], to: Self.sent)
        await world.source.deliver([letter("away", "Away", day: 4)], to: archive)
        try await world.sync()
        func subjects(_ scope: ThreadStore.Scope, _ limit: Int? = nil) throws -> [String] {
            try world.store.threads.list(scope, account: work, limit: limit).threads.map {
                $0.messages[0].subject
            }
        }
        #expect(try subjects(.inbox) == ["Lunch", "Old"])
        #expect(try subjects(.everything) == ["Lunch", "Away", "Old"])
        #expect(try subjects(.everything, 1) == ["Lunch"])
        let found = try world.store.threads.list(.inbox, account: nil, limit: 1)
        #expect(found.count == 2)
        let lunch = try #require(found.threads.first)
        #expect(lunch.messages.map(\.id) == [id("ask"), id("mine")])
        #expect(lunch.messages.map(\.isUnread) == [true, false])
        #expect(lunch.messages.map(\.snippet) == ["ask is here.", "mine is here."])
        #expect(lunch.messages.map(\.isOwn) == [false, true])
        // What leaves the inbox leaves the list.
        await world.source.remove([1])
        try await world.sync()
        #expect(try subjects(.inbox) == ["Lunch"])
        #expect(try subjects(.everything) == ["Lunch", "Away"])
    }
}

extension Int? {
    fileprivate var orNone: Int { self ?? 0 }
}
