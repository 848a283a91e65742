import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Threads that the user splits and joins.
@Suite("Edited threads")
struct ThreadEditingTests {
    /// Two conversations: Plan with two answers, and Lunch.
    private func conversations() throws -> Workplace {
        let work = try Workplace()
        try work.deliver(SampleMail(subject: "Plan"))
        try work.deliver(SampleMail(subject: "Re Plan", answers: "Plan", date: Workplace.tuesday - 1_800))
        try work.deliver(SampleMail(subject: "Re Re Plan", answers: "Re Plan", date: Workplace.tuesday - 900))
        try work.deliver(SampleMail(subject: "Lunch", date: Workplace.tuesday - 600))
        return work
    }

    /// The number of messages of each conversation, by the subject of its first message.
    private func counts(_ session: Session) throws -> [String: Int] {
        let lines = try session.threads.list(
            account: nil, folder: nil, everywhere: false, matching: nil, limit: nil
        ).lines
        return Dictionary(uniqueKeysWithValues: lines.map { ($0.subject, $0.messages.count) })
    }

    private func refusal(_ body: () async throws -> Void) async -> String {
        do { try await body() } catch let problem as Problem { return problem.code } catch {
            return "\(error)"
        }
        return "none"
    }

    @Test("a message is split off with its answers, and an undo brings the thread back")
    func split() async throws {
        let work = try conversations()
        try await work.synced { session in
            #expect(try counts(session) == ["Plan": 3, "Lunch": 1])
            _ = try await session.threadEditing.split(try session.id(of: "Re Plan"))
            #expect(try counts(session) == ["Plan": 1, "Re Plan": 2, "Lunch": 1])
            _ = try await session.undo.apply(try await session.undo.freshPlan(UndoRequest()))
            #expect(try counts(session) == ["Plan": 3, "Lunch": 1])
        }
    }

    @Test("two conversations are joined, and joining them again changes nothing")
    func join() async throws {
        let work = try conversations()
        try await work.synced { session in
            let ids = [try session.id(of: "Lunch"), try session.id(of: "Re Re Plan")]
            #expect(try await session.threadEditing.join(ids)?.run != nil)
            #expect(try counts(session) == ["Plan": 4])
            #expect(try await session.threadEditing.join(ids) == nil)
        }
    }

    @Test("what was split can be joined again")
    func splitAndJoin() async throws {
        let work = try conversations()
        try await work.synced { session in
            _ = try await session.threadEditing.split(try session.id(of: "Re Plan"))
            _ = try await session.threadEditing.join([
                try session.id(of: "Plan"), try session.id(of: "Re Plan"),
            ])
            #expect(try counts(session) == ["Plan": 3, "Lunch": 1])
        }
    }

    @Test("an edit stays after the next sync and takes new answers along")
    func newAnswers() async throws {
        let work = try conversations()
        try await work.synced { session in
            _ = try await session.threadEditing.split(try session.id(of: "Re Plan"))
        }
        try work.deliver(SampleMail(subject: "Third", answers: "Re Re Plan", date: Workplace.tuesday - 60))
        try await work.synced { session in
            let counts = try counts(session)
            #expect(counts == ["Plan": 1, "Re Plan": 3, "Lunch": 1])
        }
    }

    @Test("the first message of a thread cannot be split off, and one message cannot be joined")
    func refusals() async throws {
        let work = try conversations()
        try await work.synced { session in
            let plan = try session.id(of: "Plan")
            #expect(await refusal { _ = try await session.threadEditing.split(plan) } == "nothing-to-split")
            #expect(await refusal { _ = try await session.threadEditing.join([plan]) } == "one-thread")
            #expect(await refusal { _ = try await session.threadEditing.split("zzzz") } == "no-such-message")
        }
    }

    @Test("messages of two accounts cannot be joined")
    func twoAccounts() async throws {
        let work = try conversations()
        let other = try work.addAccount("home")
        _ = try other.addMessage(
            to: .inbox, message: Array("Subject: Rent\r\nMessage-ID: <rent@x>\r\n\r\nHi\r\n".utf8), flags: [],
            unique: "100.rent", received: Workplace.tuesday)
        try await work.synced { session in
            _ = try await session.sync.account(AccountID("home"))
            let ids = [try session.id(of: "Lunch"), try session.id(of: "Rent")]
            #expect(await refusal { _ = try await session.threadEditing.join(ids) } == "two-accounts")
        }
    }

    @Test("a thread is shown as a tree, with a node for a message that is missing")
    func tree() async throws {
        let work = try Workplace()
        try work.deliver(SampleMail(subject: "One", answers: "Lost"))
        try work.deliver(SampleMail(subject: "Two", answers: "Lost", date: Workplace.tuesday - 60))
        try await work.synced { session in
            let nodes = try session.threads.tree(of: try session.id(of: "Two"))
            #expect(nodes.map(\.depth) == [0, 1, 1])
            #expect(nodes.map { $0.message == nil } == [true, false, false])
            #expect(nodes.first?.messageID == MessageID("Lost@x"))
            #expect(nodes.map(\.parent) == [nil, 0, 0])
        }
    }

    @Test("a list is cut to the newest conversations and counts the others")
    func limit() async throws {
        let work = try conversations()
        try await work.synced { session in
            let list = try session.threads.list(
                account: nil, folder: nil, everywhere: false, matching: nil, limit: 1)
            #expect(list.lines.map(\.subject) == ["Lunch"] && list.count == 2)
            let found = try session.threads.list(
                account: nil, folder: nil, everywhere: false, matching: try session.query("subject:plan"),
                limit: nil)
            #expect(found.lines.map(\.subject) == ["Plan"] && found.lines.first?.messages.count == 3)
        }
    }
}
