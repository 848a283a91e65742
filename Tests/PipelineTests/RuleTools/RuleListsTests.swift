import Accounts
import Foundation
import Models
import Testing

@testable import Pipeline

/// Adding addresses to a list, where a person keeps it.
@Suite("Lists of addresses")
struct RuleListsTests {
    private static let rules = """
        rules-version: 1
        lists:
          vip: [ana@x.org]   # the family
          team:
            - bob@x.org
            - '@x.example'   # all of them
          one: ada@x.org
          none: []
          file: { file: lists/file.txt }
          away: { file: lists/away.txt }
          outside: { file: ../../secret.txt }
        rules:
          - { id: a, when: 'from:@vip', then: flag }

        """

    private func workplace() throws -> (Workplace, Workspace) {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.write("# known\neve@x.org\n", to: "lists/file.txt")
        return (work, try work.options().loadWorkspace())
    }

    private func changed(_ entries: [String], to list: String) throws -> (added: [String], lines: [String]) {
        let (work, workspace) = try workplace()
        let (edit, added) = try workspace.adding(entries, toList: list)
        try edit.write()
        let now = try work.read("rules/10.yaml") + work.read("lists/file.txt")
        let before = Self.rules + "# known\neve@x.org\n"
        return (
            added,
            now.split(separator: "\n").map(String.init).filter { line in
                !before.split(separator: "\n").contains(Substring(line))
            }
        )
    }

    @Test("an entry is added in the form of the list, and comments are kept")
    func forms() throws {
        #expect(
            try changed(["carl@x.org"], to: "vip").lines == [
                "  vip: [ana@x.org, 'carl@x.org']   # the family"
            ])
        #expect(try changed(["carl@x.org"], to: "@team").lines == ["    - 'carl@x.org'"])
        #expect(try changed(["carl@x.org"], to: "one").lines == ["  one: [ada@x.org, 'carl@x.org']"])
        #expect(try changed(["@x.net"], to: "none").lines == ["  none: ['@x.net']"])
        #expect(try changed(["carl@x.org"], to: "file").lines == ["carl@x.org"])
    }

    @Test("existing entries are skipped in any case, and an entry named twice is added once")
    func known() throws {
        let some = try changed(["ANA@x.org", "carl@x.org", "Carl@X.org"], to: "vip")
        #expect(some.added == ["carl@x.org"])
        #expect(try changed(["EVE@x.org"], to: "file").added.isEmpty)
        let (work, workspace) = try workplace()
        let (edit, none) = try workspace.adding(["@X.example"], toList: "team")
        #expect(edit.isEmpty && none.isEmpty && edit.diff.isEmpty)
        #expect(try work.read("rules/10.yaml") == Self.rules)
    }

    @Test("a list file keeps its line ends, and a missing last one is added")
    func lineEnds() throws {
        let (work, workspace) = try workplace()
        for (old, new) in [
            ("eve@x.org\r\n", "eve@x.org\r\ncarl@x.org\r\n"), ("eve@x.org", "eve@x.org\ncarl@x.org\n"),
            ("", "carl@x.org\n"),
        ] {
            try work.write(old, to: "lists/file.txt")
            try workspace.adding(["carl@x.org"], toList: "file").edit.write()
            #expect(try work.read("lists/file.txt") == new)
        }
    }

    @Test("the edited rules have no errors, and a rule with the list finds the address")
    func used() async throws {
        let (work, workspace) = try workplace()
        let (edit, _) = try workspace.adding(["bob@acme.example"], toList: "vip")
        try edit.write()
        try work.write(
            try work.read("rules/10.yaml").split(separator: "\n").filter { !$0.contains("{ file:") }
                .joined(separator: "\n") + "\n", to: "rules/10.yaml")
        try work.deliver("Hello")
        try await work.synced { session in
            let plan = try session.plan()
            #expect(plan.changes == ["Hello: flag"])
        }
    }

    @Test(
        "an invalid entry is refused with advice",
        arguments: [
            (["carl@x.org"], "vips", "no-such-list 66"), (["not an address"], "vip", "bad-address 64"),
            (["carl@x.org", ""], "vip", "bad-address 64"), (["carl@x.org"], "away", "no-such-file 66"),
            (["carl@x.org"], "outside", "cannot-edit 65"),
        ])
    func refusals(_ entries: [String], _ list: String, _ refusal: String) throws {
        let (work, workspace) = try workplace()
        #expect(TriageTests.refusal { try workspace.adding(entries, toList: list) } == refusal)
        #expect(try work.read("rules/10.yaml") == Self.rules)
    }

    @Test("the error about an unknown list names the existing ones")
    func names() throws {
        let (work, workspace) = try workplace()
        #expect {
            _ = try workspace.adding(["carl@x.org"], toList: "vips")
        } throws: { error in
            Problem(error).next == ["one of: @away, @file, @none, @one, @outside, @team, @vip"]
        }
        #expect(try work.read("rules/10.yaml") == Self.rules)
    }

    @Test("an unreadable rule file ends the command")
    func unreadable() throws {
        let (work, workspace) = try workplace()
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(filePath: work.root + "/rules/20.yaml"))
        #expect(throws: DiagnosticFailure.self) { try workspace.adding(["carl@x.org"], toList: "vip") }
    }
}
