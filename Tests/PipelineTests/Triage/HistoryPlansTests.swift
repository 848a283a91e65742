import MaildirClient
import Models
import Testing

@testable import MailStore
@testable import Pipeline

/// Plans over mail that was there before the rules.
@Suite("Plans for old mail")
struct HistoryPlansTests {
    private static let account = Workplace.account

    private func applied(_ plan: Plan, _ session: Session, isAgain: Bool = false) async throws {
        let report = try await session.triage.apply(plan, command: "triage", isAgain: isAgain)
        #expect(report.drain.failures.isEmpty)
    }

    @Test("own and deleted mail is left out, unless the query names its mailbox")
    func leftOut() async throws {
        let work = try Workplace()
        for mailbox in ["Archive", "Sent", "Drafts", "Trash", "Junk", "Projects"] {
            try work.deliver("Notice in \(mailbox)", to: MailboxName(mailbox))
        }
        try work.deliver("Notice new")
        try await work.synced { session in
            let plan = try session.plan(over: "subject:notice")
            #expect(
                plan.changes == [
                    "Notice in Archive: label", "Notice in Projects: label", "Notice new: label",
                ])
            let trash = try session.plan(over: "subject:notice in:trash")
            #expect(trash.changes == ["Notice in Trash: label"])
        }
    }

    @Test("the list of deferred mail, which opus wrote, is not planned")
    func deferredList() async throws {
        let rules = """
            rules-version: 1
            rules:
              - { id: later, when: 'subject:weekly', then: { defer: tomorrow 09:00 } }
              - { id: programs, when: 'header:Auto-Submitted:auto-generated', then: archive }

            """
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.deliver("Weekly")
        try await work.run()
        try await work.synced { session in
            for query in ["*", "in:deferred"] {
                let plan = try session.plan(over: query)
                #expect(plan.changes.isEmpty)
            }
        }
        let deferred = try work.client.list(MailboxName("Deferred")).map(\.unique)
        #expect(deferred.contains(where: Workplace.isDeferredList))
    }

    @Test("a message already in its place gets only the missing actions")
    func alreadyDone() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", to: MailboxName("Archive"))
        try work.deliver("Notice 1", "Notice 2", to: MailboxName("Archive"))
        try await work.synced { session in
            try await applied(try session.plan(over: "subject:\"notice 1\""), session)
            _ = try await session.sync.account(Self.account)
            let plan = try session.plan(over: "*", isAgain: true)
            #expect(plan.changes == ["Invoice 1: task", "Notice 2: label"])
            #expect(plan.warnings == ["1 of 3 messages that match stay as they are"])
            try await applied(plan, session, isAgain: true)
            #expect(try session.tasks.files().files.map(\.todo.summary) == ["Pay Invoice 1"])
        }
        #expect(try work.names("Archive") == ["Invoice-1", "Notice-1", "Notice-2"])
    }

    @Test("rules send nothing over old mail: replies are left out, and forwards become drafts")
    func sendsNothing() async throws {
        let rules = """
            rules-version: 1
            rules:
              - id: away
                when: subject:question
                then: { vacation: { text: 'I am away.', send: now } }
              - id: hand
                when: subject:support
                then: { delegate: { to: carl@acme.example, send: now } }

            """
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.configure("allow-send: true")
        try work.deliver("Question 1", "Support 1")
        try await work.synced { session in
            try session.store.rules.noteAnswerStarts(
                ["away"], of: Self.account, at: Workplace.tuesday - 30 * Workplace.day)
            let today = try session.plan()
            #expect(today.changes == ["Question 1: vacation", "Support 1: delegate"])
            let plan = try session.plan(over: "*")
            #expect(plan.changes == ["Support 1: delegate"])
            #expect(plan.warnings.contains("1 answer to old mail is left out"))
            let delegations = plan.items.flatMap(\.decisions).compactMap {
                if case .make(.delegate(let delegation)) = $0.action { delegation.sending } else { nil }
            }
            #expect(delegations == [.draft])
            try await applied(plan, session)
        }
        #expect(try work.names("Drafts").count == 1)
    }

    @Test("a rule acts once on old mail, and a second time only with --again")
    func actsOnce() async throws {
        let work = try Workplace()
        try work.deliver("Notice 1", to: MailboxName("Archive"))
        try await work.synced { session in
            try await applied(try session.plan(over: "subject:notice"), session)
            try await session.byHand(.unlabel("notices"), "Notice 1")
            _ = try await session.sync.account(Self.account)
            #expect(try session.plan(over: "subject:notice").changes.isEmpty)
            let again = try session.plan(over: "subject:notice", isAgain: true)
            #expect(again.changes == ["Notice 1: label"])
            try await applied(again, session, isAgain: true)
        }
        #expect(try work.client.list(MailboxName("Archive")).flatMap(\.keywords) == [Keyword("notices")])
    }

    @Test("protected mail stays, and its line names the protection")
    func protected() async throws {
        let work = try Workplace(rules: [
            "10.yaml": "rules-version: 1\nprotect:\n  - bills: subject:unpaid\n"
                + "rules:\n  - { id: clean, when: '*', then: trash }\n"
        ])
        try work.deliver("Unpaid invoice", "Paid invoice", to: MailboxName("Projects"))
        try await work.synced { session in
            let plan = try session.plan(over: "*")
            #expect(plan.items.map(\.protectedBy).compactMap(\.self) == ["bills"])
            #expect(plan.changes == ["Paid invoice: trash"])
            try await applied(plan, session)
        }
        #expect(try work.names("Projects") == ["Unpaid-invoice"])
        #expect(try work.names("Trash") == ["Paid-invoice"])
    }

    @Test("messages with open steps are left out, and the limit keeps the newest ones")
    func waitingAndLimit() async throws {
        let work = try Workplace()
        for day in 1...3 {
            try work.deliver(
                SampleMail(subject: "Invoice \(day)", date: Workplace.tuesday - Int64(day) * Workplace.day))
        }
        try await work.synced { session in
            try await work.blocking("Archive") {
                _ = try await session.triage.apply(try session.plan(limit: 1), command: "triage")
            }
            #expect(
                try session.plan(over: "*").changes == ["Invoice 2: task archive", "Invoice 3: task archive"])
            let limited = try session.plan(over: "*", limit: 1)
            #expect(limited.changes == ["Invoice 2: task archive"])
        }
    }

    @Test("a plan over old mail that exceeds the brakes says so")
    func brake() async throws {
        let work = try Workplace()
        try work.configure("brakes: { share: 10, count: 1 }")
        try work.deliver("Invoice 1", "Invoice 2", to: MailboxName("Projects"))
        try await work.synced { session in
            let plan = try session.plan(over: "*")
            #expect(plan.warnings.contains { $0.hasSuffix("check the plan before you apply it") })
            let problem = try session.brakes.problem(with: plan, said: [], command: "opus triage --yes")
            #expect(problem?.code == "brake")
        }
    }
}
