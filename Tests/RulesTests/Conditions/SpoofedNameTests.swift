import Models
import Testing

@testable import Rules

/// The sender chooses the name beside an address: a name that looks like an address is never taken for one.
@Suite struct SpoofedNameTests {
    /// Of every form that a value can have.
    static let values: [(query: String, mapping: String)] = [
        ("boss@acme.example", "boss@acme.example"), ("\"boss@acme.example\"", "'\"boss@acme.example\"'"),
        ("=boss@acme.example", "{ equals: boss@acme.example }"), ("@acme.example", "'@acme.example'"),
        ("*@acme.example", "'*@acme.example'"), ("boss@*", "{ glob: 'boss@*' }"),
        ("*boss@acme*", "'*boss@acme*'"), ("~boss@acme", "{ contains: 'boss@acme' }"),
        ("~@acme.example", "{ contains: '@acme.example' }"), ("\"boss@acme\"", "'\"boss@acme\"'"),
        ("boss@acme", "boss@acme"), ("/^boss@acme/", "{ matches: '^boss@acme' }"),
        ("@vip", "'@vip'"),
    ]

    static let spoofs = [
        "boss@acme.example", "\"boss@acme.example\"", "boss@acme.example <boss@acme.example>",
        "BOSS@ACME.EXAMPLE",
        "The boss (boss@acme.example)", "boss＠acme.example",
    ]

    private func holds(_ value: (query: String, mapping: String), from: EmailAddress) throws -> [Bool] {
        let set = try rules(
            "lists: { vip: [boss@acme.example] }\nrules:\n  - id: r\n    when: { from: \(value.mapping) }\n    then: flag\n"
        )
        var facts = mail()
        facts.from = [from]
        let query = try Query.parse("from:" + value.query, rules: set).get()
        var evaluations = [set.evaluate(facts, in: context())]
        if case .decided(let evaluation) = set.evaluator(in: context()).answer(facts, having: .content) {
            evaluations.append(evaluation)
        }
        return [query.matches(facts, in: context())] + evaluations.map { $0.matchedRules == ["r"] }
    }

    @Test("a value with an @ is compared with addresses only", arguments: values)
    func address(_ value: (query: String, mapping: String)) throws {
        for name in Self.spoofs {
            let stranger = EmailAddress(displayName: name, localPart: "x", domain: "evil.example")
            #expect(try holds(value, from: stranger) == [false, false, false], "\(name)")
        }
        let boss = EmailAddress(displayName: "x@evil.example", localPart: "Boss", domain: "acme.example")
        // A pattern without i tells capital letters from small ones.
        let isTaken = !value.query.hasPrefix("/")
        #expect(try holds(value, from: boss) == [isTaken, isTaken, isTaken])
        let small = EmailAddress(localPart: "boss", domain: "acme.example")
        #expect(try holds(value, from: small) == [true, true, true])
    }

    @Test("a quoted address is matched exactly")
    func longer() throws {
        let longer = EmailAddress(localPart: "boss", domain: "acme.example.evil.example")
        for value in Self.values.prefix(5) { #expect(try !holds(value, from: longer).contains(true)) }
    }

    @Test(
        "a value without an @ is compared with names and addresses",
        arguments: [
            ("ruiz", "ruiz"), ("=\"ana ruiz\"", "{ equals: ana ruiz }"), ("*uiz", "'*uiz'"),
            ("~uiz", "{ contains: uiz }"), ("/Ruiz$/", "{ matches: 'Ruiz$' }"), ("acme", "acme"),
        ])
    func names(_ value: (query: String, mapping: String)) throws {
        let ana = EmailAddress(displayName: "Ana Ruiz", localPart: "a", domain: "acme.example")
        #expect(try holds(value, from: ana) == [true, true, true])
    }
}
