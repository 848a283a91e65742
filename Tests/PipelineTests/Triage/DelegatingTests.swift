import MIMEParser
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// The mails that rules write about a message: what is handed on, forwarded and replied to.
@Suite("Delegating")
struct DelegatingTests {
    private static func rule(_ then: String) -> String {
        "rules-version: 1\nrules:\n  - { id: hand, when: subject:support, then: \(then) }\n"
    }

    private static let request = SampleMail(
        subject: "Support 1", from: "Carla <carla@customer.example>",
        headers: ["Reply-To: desk@customer.example", "Cc: boss@customer.example"],
        text: "The printer is on fire.\r\n",
        file: ("fire.pdf", "flames"))

    /// The drafts after the rules ran twice over the request.
    private func drafts(
        _ then: String, _ mail: SampleMail = request, _ prepare: (Workplace) throws -> Void = { _ in }
    ) async throws -> [String] {
        let work = try Workplace(rules: ["10.yaml": Self.rule(then)])
        try prepare(work)
        try work.deliver(mail)
        try await work.run()
        try await work.run()
        return try work.texts("Drafts")
    }

    @Test("a delegation is one draft to the person, with the note, the original and its files")
    func delegation() async throws {
        let drafts = try await drafts("{ delegate: { to: bob@acme.example, note: 'Bob, yours please.' } }")
        let draft = try #require(drafts.first)
        #expect(drafts.count == 1, "a second run makes no second one")
        #expect(draft.field("to") == "bob@acme.example")
        #expect(draft.field("from")?.contains("<ana@acme.example>") == true)
        #expect(draft.field("subject")?.hasSuffix("Support 1") == true)
        #expect(draft.field("auto-submitted") == nil, "a draft is a person's to send")
        let note = try #require(draft.firstRange(of: "Bob, yours please."))
        let original = try #require(draft.firstRange(of: "The printer is on fire."))
        #expect(note.upperBound < original.lowerBound)
        #expect(draft.contains("fire.pdf"))
    }

    @Test("a reply goes to Reply-To, with the original quoted below and in its conversation")
    func reply() async throws {
        let draft = try #require(try await drafts("{ reply: { text: 'We are on it.' } }").first)
        #expect(draft.field("to") == "desk@customer.example" && draft.field("cc") == nil)
        #expect(draft.field("in-reply-to") == "<Support-1@x>")
        #expect(draft.field("subject") == "Re: Support 1")
        #expect(draft.contains("We are on it.") && draft.contains("> The printer is on fire."))
        #expect(!draft.contains("fire.pdf"), "a reply takes no files along")
    }

    @Test("a reply leaves from the address that the mail was sent to")
    func ownAddress() async throws {
        var mail = Self.request
        mail.to = "Ana <ANA@home.example>, desk@customer.example"
        let draft = try #require(
            try await drafts("{ reply: { text: 'Here.', subject: 'Fire' } }", mail) {
                try $0.addAccount("home")
            }.first)
        #expect(draft.field("from")?.lowercased().contains("<ana@home.example>") == true)
        #expect(draft.field("subject") == "Fire")
    }

    @Test("a forwarded mail goes only to its address, with its files")
    func forward() async throws {
        let draft = try #require(
            try await drafts("{ forward: { to: bob@acme.example, note: 'For you.' } }").first)
        #expect(draft.field("to") == "bob@acme.example" && draft.field("cc") == nil)
        #expect(draft.contains("For you.") && draft.contains("fire.pdf"))
    }

    @Test("mail sent at once is marked as automatic, with the addresses it must not return to")
    func sentAtOnce() async throws {
        let work = try Workplace(rules: [
            "10.yaml": Self.rule("{ delegate: { to: bob@acme.example, send: now } }")
        ])
        try work.configure("allow-send: true")
        try work.deliver(Self.request)
        try await work.synced { session in
            let report = try await work.applyRules(session)
            let steps = try session.journal.run(try #require(report.run).description).steps
            let sent = steps.compactMap { step -> (String, [String], String)? in
                guard case .submit(let from, let to, let message, token: _) = step.kind else { return nil }
                return (from, to, String(decoding: message, as: UTF8.self))
            }
            let (from, to, message) = try #require(sent.first)
            #expect(sent.count == 1 && from == "ana@acme.example" && to == ["bob@acme.example"])
            #expect(message.field("auto-submitted") == "auto-generated")
            #expect(message.field(MessageBuilder.loopField) == "ana@acme.example")
        }
    }

    @Test(
        "rules send nothing at once to a list, to a program or to the user",
        arguments: [
            SampleMail(subject: "Support 1", headers: ["List-Id: <a.example>"]),
            SampleMail(subject: "Support 1", headers: ["Auto-Submitted: auto-replied"]),
            SampleMail(subject: "Support 1", from: "no-reply@shop.example"),
            SampleMail(subject: "Support 1", from: "ana@acme.example"),
        ])
    func noLoops(_ mail: SampleMail) async throws {
        for then in [
            "{ reply: { text: Yes, send: now } }", "{ delegate: { to: bob@acme.example, send: now } }",
        ] {
            let work = try Workplace(rules: ["10.yaml": Self.rule(then)])
            try work.configure("allow-send: true")
            try work.deliver(mail)
            try await work.synced { session in
                _ = try await work.applyRules(session)
                let steps = try session.journal.runs(limit: 9).flatMap {
                    try session.journal.run($0.id.description).steps
                }
                #expect(
                    !steps.contains { step in
                        if case .submit = step.kind { true } else { false }
                    })
            }
        }
    }

    @Test("a plan does not delegate a message that has left its mailbox since")
    func originalGone() async throws {
        let work = try Workplace(rules: ["10.yaml": Self.rule("{ delegate: { to: bob@acme.example } }")])
        try work.deliver(Self.request)
        try await work.synced { session in
            let plan = try session.plan()
            try work.client.remove(.inbox, unique: "100.Support-1")
            let (checked, leftOut) = try await session.triage.rechecked(plan)
            #expect(leftOut.count == 1)
            #expect(try await session.triage.apply(checked, command: "triage").queued == 0)
        }
    }
}
