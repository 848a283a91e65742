import Models
import TestSupport
import Testing

@testable import Rules

/// Conditions on the text of attached files, as far as it was read.
@Suite struct FileTextTests {
    private func holds(_ text: String, _ facts: MessageFacts = mail(), file: String?) throws -> Bool {
        let context = context { context in if let file { context.fileText = { _ in file } } }
        return try query(text).matches(facts, in: context)
    }

    @Test(
        "words of a file are found by attachment:text, text and plain words, but not by body",
        arguments: [
            ("attachment:text:jars", true), ("attachment:text:ars", false), ("attachment:text:~ars", true),
            ("attachment:text:\"plain of jars\"", true), ("attachment:text:/^The (?P<x>plain)/", true),
            ("attachment:text:invoice", false), ("text:jars", true), ("jars", true), ("jars invoice", true),
            ("body:jars", false), ("-attachment:text:jars", false), ("attachment:text:*", true),
        ])
    func words(_ text: String, _ isFound: Bool) throws {
        #expect(try holds(text, file: "The plain of jars\n") == isFound)
        #expect(try holds(text, file: nil) == text.hasPrefix("-"))
    }

    @Test("a rule finds words of files, with and without its index")
    func rule() throws {
        let set = try rules("rules:\n  - id: r\n    when: { text: jars }\n    then: flag\n")
        let context = context { $0.fileText = { _ in "jars" } }
        #expect(set.evaluate(mail(), in: context).matchedRules == ["r"])
        guard case .decided(let found) = set.evaluator(in: context).answer(mail(), having: .content) else {
            Issue.record("the rule asks for more")
            return
        }
        #expect(found.matchedRules == ["r"])
    }

    @Test("no file text is requested for a message without files")
    func noFiles() throws {
        let asked = Locked(0)
        let context = context { context in
            context.fileText = { _ in
                asked.change { $0 += 1 }
                return "jars"
            }
        }
        let facts = mail { $0.attachments = [] }
        #expect(try !query("text:jars").matches(facts, in: context))
        #expect(asked.value == 0)
    }

    @Test("a rule test can set the text of a file")
    func ruleTest() throws {
        let text = """
            rules:
              - { id: contract, when: { 'attachment:text': jars }, then: archive }
            tests:
              - { name: file, mail: { from: a@x.org, attachments: [{ name: a.pdf, text: 'The plain of jars' }] }, expect: { rule: contract } }
              - { name: none, mail: { from: a@x.org, attachments: [a.pdf] }, expect: { rule: none } }
            """
        #expect(try rules(text).runTests(context: context()).map(\.detail) == ["", ""])
    }

    @Test("a condition on the text of files is not exported to Sieve")
    func export() {
        let export = SieveExportTests.export("  - { id: a, when: 'attachment:text:jars', then: archive }\n")
        #expect(export.notes.map(\.reason).contains("Sieve cannot search text this way"))
    }
}
