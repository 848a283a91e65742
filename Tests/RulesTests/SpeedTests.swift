import Models
import Testing

@testable import Rules

@Suite struct SpeedTests {
    @Test("three hundred rules judge a long mail in milliseconds")
    func manyRules() throws {
        let text = (1...300).map {
            "  - { id: r\($0), when: 'body:nowhere\($0) or subject:/x\($0)y/', then: flag }\n"
        }.joined()
        let set = try rules("rules:\n" + text)
        let facts = mail { $0.text = String(repeating: "Grüße aus Köln, and more words. ", count: 6_000) }
        let times = (0..<3).map { _ in
            ContinuousClock().measure { #expect(set.evaluate(facts, in: context()).decisions.isEmpty) }
        }
        // Folding it for every rule takes more than ten seconds in a debug build.
        #expect(try #require(times.min()) < .seconds(5), "\(times)")
    }
}
