import Foundation
import Models
import Testing

@testable import Pipeline

/// Changes of rule files: shown, checked, and written whole.
@Suite("Editing rules")
struct RuleEditingTests {
    private static let rules = "rules-version: 1\nrules:\n  - { id: a, when: 'subject:a', then: flag }\n"

    private func edit(
        _ work: Workplace, to new: String, from old: String = rules, file: String = "10.yaml"
    ) throws -> RuleEdit {
        var edit = RuleEdit(workspace: try work.options().loadWorkspace())
        edit.files = [
            .init(path: work.root + "/rules/" + file, shown: "rules/" + file, old: old, new: new)
        ]
        return edit
    }

    @Test("an edit that adds an error to the rules is refused, and earlier errors do not matter")
    func check() throws {
        let work = try Workplace(rules: [
            "10.yaml": Self.rules, "20.yaml": "rules:\n  - { id: x, when: sender:a }\n",
        ])
        try edit(work, to: Self.rules.replacing("flag", with: "archive")).check()
        let bad = try edit(work, to: Self.rules.replacing("flag", with: "explode"))
        #expect {
            try bad.check()
        } throws: { error in
            (error as? DiagnosticFailure)?.diagnostics.map(\.file) == ["rules/10.yaml"]
        }
    }

    @Test("a new file is checked together with the others, and may not reuse an id")
    func newFile() throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        let twin = try edit(work, to: Self.rules, from: "", file: "20.yaml")
        #expect(throws: DiagnosticFailure.self) { try twin.check() }
        #expect(twin.diff.hasPrefix("--- /dev/null\n+++ rules/20.yaml\n"))
        let other = try edit(
            work, to: Self.rules.replacing("id: a", with: "id: b"), from: "", file: "20.yaml")
        try other.check()
        try other.write()
        #expect(
            try work.options().loadWorkspace().ruleDocuments().map(\.shown) == [
                "rules/10.yaml", "rules/20.yaml",
            ])
    }

    @Test("a file changed in the meantime is not replaced")
    func changedMeanwhile() throws {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        let edit = try edit(work, to: Self.rules + "# ours\n")
        try work.write(Self.rules + "# theirs\n", to: "rules/10.yaml")
        #expect(TriageTests.refusal { try edit.write() } == "file-changed 75")
        #expect(try work.read("rules/10.yaml") == Self.rules + "# theirs\n")
    }

    @Test("editing a link keeps the link, and the permissions of its target")
    func link() throws {
        let work = try Workplace(rules: [:])
        try work.write(Self.rules, to: "shared/mine.yaml")
        let (real, link) = (work.root + "/shared/mine.yaml", work.root + "/rules/10.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        try edit(work, to: Self.rules + "# more\n").write()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == real)
        #expect(try work.read("shared/mine.yaml").hasSuffix("# more\n"))
        let rights = try FileManager.default.attributesOfItem(atPath: real)[.posixPermissions] as? Int
        #expect(rights == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: work.root + "/shared") == ["mine.yaml"])
    }

    @Test("a missing folder is the error of a file that cannot be written")
    func cannotWrite() throws {
        let work = try Workplace(rules: [:])
        let edit = try edit(work, to: Self.rules, from: "", file: "gone/10.yaml")
        #expect(TriageTests.refusal { try edit.write() } == "cannot-write 73")
    }
}
