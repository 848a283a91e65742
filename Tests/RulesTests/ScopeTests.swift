import Models
import Testing

@testable import Rules

/// When and where a rule is in force: `mailboxes:`, `expire:`, `on:`.
@Suite struct ScopeTests {
    private func set(_ fields: String) throws -> RuleSet {
        try rules("rules:\n  - { id: r, when: '*', then: flag, \(fields) }")
    }

    private func acts(
        _ fields: String, _ facts: MessageFacts = mail(), _ change: (inout RuleContext) -> Void = { _ in }
    ) throws -> Bool {
        try !set(fields).evaluate(facts, in: context(change)).decisions.isEmpty
    }

    private func standing(in name: String, _ role: MailboxRole? = nil) -> MessageFacts {
        mail {
            $0.mailbox = Mailbox(
                account: AccountID("work"), name: MailboxName(name), displayName: name, role: role)
        }
    }

    @Test func `a rule for mailboxes acts only there`() throws {
        #expect(try acts("mailboxes: Lists", standing(in: "Lists")))
        #expect(try acts("mailboxes: [archive, 'List*']", standing(in: "Lists/Swift")))
        #expect(try acts("mailboxes: archive", standing(in: "Ablage", .archive)))
        #expect(try !acts("mailboxes: Lists"))
    }

    @Test func `triage includes the mailboxes that rules name, where only those rules act`() throws {
        let boxes = ["INBOX", "Lists", "Other"].map {
            Mailbox(
                account: AccountID("work"), name: MailboxName($0), displayName: $0,
                role: $0 == "INBOX" ? .inbox : nil)
        }
        #expect(try set("mailboxes: lists").triagedMailboxes(among: boxes).map(\.displayName) == ["Lists"])
        #expect(try set("mailboxes: lists, enabled: false").triagedMailboxes(among: boxes).isEmpty)
        #expect(try set("stop: false").triagedMailboxes(among: boxes).isEmpty)
        let both = try rules(
            "rules:\n  - { id: a, when: '*', then: flag }\n  - { id: b, when: '*', then: { label: x }, mailboxes: Lists }"
        )
        let there = both.forNamedMailboxes.evaluate(standing(in: "Lists"), in: context())
        #expect(there.decisions.map(\.rule) == ["b"])
    }

    @Test func `a rule expires after its last day`() throws {
        // The clock of the tests is 13 March 2026.
        #expect(try acts("expire: 2026-03-13"))
        #expect(try !acts("expire: 2026-03-12"))
    }

    @Test(arguments: [
        // Ran, now, whether it is due; 2026-03-13 is a Friday, the zone is Paris.
        ("daily 07:00", "2026-03-12T08:00:00Z", "2026-03-13T05:59:00Z", false),
        ("daily 07:00", "2026-03-12T08:00:00Z", "2026-03-13T06:00:00Z", true),
        ("daily 07:00", "2026-03-13T06:00:00Z", "2026-03-13T20:00:00Z", false),
        ("weekdays 07:00", "2026-03-13T06:00:00Z", "2026-03-15T20:00:00Z", false),
        ("weekdays 07:00", "2026-03-13T06:00:00Z", "2026-03-16T06:00:00Z", true),
        ("mon,thu 9am", "2026-03-12T08:00:00Z", "2026-03-15T20:00:00Z", false),
        ("mon,thu 9am", "2026-03-12T08:00:00Z", "2026-03-16T08:00:00Z", true),
        ("monday 07:00", "2026-03-01T00:00:00Z", "2026-03-15T20:00:00Z", true),
        ("daily 07:00", "2030-01-01T00:00:00Z", "2026-03-13T05:00:00Z", true),
        // Sunday 29 March has 23 hours: a day before Monday 00:30 by the clock is not 24 hours before.
        ("sunday 07:00", "2026-03-28T08:00:00Z", "2026-03-29T22:30:00Z", true),
        ("sunday 02:30", "2026-03-28T08:00:00Z", "2026-03-29T00:59:00Z", false),
        ("sunday 02:30", "2026-03-28T08:00:00Z", "2026-03-29T01:30:00Z", true),
        // Sunday 25 October has 25, and half past two twice.
        ("sunday 02:30", "2026-10-24T08:00:00Z", "2026-10-25T00:30:00Z", true),
        ("sunday 02:30", "2026-10-25T00:30:00Z", "2026-10-25T01:45:00Z", false),
        ("daily 00:00", "2026-10-24T22:00:00Z", "2026-10-25T22:59:00Z", false),
        ("daily 00:00", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", true),
    ])
    func `a scheduled rule waits for its time, and catches up if that was missed`(
        text: String, ran: String, now: String, isDue: Bool
    ) throws {
        let found = try acts("on: '\(text)'") {
            $0.timers = ["r": Timestamp(rfc3339: ran) ?? $0.now]
            $0.now = Timestamp(rfc3339: now) ?? $0.now
        }
        #expect(found == isDue)
        #expect(try acts("on: '\(text)'"), "one that never ran is due")
    }

    @Test func `a rule that is not in force is reported as such`() throws {
        let set = try set("expire: 2026-03-12")
        #expect(set.explain(mail(), in: context()).first?.note == "not in force since 2026-03-12")
    }

    @Test(arguments: [
        ("expire: tomorrow", "R022"), ("on: sometimes", "R022"), ("on: daily 25:00", "R022"),
        ("mailboxes: []", "R003"),
    ])
    func `an invalid scope is an error`(fields: String, code: String) {
        let found = compile("rules:\n  - { id: r, when: '*', then: flag, \(fields) }").diagnostics
        #expect(found.map(\.code) == [code])
    }
}
