import GRDB
import GRDBSQLite
import Models
import TestSupport
import Testing

@testable import MailStore

/// The beginning of a list, and what it costs in a store with much mail.
@Suite struct NewestTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    @Test("the newest messages are the beginning of the full list, including pending moves")
    func beginning() throws {
        var random = SeededGenerator(seed: 5)
        let messages = (1...200).map { number in
            var message = newMessage("m\(number)", uid: UInt32(number), received: Int64(number))
            if number % 3 == 0 { message.sent = time(Int64.random(in: 0..<300, using: &random)) }
            return message
        }
        _ = try store.sync.apply(batch(added: messages))
        _ = try store.sync.apply(
            batch(archive) { $0.placed = [Placement(message: id("m7"), uid: 3)] })
        let moved = (1...20).map { number -> Step in
            let key = MessageKey(
                account: work, mailbox: .inbox, uidValidity: 7, uid: UInt32(number * 9))
            return Step(
                idempotencyKey: "k\(number)", message: id("m\(number * 9)"), cause: .rule("r"),
                kind: .move(key, to: mailbox("Archive", .archive)))
        }
        _ = try store.journal.queue(
            NewRun(account: work, startedAt: time(1), command: "test"), steps: moved)
        for selection in [
            FactSelection.role(work, .inbox), .mailbox(work, archive), .everything(work), .everything(nil),
            .role(work, .junk),
        ] {
            let all = try store.messages.facts(selection)
            for limit in [0, 1, 5, 60, 1_000] {
                let newest = try store.messages.newest(limit, selection)
                #expect(newest.count == min(limit, all.count))
                #expect(newest.map(\.date) == all.prefix(limit).map(\.date))
                #expect(Set(newest.map(\.key)).isSubset(of: all.map(\.key)))
            }
        }
    }

    @Test("a message that replaces another one is sorted by its own time")
    func replaced() throws {
        _ = try store.sync.apply(
            batch(added: [newMessage("a", uid: 1, received: 10), newMessage("b", uid: 2, received: 20)]))
        _ = try store.sync.apply(batch(added: [newMessage("c", uid: 1, received: 30)]))
        #expect(try store.messages.newest(2, .role(work, .inbox)).map(\.id) == [id("c"), id("b")])
    }

    @Test("reading the newest messages takes as many steps in a large mailbox as in a small one")
    func costOfList() throws {
        let few = try fill(1...500) { try store.messages.newest(20, .role(work, .inbox)) }
        let many = try fill(501...5_000) { try store.messages.newest(20, .role(work, .inbox)) }
        #expect(many < few * 3 / 2)
    }

    /// SQLite would else read the whole account for each thread that got a message.
    @Test("updating a thread takes as many steps in a large account as in a small one")
    func costOfThread() throws {
        let thread = ThreadID(rawValue: "m1")
        func settle() throws {
            _ = try store.threads.threadMessages(of: thread, account: work, limit: 100) { $0.id }
            _ = try store.threads.ownMail(in: [thread], account: work)
            try store.threads.saveConversations([thread: .one], of: work)
        }
        let few = try fill(1...500, settle)
        let many = try fill(501...5_000, settle)
        #expect(many < few * 3 / 2)
    }

    /// Adds messages, and counts the steps of SQLite's machine that `body` then takes, in hundreds.
    private func fill(_ numbers: ClosedRange<Int>, _ body: () throws -> some Any) throws -> Int {
        _ = try store.sync.apply(
            batch(added: numbers.map { newMessage("m\($0)", uid: UInt32($0), received: Int64($0)) }))
        let counter = StepCounter()
        try store.file.reading { counter.watch($0.sqliteConnection) }
        try store.file.lookingUp { counter.watch($0.sqliteConnection) }
        _ = try body()
        try store.file.reading { counter.leave($0.sqliteConnection) }
        try store.file.lookingUp { counter.leave($0.sqliteConnection) }
        return counter.steps
    }
}

/// Counts what statements do, not how long they take.
private final class StepCounter {
    private(set) var steps = 0

    func watch(_ connection: OpaquePointer?) {
        sqlite3_progress_handler(
            connection, 10,
            { context in
                if let context { Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().steps += 1 }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func leave(_ connection: OpaquePointer?) { sqlite3_progress_handler(connection, 0, nil, nil) }
}
