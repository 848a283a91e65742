import MIMEParser
import Models
import Testing

@testable import Pipeline

/// Answers that you are away: to each person once in a while, from the address that was written to.
@Suite("Answers of rules")
struct AutoAnsweringTests {
    private static let rules = """
        rules-version: 1
        rules:
          - id: away
            when: '*'
            then: { vacation: { text: 'Back on Monday.', days: 3 } }

        """

    /// A workspace whose rule was in force before any mail came.
    private func away(_ rules: String = Self.rules) async throws -> Workplace {
        let work = try Workplace(rules: ["10.yaml": rules])
        try await work.run(at: Workplace.tuesday - 30 * Workplace.day)
        return work
    }

    private func answered(_ mail: SampleMail) async throws -> [String] {
        let work = try await away()
        try work.deliver(mail)
        try await work.run()
        return try work.texts("Drafts")
    }

    @Test("an automatic reply is a short draft in the conversation, without a quote")
    func draft() async throws {
        let mail = SampleMail(subject: "Lunch", text: "Shall we eat at noon?\r\n")
        let draft = try #require(try await answered(mail).first)
        #expect(draft.field("to")?.contains("bob@acme.example") == true)
        #expect(draft.field("subject") == "Auto: Lunch")
        #expect(draft.field("in-reply-to") == "<Lunch@x>" && draft.field("references") == "<Lunch@x>")
        #expect(draft.contains("Back on Monday.") && !draft.contains("noon"))
        #expect(draft.field("auto-submitted") == nil && draft.field("precedence") == nil)
    }

    @Test("a sender gets one automatic reply within the days, and another one afterwards")
    func onceInAWhile() async throws {
        let work = try await away()
        try work.deliver("One", "Two")
        try work.deliver(SampleMail(subject: "Three", from: "carl@acme.example"))
        try await work.run()
        #expect(try work.texts("Drafts").count == 2, "Bob once and Carl once")
        try work.deliver(SampleMail(subject: "Four", date: Workplace.tuesday + 2 * Workplace.day))
        try await work.run(at: Workplace.tuesday + 2 * Workplace.day)
        #expect(try work.texts("Drafts").count == 2)
        try work.deliver(SampleMail(subject: "Five", date: Workplace.tuesday + 3 * Workplace.day))
        try await work.run(at: Workplace.tuesday + 3 * Workplace.day + 1)
        #expect(try work.texts("Drafts").count == 3)
    }

    @Test(
        "lists, programs, mail to others and own mail get no reply",
        arguments: [
            SampleMail(subject: "Hello", headers: ["List-Id: <a.example>"]),
            SampleMail(subject: "Hello", headers: ["Auto-Submitted: auto-generated"]),
            SampleMail(subject: "Hello", headers: ["Precedence: bulk"]),
            SampleMail(subject: "Hello", from: "noreply@shop.example"),
            SampleMail(subject: "Hello", from: "ana@acme.example"),
            SampleMail(subject: "Hello", to: "team@acme.example"),
        ])
    func noAnswer(_ mail: SampleMail) async throws { #expect(try await answered(mail).isEmpty) }

    @Test("the reply goes to the Return-Path, from the address that received the mail")
    func addresses() async throws {
        let work = try await away()
        try work.addAccount("home")
        try work.deliver(
            SampleMail(
                subject: "Hello", to: "ana@home.example", headers: ["Return-Path: <desk@acme.example>"]))
        try await work.synced { session in _ = try await work.applyRules(session) }
        let draft = try #require(try work.texts("Drafts").first)
        #expect(draft.field("to")?.contains("desk@acme.example") == true)
        #expect(draft.field("from")?.contains("<ana@home.example>") == true)
    }

    @Test("a reply that is sent at once is marked as automatic")
    func sentAtOnce() async throws {
        let work = try await away(Self.rules.replacing("days: 3", with: "days: 3, send: now"))
        try work.configure("allow-send: true")
        try work.deliver("Lunch")
        try await work.synced { session in
            let report = try await work.applyRules(session)
            let steps = try session.journal.run(try #require(report.run).description).steps
            let sent = steps.compactMap { step -> [UInt8]? in
                if case .submit(_, _, let message, token: _) = step.kind { message } else { nil }
            }
            let message = String(decoding: try #require(sent.first), as: UTF8.self)
            #expect(sent.count == 1)
            #expect(message.field("auto-submitted") == "auto-replied")
            #expect(message.field("precedence") == "bulk")
            #expect(message.field(MessageBuilder.loopField) == "ana@acme.example")
        }
    }
}
