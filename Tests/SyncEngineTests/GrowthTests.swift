import GRDB
import GRDBSQLite
import Models
import SyncEngine
import SyncPlanner
import Testing

@testable import MailStore

/// What new mail costs depends on the new mail. The steps of SQLite's machine are counted, so no other program disturbs it.
@Suite("Growth")
struct GrowthTests {
    @Test(
        "a sync of 100 new messages takes as many database steps with 4,000 messages as with 500"
    )
    func newMail() async throws {
        let few = try await steps(messages: 500)
        let many = try await steps(messages: 4_000)
        for (statement, steps) in many {
            let before = few[statement, default: 0]
            let mayGrow = Self.growing.contains { statement.contains($0) }
            #expect(
                steps < before * 3 / 2 + 2_000 || mayGrow,
                "\(before) steps with few messages, \(steps) with many: \(statement)")
        }
    }

    /// Walks over one narrow index, once a sync: how many messages a mailbox has.
    private static let growing = ["SELECT count(*), coalesce(max(uid), 0) FROM placement"]

    /// By statement.
    private func steps(messages: Int) async throws -> [String: Int] {
        let world = try SyncWorld(
            [mailbox("INBOX", .inbox), mailbox("Archive", .archive)], modSeq: 1, tracking: .qresync)
        await world.source.deliver((1...messages).map { letter($0, of: messages) }, to: archive)
        try await world.sync()
        await world.source.deliver((1...20).map { letter(messages + $0, of: messages) })
        try await world.sync()

        let counter = StepCounter()
        defer { counter.end() }
        try world.store.file.writing { db in counter.count(db) }
        try world.store.file.reading { db in counter.count(db) }
        await world.source.deliver((21...120).map { letter(messages + $0, of: messages) })
        try await world.sync()
        try look(world)
        return counter.steps
    }

    /// Threads of five messages; every tenth subject is that of three threads. New messages answer old ones.
    private func letter(_ number: Int, of messages: Int) -> [UInt8] {
        let isNew = number > messages
        let thread = isNew ? (number - messages) % 100 : number / 5
        let subject = thread % 10 == 0 ? "Status \(thread / 30)" : "Matter \(thread)"
        return mail(
            (isNew ? "Re: " : "") + subject, id: "m\(number)",
            references: number % 5 == 0 && !isNew ? [] : ["m\(thread * 5)"])
    }

    /// What the commands of a morning ask of the store.
    private func look(_ world: SyncWorld) throws {
        let store = world.store
        let now = Timestamp(seconds: 6_000)
        _ = try store.messages.cleanUp(now: now)
        _ = try store.threads.list(.inbox, account: work, limit: 20)
        _ = try store.runs.unfinished(of: work, refusedSince: now)
        _ = try store.deferrals.newerInThread(account: work)
        _ = try store.deferrals.returnedToInbox(of: work)
        _ = try store.senders.unscreened(account: work)
        _ = try store.sync.inboxCount(of: work)
        _ = try store.todos.unnotedReplies(account: work)
        _ = try store.todos.todosWithoutMail(account: work)
        let inbox = try store.messages.facts(.mailbox(work, .inbox))
        let threads = Set(inbox.map(\.thread))
        _ = try store.threads.earlierCopies(account: work, in: Array(threads))
        _ = try store.rules.rememberedMatches(account: work, of: .role(work, .inbox))
        _ = try store.rules.undoneMatches(account: work, in: Array(threads))
        for facts in inbox {
            if let id = facts.messageID { _ = try store.messages.message(with: id, account: work) }
            _ = try store.threads.shownThreads(of: [facts.id])
        }
    }
}

/// Counts the steps of statements, by their text.
private final class StepCounter {
    private(set) var steps: [String: Int] = [:]
    private var connections: [OpaquePointer] = []

    func count(_ db: Database) {
        guard let connection = db.sqliteConnection else { return }
        connections.append(connection)
        // Statements that are prepared already have counted what was before.
        var known = sqlite3_next_stmt(connection, nil)
        while let statement = known {
            _ = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)
            known = sqlite3_next_stmt(connection, statement)
        }
        sqlite3_trace_v2(
            connection, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, _ in
                guard let context, let statement else { return 0 }
                Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().note(
                    OpaquePointer(statement))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func note(_ statement: OpaquePointer) {
        let text = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
        steps[text, default: 0] += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
    }

    /// Call while the connections are open.
    func end() {
        for connection in connections { sqlite3_trace_v2(connection, 0, nil, nil) }
    }
}
