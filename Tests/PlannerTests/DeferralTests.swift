import Models
import Testing

@testable import Planner

/// Which deferred messages come back.
@Suite struct DeferralTests {
    private static func message(
        _ number: UInt32, _ until: DeferredUntil, in conversation: String,
        from writer: String = "ann@x.example",
        flags: Set<Flag> = [], isAnswered: Bool = false, isByHand: Bool = false
    ) -> DeferredMessage {
        var facts = Sample.facts(number, thread: conversation)
        facts.from = [EmailAddress(writer)].compactMap(\.self)
        facts.to = [EmailAddress("me@x.example")].compactMap(\.self)
        return DeferredMessage(
            facts: facts, until: until,
            places: [
                MessagePlace(
                    message: facts.id, key: Sample.key(number, in: Sample.deferred), mailbox: Sample.deferred,
                    flags: flags)
            ], isAnswered: isAnswered, isByHand: isByHand)
    }

    private static func steps(_ messages: [DeferredMessage]) -> [String] {
        DeferralSteps.returning(messages, context: Sample.context).steps.map(\.kind.summary)
    }

    @Test func `a message returns when it is due, and not before`() {
        let work = DeferralSteps.returning(
            [
                Self.message(1, .time(Sample.now), in: "a"), Self.message(2, .time(Sample.now + 1), in: "b"),
                Self.message(3, .someday, in: "c"),
            ], context: Sample.context)
        #expect(work.steps.map(\.kind.summary) == ["move 1 INBOX"])
        #expect(work.deferrals == [.init(message: EmailID(rawValue: "m1"), until: nil)])
        #expect(work.remembered == [])
    }

    @Test func `a message that was read returns unread`() {
        let steps = DeferralSteps.returning(
            [Self.message(1, .time(Sample.now), in: "a", flags: [.seen, .flagged])], context: Sample.context
        ).steps
        #expect(
            steps.map(\.kind) == [
                .store(
                    Sample.key(1, in: Sample.deferred), addFlags: [], removeFlags: [.seen], addKeywords: [],
                    removeKeywords: []),
                .move(Sample.key(1, in: Sample.deferred), to: Sample.inbox),
            ])
        #expect(Set(steps.map(\.idempotencyKey)).count == 2)
    }

    @Test func `an answer returns the deferred messages of its conversation, with or without a date`() {
        let answered = [
            Self.message(1, .someday, in: "a", isAnswered: true),
            Self.message(2, .time(Sample.now + 900), in: "a"), Self.message(3, .someday, in: "b"),
        ]
        #expect(Self.steps(answered) == ["move 1 INBOX", "move 2 INBOX"])
    }

    @Test func `the messages of a conversation return together`() {
        let two = [
            Self.message(1, .time(Sample.now - 1), in: "a"),
            Self.message(2, .time(Sample.now + 900), in: "a"),
        ]
        #expect(Self.steps(two) == ["move 1 INBOX", "move 2 INBOX"])
    }

    @Test
    func
        `a deferred message of a stranger returns alone, or with mail of its subject that the user deferred`()
    {
        func steps(
            after stranger: DeferredMessage, company: Company = Company(own: ["me@x.example"])
        ) -> [String] {
            DeferralSteps.returning(
                [
                    stranger, Self.message(2, .time(Sample.now + 900), in: "a"),
                    Self.message(3, .someday, in: "a"),
                ],
                company: company, context: Sample.context
            ).steps.map(\.kind.summary)
        }
        let due = Self.message(1, .time(Sample.now), in: "a", from: "spam@y.example")
        #expect(steps(after: due) == ["move 1 INBOX"])
        let answered = Self.message(1, .someday, in: "a", from: "spam@y.example", isAnswered: true)
        #expect(steps(after: answered) == ["move 1 INBOX"])
        var byHand = Self.message(1, .time(Sample.now), in: "a", from: "spam@y.example", isByHand: true)
        #expect(steps(after: byHand) == ["move 1 INBOX"])
        byHand.facts.subject = "AW: Subject 2"
        #expect(steps(after: byHand) == ["move 1 INBOX", "move 2 INBOX"])
        byHand.isByHand = false
        #expect(steps(after: byHand) == ["move 1 INBOX"])
        let early = Self.message(
            1, .someday, in: "a", from: "spam@y.example", isAnswered: true, isByHand: true)
        #expect(steps(after: early) == ["move 1 INBOX"])
        let written = Company(
            written: [ThreadID(rawValue: "a"): ["spam@y.example"]], own: ["me@x.example"])
        #expect(steps(after: due, company: written) == ["move 1 INBOX", "move 2 INBOX", "move 3 INBOX"])
    }

    @Test func `of two messages of one writer, the one that the user deferred until now decides`() {
        var early = Self.message(
            1, .someday, in: "a", from: "spam@y.example", isAnswered: true, isByHand: true)
        var due = Self.message(2, .time(Sample.now), in: "a", from: "spam@y.example", isByHand: true)
        var other = Self.message(3, .someday, in: "a")
        (early.facts.subject, due.facts.subject, other.facts.subject) = ("Plan", "Plan", "Re: Plan")
        let steps = DeferralSteps.returning(
            [early, due, other], company: Company(own: ["me@x.example"]), context: Sample.context
        ).steps.map(\.kind.summary)
        #expect(steps == ["move 1 INBOX", "move 2 INBOX", "move 3 INBOX"])
    }

    @Test func `an answer counts if its writer takes part in the deferred conversation`() {
        func mail(_ number: UInt32, from writer: String) -> MessageFacts {
            var facts = Sample.facts(number)
            facts.from = [EmailAddress(writer)].compactMap(\.self)
            facts.to = [EmailAddress("me@x.example")].compactMap(\.self)
            return facts
        }
        let deferred = mail(1, from: "ann@x.example")
        let company = Company(
            written: [deferred.conversation: ["carl@x.example"]], own: ["me@x.example"])
        for (writer, wakes) in [
            ("ann@x.example", true), ("carl@x.example", true), ("stranger@y.example", false),
            ("Ann+home@x.example", true), ("carl+2@x.example", true), ("ann+home@y.example", false),
            ("me@x.example", false), ("me+1@x.example", false),
        ] {
            #expect(company.includes(deferred, with: mail(2, from: writer)) == wakes)
        }
    }
}
