import Models
import TestSupport
import Testing

@testable import Accounts

@Suite("Command mailboxes in opus.yaml")
struct CommandMailboxesTests {
    private static func load(_ settings: String) throws -> (Workspace?, [String]) {
        let folder = try TemporaryFolder()
        let (workspace, diagnostics) = try folder.load(
            """
            config-version: 1
            \(settings)
            accounts:
              - { name: work, address: ana@acme.example, maildir: Mail }
            """)
        return (workspace, diagnostics.map(\.code))
    }

    @Test("command-mailboxes names the parent mailbox, and each person has a mailbox")
    func name() throws {
        let (workspace, codes) = try Self.load(
            "command-mailboxes: Opus\npeople: { Bob: bob@acme.example, Eve: eve@x.example }")
        #expect(codes == [])
        let settings = try #require(workspace?.commandMailboxes)
        #expect(settings.below == "Opus")
        #expect(
            settings.entries(people: workspace?.people ?? []).map(\.name) == [
                "Task", "Tomorrow", "Next week", "Waiting", "Someday", "Delegate Bob", "Delegate Eve",
                "Not this sender", "Undo",
            ])
    }

    @Test("command mailboxes can have translated names")
    func translated() throws {
        let (workspace, codes) = try Self.load(
            "command-mailboxes: { below: Auftrag, task: Aufgabe, next-week: Nächste Woche }")
        #expect(codes == [])
        let settings = try #require(workspace?.commandMailboxes)
        #expect(settings.below == "Auftrag")
        #expect(
            settings.entries(people: []).map(\.name).prefix(3) == ["Aufgabe", "Tomorrow", "Nächste Woche"])
    }

    @Test("without the key there are no command mailboxes")
    func none() throws { #expect(try Self.load("").0?.commandMailboxes == nil) }

    @Test(
        "a value that cannot name a mailbox is an error",
        arguments: [
            ("command-mailboxes: a/b", "C007"), ("command-mailboxes: 'a*'", "C007"),
            ("command-mailboxes: ' a'", "C007"),
            ("command-mailboxes: [a]", "C006"), ("command-mailboxes: { taks: a }", "C004"),
            ("command-mailboxes: { task: Undo }", "C007"), ("people: { Bob: nobody }", "C008"),
            ("people: { a.b: bob@acme.example }", "C007"), ("people: [bob@acme.example]", "C006"),
            ("people: { Bob: b@x.example, bob: c@x.example }", "C007"),
        ])
    func wrong(settings: String, code: String) throws {
        let (workspace, codes) = try Self.load(settings)
        #expect(workspace == nil)
        #expect(codes == [code])
    }
}
