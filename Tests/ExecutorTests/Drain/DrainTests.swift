import Foundation
import MailStore
import Models
import Testing

@testable import Executor

@Suite("Drain")
struct DrainTests {
    @Test(
        "steps run in the order tasks, new messages, marks, moves")
    func order() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(
            world.move("m1"), world.mark("m1", add: [.flagged]), world.append("d1", for: "m1"),
            world.task("t1", for: "m1"))
        let report = try await world.drain()
        #expect(report.confirmed.map(\.idempotencyKey) == ["task t1", "append d1", "mark m1", "move m1"])
        #expect(
            await world.sink.changes == ["append d1@x to Drafts", "store INBOX 1", "move INBOX 1 Archive"])
        #expect(report.failures.isEmpty)
    }

    @Test("results are stored at once, and a second drain does nothing")
    func secondDrain() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.mark("m1", add: [.seen]), world.move("m1"), world.task("t1", for: "m1"))
        try await world.drain()
        #expect(try world.known(inbox) == ["m2@2"])
        #expect(try world.known(archive) == ["m1@1"])
        #expect(try world.store.sync.placements(of: work, mailbox: archive.name).first?.flags == [.seen])
        #expect(try world.store.todos.todoFiles().map(\.todo.summary) == ["t1"])
        await world.sink.forgetTroubles()
        let second = try await world.drain()
        #expect(second.confirmed.isEmpty && second.failures.isEmpty)
        #expect(await world.sink.log.isEmpty)
    }

    @Test("a task that cannot be written delays its own message only")
    func heldBack() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(
            world.task("t1", for: "m1", list: GTDList("bad/list")), world.mark("m1", add: [.seen]),
            world.move("m1"), world.task("t2", for: "m2"), world.move("m2"))
        let report = try await world.drain()
        #expect(report.confirmed.map(\.idempotencyKey) == ["task t2", "move m2"])
        #expect(report.waiting.map(\.idempotencyKey) == ["task t1", "mark m1", "move m1"])
        #expect(await world.subjects(inbox) == ["m1"])
        #expect(await world.subjects(archive) == ["m2"])
    }

    @Test("a message stays for good if its task failed for good")
    func givenUp() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(
            world.task("t1", for: "m1", list: GTDList("bad/list")), world.append("d1", for: "m1"),
            world.mark("m1", add: [.seen]), world.move("m1"))
        for _ in 1...Backoff.attempts { try await world.drain() }
        #expect(
            try world.journal() == [
                "task t1: rejected", "append d1: cancelled", "mark m1: cancelled", "move m1: cancelled",
            ])
        #expect(try world.error("move m1")?.hasPrefix("held back: ") == true)
        let later = try await world.drain()
        #expect(later.confirmed.isEmpty && later.failures.isEmpty)
        #expect(await world.subjects(inbox) == ["m1"])
        #expect(await world.sink.changes.isEmpty)
    }

    @Test("moves of a conversation wait for its task, and are cancelled if the task fails")
    func conversation() async throws {
        let world = try await DrainWorld()
        try await world.add(["m1", "m2"], thread: "one")
        try await world.add(["m3"])
        try world.queue(
            world.task("t2", for: "m2", list: GTDList("bad/list")), world.mark("m1", add: [.seen]),
            world.move("m1"),
            world.move("m2"), world.move("m3"))
        try await world.drain()
        #expect(await world.sink.changes == ["move INBOX 3 Archive"])
        for _ in 2...Backoff.attempts { try await world.drain() }
        #expect(try world.state("move m1") == .cancelled)
        #expect(try world.state("move m2") == .cancelled)
        #expect(await world.subjects(inbox) == ["m1", "m2"])
    }

    @Test("a step that is already done is confirmed without a command")
    func alreadyDone() async throws {
        let world = try await DrainWorld()
        try await world.add(["m1"], flags: [.seen, .flagged])
        try world.queue(world.mark("m1", add: [.seen]))
        #expect(try await world.drain().alreadyDone == 1)
        #expect(try world.evidence("mark m1") == "already done")
        #expect(await world.sink.changes.isEmpty)
    }

    @Test("a label that the account cannot keep is reported once, and the rest continues")
    func noKeywords() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        await world.sink.keepNoKeywords()
        try world.queue(
            world.mark("m1", add: [.flagged], words: [Keyword("work")]), world.move("m1"),
            world.mark("m2", words: [Keyword("work")]), world.move("m2"))
        let report = try await world.drain()
        #expect(report.rejected.map(\.idempotencyKey) == ["mark m1", "mark m2"])
        #expect(
            report.rejected.first?.error?.hasPrefix("the server cannot keep the label work in INBOX") == true)
        #expect(report.confirmed.map(\.idempotencyKey) == ["move m1", "move m2"] && report.waiting.isEmpty)
        let moved = await world.sink.boxes[archive.name]?.messages.values.map(\.flags)
        #expect(moved.map(Set.init) == [[.flagged], []])
        #expect(await world.sink.changes.filter { $0.hasPrefix("store") } == ["store INBOX 1"])
        #expect(try await world.drain().failures.isEmpty)
    }

    @Test("a message already in its destination is confirmed without a command")
    func alreadyThere() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        _ = try await world.sink.move([Target(uid: 1)], from: inbox.name, to: archive)
        await world.sink.forgetTroubles()
        try await world.drain()
        #expect(try world.evidence("move m1") == "already in Archive")
        #expect(await world.sink.changes.isEmpty)
        #expect(try world.known(archive) == ["m1@1"])
    }

    @Test("another message at the UID is not changed")
    func anotherMessage() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.mark("m1", add: [.seen]), world.move("m2"))
        await world.sink.change(inbox.name) { box in
            box.messages[1]?.bytes = mail("stranger")
            box.messages[2]?.bytes = mail("stranger")
        }
        let report = try await world.drain()
        #expect(
            report.rejected.map(\.error) == Array(repeating: "another message is in its place", count: 2))
        #expect(await world.sink.changes.isEmpty)
    }

    @Test("a message that another program removed is reported, and not made again")
    func takenAway() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.mark("m1", add: [.seen]), world.move("m2"))
        await world.sink.change(inbox.name) { $0.messages = [:] }
        let report = try await world.drain()
        #expect(
            report.rejected.map(\.error) == [
                "the message is no longer in INBOX",
                "no longer in INBOX: another program moved or removed it",
            ])
        #expect(await world.sink.changes.isEmpty)
    }

    @Test("a match is forgotten only if its move failed because the message had left")
    func mayAskAgain() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        _ = try world.store.journal.queue(
            NewRun(account: work, startedAt: Timestamp(seconds: 1), command: "test"),
            QueuedWork(
                steps: [world.move("m1"), world.move("m2")],
                remembered: [("test", "m1"), ("test", "m2"), ("other", "m1")].map {
                    RememberedMatch(rule: $0, message: world.id($1))
                }))
        await world.sink.change(inbox.name) { $0.messages[1] = nil }
        try await world.drain()
        let remembered = try world.store.rules.rememberedMatches(
            account: work, of: .ids([world.id("m1"), world.id("m2")]))
        #expect(remembered == [world.id("m1"): ["other"], world.id("m2"): ["test"]])
    }

    @Test("after a new UIDVALIDITY a message is found at its place from the sync")
    func newUIDValidity() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.mark("m1", add: [.seen]), world.move("m2"))
        await world.sink.change(inbox.name) { box in
            box.uidValidity = 8
            box.messages = [5: .init(bytes: mail("m2")), 6: .init(bytes: mail("m1"))]
        }
        var batch = SyncBatch(account: work, mailbox: inbox.name, uidValidity: 8)
        batch.resetPlacements = true
        batch.placed = [
            Placement(message: world.id("m2"), uid: 5), Placement(message: world.id("m1"), uid: 6),
        ]
        _ = try world.store.sync.apply(batch)
        try await world.drain()
        #expect(await world.sink.changes == ["store INBOX 6", "move INBOX 5 Archive"])
        #expect(await world.subjects(archive) == ["m2"])
    }

    @Test("after a new UIDVALIDITY without a sync, no other message is moved")
    func unseenUIDValidity() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.move("m1"))
        await world.sink.change(inbox.name) { box in
            box.uidValidity = 8
            box.messages = [1: .init(bytes: mail("m2")), 2: .init(bytes: mail("m1"))]
        }
        try await world.drain()
        #expect(await world.subjects(inbox) == ["m2", "m1"])
        #expect(await world.sink.changes.isEmpty)
    }

    @Test("a missing destination is created")
    func missingDestination() async throws {
        let world = try await DrainWorld(["m1"])
        let deferred = mailbox("Deferred", .deferred)
        try world.store.sync.saveMailboxes([inbox, archive, drafts, sent, deferred], of: work)
        try world.queue(world.move("m1", to: deferred))
        try await world.drain()
        #expect(await world.sink.changes == ["create Deferred", "move INBOX 1 Deferred"])
        #expect(try world.known(deferred) == ["m1@1"])
    }

    @Test("without COPYUID, opus finds the moved messages in the destination")
    func withoutCOPYUID() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        await world.sink.hideCOPYUID()
        try world.queue(world.move("m1"), world.move("m2"))
        let report = try await world.drain()
        #expect(report.confirmed.count == 2)
        #expect(try world.known(archive) == ["m1@1", "m2@2"])
        #expect(try world.known(inbox).isEmpty)
    }

    @Test("messages with the same change share commands of up to a thousand")
    func groups() async throws {
        let names = (1...1_050).map { "m\($0)" }
        let world = try await DrainWorld(names)
        try world.queue(names.map { try world.mark($0, add: [.seen]) } + names.map { try world.move($0) })
        let report = try await world.drain()
        #expect(report.confirmed.count == 2_100)
        let sizes = await world.sink.changes.map { call in
            String(call.prefix(5)) + " \(call.split(separator: " ")[2].split(separator: ",").count)"
        }
        #expect(sizes == ["store 1000", "store 50", "move  1000", "move  50"])
        #expect(await world.subjects(archive) == names)
    }

    @Test("messages with different changes have separate commands")
    func differentWishes() async throws {
        let world = try await DrainWorld(["m1", "m2", "m3"])
        try world.queue(
            world.mark("m1", add: [.seen]), world.mark("m2", add: [.flagged]), world.mark("m3", add: [.seen]))
        try await world.drain()
        #expect(await world.sink.changes == ["store INBOX 1,3", "store INBOX 2"])
    }

    @Test("a message moved twice before a drain ends in the last destination")
    func movedTwice() async throws {
        let world = try await DrainWorld(["m1", "m2"])
        try world.queue(world.move("m1"), world.move("m2"))
        try world.queue(world.move("m1", to: drafts, key: "again"), world.mark("m1", add: [.flagged]))
        try world.queue(world.move("m1", to: sent, key: "and again"))
        let report = try await world.drain()
        #expect(report.failures.map(\.error).isEmpty)
        #expect(try world.journal().allSatisfy { $0.hasSuffix(": confirmed") })
        #expect(await world.subjects(sent) == ["m1"])
        #expect(await world.subjects(archive) == ["m2"])
        #expect(await world.subjects(drafts).isEmpty)
        #expect(
            try world.store.messages.places(of: EmailID(rawValue: "m1")).map(\.key.mailbox) == [sent.name])
    }

    @Test("the second move of a message survives a crash after the first")
    func movedTwiceWithACrash() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1"))
        try world.queue(world.move("m1", to: drafts, key: "again"), world.mark("m1", add: [.flagged]))
        // The look, the move; then the look at the new place.
        await world.sink.failCall(6, .before(.lost("killed")), kill: world.kill)
        _ = try? await world.drain()
        try world.reopen()
        for _ in 1...2 { try await world.drain() }
        #expect(try world.journal().allSatisfy { $0.hasSuffix(": confirmed") })
        #expect(await world.subjects(drafts) == ["m1"])
    }

    @Test("undoing a move that did not happen needs no command")
    func movedBackFromNowhere() async throws {
        let world = try await DrainWorld(["m1"])
        try world.queue(world.move("m1", to: inbox, key: "back"))
        try await world.drain()
        #expect(try world.journal() == ["back m1: confirmed"])
        #expect(await world.sink.changes.isEmpty)
        #expect(await world.subjects(inbox) == ["m1"])
    }
}
