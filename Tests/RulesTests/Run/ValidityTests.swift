import Models
import TestSupport
import Testing

@testable import Rules

@Suite("How long a judgement stays the same")
struct ValidityTests {
    private static let day: Int64 = 86_400

    /// Whether a rule with that condition acts at that time, and when that may change.
    private func judged(
        _ when: String, _ facts: MessageFacts = mail(), at now: Timestamp = context().now,
        fields: String = "", _ change: (inout RuleContext) -> Void = { _ in }
    ) throws -> (acts: Bool, until: Timestamp?) {
        let set = try rules("rules:\n  - { id: one, when: '\(when)', then: flag\(fields) }\n")
        let validity = Validity()
        let surroundings = context {
            change(&$0)
            $0.now = now
            $0.validity = validity
        }
        return (!set.evaluate(facts, in: surroundings).decisions.isEmpty, validity.until)
    }

    @Test("a judgement without conditions on time is valid without limit")
    func unlimited() throws {
        for when in [
            "subject:invoice", "is:unread", "size>1M", "from:known", "weekday:tue", "task:waited>7d",
        ] {
            #expect(try judged(when).until == nil, "\(when)")
        }
    }

    @Test("a judgement with an age is valid until the comparison changes")
    func age() throws {
        let facts = mail()
        let now = facts.date + 3 * Self.day
        #expect(try judged("age>7d", facts, at: now).until == facts.date + 7 * Self.day)
        #expect(try judged("age>=3d", facts, at: now).until == now + 1)
        #expect(try judged("age>2d", facts, at: now).until == nil)
        #expect(try judged("age>7d and age>5d", facts, at: now).until == facts.date + 7 * Self.day)
        #expect(try judged("age>5d or age>7d", facts, at: now).until == facts.date + 5 * Self.day)
        // The text decides before the age is compared.
        #expect(try judged("is:flagged and age>7d", facts, at: now).until == nil)
    }

    @Test("a judgement with other conditions on time is not valid later")
    func atOnce() throws {
        for when in ["date:today", "date<2020-01-01", "received>yesterday"] {
            #expect(try judged(when).until.map { $0 < context().now } == true, "\(when)")
        }
        for fields in [", expire: 2026-12-31", ", on: daily 07:00"] {
            let result = try judged("*", fields: fields) { $0.timers = ["one": Timestamp(seconds: 1)] }
            #expect(result.until.map { $0 < context().now } == true, "\(fields)")
        }
    }

    /// Ages and waits around the limits of random rules, at random times: until the noted time, the answer is the same.
    @Test(arguments: 0..<40)
    func `the answer does not change while the judgement is valid`(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        func age() -> String { "age\(["<", "<=", "=", ">=", ">"][random.below(5)])\(random.below(5))d" }
        let words = [
            age(), "not \(age())", "\(age()) or \(age())", "\(age()) and not \(age())",
            "is:flagged or \(age())",
        ]
        let when = words[random.below(words.count)]
        let facts = mail()
        for _ in 0..<20 {
            let now = facts.date + Int64(random.below(6)) * Self.day + Int64(random.below(3)) - 1
            let first = try judged(when, facts, at: now)
            let end = first.until ?? now + 30 * Self.day
            #expect(end > now)
            for later in [now + 1, end - 1, now + (end - now) / 2] where later > now && later < end {
                #expect(try judged(when, facts, at: later).acts == first.acts, "\(when) at \(later)")
            }
        }
    }
}
