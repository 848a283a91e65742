import Models
import Testing

@testable import Planner

/// A person's wish as a plan: which places, and how much of a conversation.
@Suite struct ByHandTests {
    private static func facts(_ uid: UInt32, in mailbox: Mailbox = Sample.inbox, id: String? = nil)
        -> MessageFacts
    {
        var facts = Sample.facts(uid)
        facts.key = Sample.key(uid, in: mailbox)
        facts.mailbox = mailbox
        if let id { facts.id = EmailID(rawValue: id) }
        return facts
    }

    private static func plan(
        _ action: Action, _ messages: [[MessageFacts]], thread: [MessageFacts] = [],
        reach: HandReach = .message,
        protections: [EmailID: String] = [:], isForced: Bool = false
    ) -> Plan {
        Planning.byHand(
            HandWish(verb: "verb", action: action, reach: reach, isForced: isForced),
            messages: messages, threads: [ThreadID(rawValue: "t"): thread], protections: protections,
            context: Sample.context)
    }

    private static func steps(_ plan: Plan, token: String = "") throws -> [String] {
        var context = Sample.context
        context.token = token
        return try Planning.workByHand(for: plan, context: context).steps.map(\.kind.summary)
    }

    @Test func `a command acts on the deferred message, not on an archived copy`() throws {
        let copies = [Self.facts(4, in: Sample.archive, id: "a"), Self.facts(1, id: "a")]
        #expect(try Self.steps(Self.plan(.archive, [copies])) == ["move 1 Archive"])
        #expect(try Self.steps(Self.plan(.move(to: Sample.projects), [copies])) == ["move 1 Projects"])
        let put = [Self.facts(4, in: Sample.archive, id: "a"), Self.facts(5, in: Sample.projects, id: "a")]
        #expect(try Self.steps(Self.plan(.archive, [put])) == [])
    }

