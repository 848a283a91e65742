import Foundation
import Models
import Rules
import Testing

@testable import Pipeline

/// Rules that are edited while a watch runs: which are in force, and what is reported.
@Suite("Rules of a watch")
struct RuleKeeperTests {
    private let work: Workplace
    private let keeper: RuleKeeper

    init() throws {
        work = try Workplace()
        keeper = RuleKeeper(try work.options().loadWorkspace(), settling: .zero)
    }

    private func look() -> RuleKeeper.Look { keeper.look(at: Workplace.tuesday) }

    private var inForce: [String]? { keeper.current?.rules.rules.map(\.id) }

    private func save(_ text: String, as name: String = "10-rules.yaml") throws {
        try work.write(text, to: "rules/" + name)
    }

    private static let other =
        "rules-version: 1\nrules:\n  - { id: new, when: 'subject:new', then: archive }\n"

    @Test("edited rules are in force at the next decision, and the first ones are not news")
    func edited() throws {
        let first = look()
        #expect(first.news == nil && !first.isChanged && inForce == ["pay", "ask", "later", "mark"])
        #expect(!keeper.hasNewFiles())
        try save(Self.other)
        #expect(keeper.hasNewFiles() && inForce?.count == 4, "a glance puts nothing in force")
        let second = look()
        #expect(second.isChanged && second.library?.rules.rules.map(\.id) == ["new"] && inForce == ["new"])
        #expect(!look().isChanged && !keeper.hasNewFiles())
    }

    @Test("while a file has an error, the last good rules stay in force, and the error is reported once")
    func broken() throws {
        _ = look()
        try save("rules-version: 1\nrules: [ broken\n")
        let news = try #require(look().news)
        #expect(news.code == "broken-rules" && news.message.hasSuffix("; the last good rules stay in force"))
        #expect(news.details.first?.hasPrefix("rules/10-rules.yaml:") == true, "\(news.details)")
        #expect(look().news == nil && inForce?.count == 4)
        #expect(keeper.problem == news, "the status shows it until it is fixed")
        try save(Workplace.rules)
        let fixed = look()
        #expect(fixed.news == nil && !fixed.isChanged && keeper.problem == nil)
        try save("rules-version: 1\nrules: [ broken\n")
        #expect(look().news != nil, "it is news again")
    }

    @Test("rules whose own test fails are not put in force")
    func failingTest() throws {
        _ = look()
        try save(
            Self.other + """
                tests:
                  - name: new mail stays
                    mail: { from: 'a@x.example', subject: 'new' }
                    expect: { rule: none }
                """)
        let news = try #require(look().news)
        #expect(news.message.hasPrefix("a test of the rules fails") && news.next == ["opus rules test"])
        #expect(inForce?.count == 4)
    }

    @Test("rules that were never good apply nothing, and say so")
    func neverGood() throws {
        try save("rules-version: 1\nrules: [ broken\n")
        let first = look()
        #expect(first.library == nil && first.news?.message.hasSuffix("; opus applies no rules") == true)
        try save(Self.other)
        #expect(look().news == nil && inForce == ["new"] && keeper.problem == nil)
    }

    @Test("a workspace without rules is not a fault, but rules that disappear are")
    func missing() throws {
        _ = look()
        try FileManager.default.removeItem(atPath: work.root + "/rules")
        #expect(look().news != nil && inForce?.count == 4)
        let empty = try Workplace(rules: [:])
        try FileManager.default.removeItem(atPath: empty.root + "/rules")
        let other = RuleKeeper(try empty.options().loadWorkspace(), settling: .zero)
        #expect(other.look(at: Workplace.tuesday).news == nil && other.problem == nil)
    }

    @Test("files that are still being written are not in force, and are not reported as broken")
    func halfWritten() async throws {
        let keeper = RuleKeeper(try work.options().loadWorkspace(), settling: .milliseconds(300))
        func look() -> RuleKeeper.Look { keeper.look(at: Workplace.tuesday) }
        _ = look()
        try save("rules-version: 1\nrules: [ broken\n")
        #expect(look().news == nil && look().library?.rules.ruleCount == 4)
        try save(Self.other)
        #expect(keeper.hasNewFiles() && !look().isChanged && keeper.hasNewFiles(), "the time begins again")
        try await Task.sleep(for: .milliseconds(400))
        #expect(look().isChanged && keeper.current?.rules.rules.map(\.id) == ["new"] && !keeper.hasNewFiles())
        try save(Workplace.rules)
        #expect(!look().isChanged)
        try save(Self.other)
        #expect(
            look().library?.rules.ruleCount == 1 && !keeper.hasNewFiles(), "nothing has changed after all")
    }
}
