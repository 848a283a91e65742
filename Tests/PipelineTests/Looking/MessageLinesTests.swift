import Models
import Testing

@testable import Pipeline

/// What a list shows beside a message: that it is deferred, waits for somebody, or has a task.
@Suite("Lines of messages")
struct MessageLinesTests {
    private static let rules = """
        rules-version: 1
        rules:
          - { id: wait, when: 'subject:offer from:bob@acme.example', then: { waiting: { for: carl@acme.example } } }
          - { id: ask, when: subject:question, then: { task: 'Answer {{subject}}' } }
          - { id: later, when: subject:weekly, then: { defer: tomorrow 09:00 } }

        """

    private func states(
        _ work: Workplace, at now: Timestamp = Workplace.tuesday
    ) async throws -> [String: [MessageLine.State]] {
        var states: [String: [MessageLine.State]] = [:]
        try await work.synced(at: now) { session in
            let lines = try session.messages.list(account: nil, folder: nil, everywhere: true, matching: nil)
            for line in lines { states[line.facts.subject] = line.states }
        }
        return states
    }

    @Test("a line shows the date of a deferral and the open task, but no completed task")
    func states() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("A question", "A weekly letter", "Hello")
        try await work.run()
        let open = try await states(work)
        // 09:00 in Paris.
        #expect(open["A weekly letter"] == [.deferred(.time(Workplace.tuesday + Workplace.day + 1_800))])
        #expect(open["Hello"] == [])
        guard case .task(let id)? = open["A question"]?.first else {
            Issue.record("the task is not shown")
            return
        }
        try await work.with { session in
            let files = try session.tasks.files().files
            #expect(files.map(\.todo.id) == [id])
        }
        try work.edit("question") { $0.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED") }
        try await work.run()
        #expect(try await states(work)["A question"] == [])
    }

    @Test("only mail of the awaited person answers a waiting conversation")
    func waiting() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("Offer")
        try work.deliver(
            SampleMail(
                subject: "Re: Offer 0", from: "carl@acme.example", answers: "Offer",
                date: Workplace.tuesday - 1_800))
        try await work.run()
        let later = Workplace.tuesday + 7_200
        try work.deliver(
            SampleMail(subject: "Re: Offer 1", answers: "Offer", date: Workplace.tuesday + 3_600))
        #expect(try await states(work, at: later)["Re: Offer 1"] == [.waiting(answered: false)])
        try work.deliver(
            SampleMail(
                subject: "Re: Offer 2", from: "Carl <Carl@acme.example>", answers: "Offer",
                date: Workplace.tuesday + 3_600))
        let states = try await states(work, at: later)
        #expect(states["Re: Offer 2"] == [.waiting(answered: true)])
        #expect(states["Offer"] == [.waiting(answered: false)])
        #expect(
            states["Re: Offer 0"] == [.waiting(answered: true)], "it names the offer, as for the wait itself")
    }
}