    @Test func `queued steps count as done, and can be reversed`() throws {
        var queued = Self.facts(1)
        queued.mailbox = Sample.archive
        #expect(try Self.steps(Self.plan(.archive, [[queued]]), token: "second") == [])
        #expect(
            try Self.steps(Self.plan(.move(to: Sample.inbox), [[queued]]), token: "second") == [
                "move 1 INBOX"
            ])
    }

    @Test func `in All Mail nothing changes while the message is also in another mailbox`() throws {
        let all = Sample.mailbox("All Mail", .all)
        let places = [Self.facts(4, in: all, id: "a"), Self.facts(1, id: "a")]
        #expect(try Self.steps(Self.plan(.flag, [places])) == ["store 1 +flagged"])
        #expect(try Self.steps(Self.plan(.flag, [[places[0]]])) == ["store 4 +flagged"])
        #expect(try Self.steps(Self.plan(.trash, [[places[0]]])) == ["move 4 Trash"])
    }

    @Test func `the conversation in the same mailbox moves too, except protected messages`() throws {
        let thread = [Self.facts(1), Self.facts(2), Self.facts(3), Self.facts(7, in: Sample.projects)]
        let protections = [EmailID(rawValue: "m2"): "keep"]
        let plan = Self.plan(
            .archive, [[thread[2]]], thread: thread, reach: .conversation, protections: protections)
        #expect(try Self.steps(plan) == ["move 1 Archive", "move 3 Archive"])
        let forced = Self.plan(
            .archive, [[thread[2]]], thread: thread, reach: .conversation, protections: protections,
            isForced: true)
        #expect(try Self.steps(forced).count == 3)
    }

    @Test func `a message takes only the mail along in which its writer has a part`() throws {
        func mail(_ uid: UInt32, from writer: String, to people: String...) -> MessageFacts {
            var facts = Self.facts(uid)
            facts.from = [EmailAddress(writer)].compactMap(\.self)
            facts.to = (["me@x.example"] + people).compactMap { EmailAddress($0) }
            return facts
        }
        let bob = mail(1, from: "bob@x.example", to: "kim@x.example")
        let team = mail(2, from: "eve@x.example", to: "team@x.example")
        for (writer, copied, moved) in [
            ("spam@y.example", nil, ["move 3 Archive"]),
            ("spam@y.example", "me+tag@x.example", ["move 3 Archive"]),
            ("bob@x.example", nil, ["move 1 Archive", "move 3 Archive"]),
            ("kim@x.example", nil, ["move 1 Archive", "move 3 Archive"]),
            ("joe@x.example", "team@x.example", ["move 2 Archive", "move 3 Archive"]),
            ("carl@x.example", nil, ["move 1 Archive", "move 2 Archive", "move 3 Archive"]),
            ("Carl+2@x.example", nil, ["move 1 Archive", "move 2 Archive", "move 3 Archive"]),
            ("me@x.example", nil, ["move 3 Archive"]),
            ("Me+1@x.example", "kim@x.example", ["move 3 Archive"]),
        ] as [(String, String?, [String])] {
            let named = mail(3, from: writer, to: copied ?? "me@x.example")
            let company = Company(
                written: [bob.conversation: ["carl@x.example"]], own: ["me@x.example"])
            let plan = Planning.byHand(
                HandWish(verb: "verb", action: .archive, reach: .company), messages: [[named]],
                threads: [bob.thread: [bob, team, named]], company: company, protections: [:],
                context: Sample.context)
            #expect(try Self.steps(plan) == moved, "\(writer)")
        }
        var named = mail(3, from: "spam@y.example")
        named.subject = "Re: [team] \(bob.subject)"
        let plan = Planning.byHand(
            HandWish(verb: "verb", action: .archive, reach: .company), messages: [[named]],
            threads: [bob.thread: [bob, team, named]], company: Company(own: ["me@x.example"]),
            protections: [:], context: Sample.context)
        #expect(try Self.steps(plan) == ["move 1 Archive", "move 3 Archive"])
    }

    @Test func `a message that goes along takes others along, but not for a stranger`() throws {
        func mail(_ uid: UInt32, from writer: String, _ copied: String = "me@x.example") -> MessageFacts {
            var facts = Self.facts(uid)
            facts.from = [EmailAddress(writer)].compactMap(\.self)
            facts.to = ["me@x.example", copied].compactMap { EmailAddress($0) }
            return facts
        }
        let thread = [
            mail(1, from: "bob@x.example"), mail(2, from: "bob@x.example", "carl@x.example"),
            mail(3, from: "carl@x.example", "bob@x.example"), mail(4, from: "spam@y.example"),
        ]
        for (named, moved) in [(2, 3), (3, 1), (0, 3)] {
            let plan = Planning.byHand(
                HandWish(verb: "verb", action: .archive, reach: .company), messages: [[thread[named]]],
                threads: [thread[0].thread: thread], company: Company(own: ["me@x.example"]),
                protections: [:],
                context: Sample.context)
            #expect(try Self.steps(plan).count == moved, "\(named)")
        }
    }

    @Test func `the user's own mail takes everything along, but a placeholder address takes nothing`() throws
    {
        func mail(_ uid: UInt32, from writer: String, to placeholder: EmailAddress? = nil) -> MessageFacts {
            var facts = Self.facts(uid)
            facts.from = [EmailAddress(writer)].compactMap(\.self)
            facts.to = [EmailAddress("bob@x.example"), placeholder].compactMap(\.self)
            return facts
        }
        func moved(_ named: MessageFacts, with other: MessageFacts, _ company: Company) throws -> Int {
            try Self.steps(
                Planning.byHand(
                    HandWish(verb: "verb", action: .archive, reach: .company), messages: [[named]],
                    threads: [named.thread: [other, named]], company: company, protections: [:],
                    context: Sample.context)
            ).count
        }
        let own: Set<String> = ["me@x.example", "bob@x.example"]
        let (other, mine) = (mail(1, from: "kim@x.example"), mail(2, from: "me@x.example"))
        #expect(try moved(mine, with: other, Company(own: own)) == 1)
        #expect(try moved(mine, with: mail(1, from: "Me+1@x.example"), Company(own: own)) == 2)
        #expect(try moved(mine, with: other, Company(sent: [mine.id], own: own)) == 2)
        for (local, domain, count) in [
            ("undisclosed-recipients", "", 1), ("", "x.example", 1), ("root", "localhost", 1),
            ("team", "x.example", 2),
        ] {
            let address = EmailAddress(displayName: "", localPart: local, domain: domain)
            let (first, second) = (
                mail(1, from: "kim@x.example", to: address), mail(2, from: "spam@y.example", to: address)
            )
            #expect(try moved(second, with: first, Company(own: own)) == count, "\(local)@\(domain)")
        }
    }

    @Test func `two messages of one conversation are one request each, and each message moves once`() throws {
        let thread = [Self.facts(1), Self.facts(2), Self.facts(3)]
        let plan = Self.plan(.archive, [[thread[0]], [thread[2]]], thread: thread, reach: .conversation)
        #expect(try Self.steps(plan).sorted() == ["move 1 Archive", "move 2 Archive", "move 3 Archive"])
        #expect(plan.items.flatMap { $0.threadKeys.map(\.key.uid) } == [2])
    }

    @Test func `a protected message is reported and stays, but marks are possible`() throws {
        let protections = [EmailID(rawValue: "m1"): "keep"]
        let plan = Self.plan(.archive, [[Self.facts(1)]], protections: protections)
        #expect(plan.items.map(\.protectedBy) == ["keep"])
        #expect(try Self.steps(plan) == [])
        let mark = Self.plan(.flag, [[Self.facts(1)]], protections: protections)
        #expect(mark.items.map(\.protectedBy) == [nil])
        #expect(try Self.steps(mark) == ["store 1 +flagged"])
    }

    @Test
    func `a message that leaves the deferred mailbox is no longer deferred`()
        throws
    {
        let plan = Self.plan(.archive, [[Self.facts(3, in: Sample.deferred)]])
        let work = try Planning.workByHand(for: plan, context: Sample.context)
        #expect(work.deferrals == [.init(message: EmailID(rawValue: "m3"), until: nil)])
        #expect(work.remembered.isEmpty)
    }

    @Test func `the same request in another command is a new request`() throws {
        let plan = Self.plan(.archive, [[Self.facts(1)]])
        let keys = try ["", "command 1", "command 2"].map { token in
            var context = Sample.context
            context.token = token
            return try Planning.workByHand(for: plan, context: context).steps.map(\.idempotencyKey)
        }
        #expect(Set(keys.flatMap(\.self)).count == 3)
    }

    @Test func `the id of a plan depends on its messages and actions, not on the clock`() {
        let plan = Self.plan(.archive, [[Self.facts(1)], [Self.facts(2)]])
        var later = plan
        later.now = plan.now + 3_600
        later.warnings = ["something"]
        #expect(plan.id == later.id)
        #expect(plan.id.hasPrefix("p:") && plan.id.count == 8)
        var others = [
            Self.plan(.archive, [[Self.facts(1)]]), Self.plan(.trash, [[Self.facts(1)], [Self.facts(2)]]),
            Self.plan(.archive, [[Self.facts(1)], [Self.facts(3)]]),
        ]
        var rules = plan
        rules.origin = .rules(digest: "others")
        others.append(rules)
        #expect(Set(others.map(\.id)).union([plan.id]).count == 5)
    }

    @Test(arguments: [(5, false), (6, true)])
    func `a plan by hand beyond the brake is stopped`(_ count: UInt32, _ stops: Bool) {
        let plan = Self.plan(.mark(read: true), (1...count).map { [Self.facts($0)] })
        #expect((Brake(minimumCount: 5).checkByHand(plan) != nil) == stops)
    }

    @Test func `mails beyond the limit are stopped, and the rule that sends most is named`() {
        var plan = Self.plan(.flag, [])
        for uid in 1...UInt32(4) {
            var item = Self.plan(.flag, [[Self.facts(uid)]]).items[0]
            let bob = EmailAddress(displayName: "", localPart: "bob", domain: "acme.example")
            item.decisions = [
                Sample.decision(uid == 1 ? "a" : "b", .delegate(Delegation(to: bob, sending: .now)))
            ]
            plan.items.append(item)
        }
        #expect(Brake(maximumSends: 4).check(plan) == nil)
        let reason = Brake(maximumSends: 3).check(plan)
        #expect(reason?.text == "the plan sends 4 mails, more than 3")
        #expect(reason?.most == "rule b: 3")
    }
}
