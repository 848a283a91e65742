import Foundation
import Models
import Rules
import Testing

@testable import Pipeline

/// The digest by which a saved plan knows that it was made by other rules.
@Suite("Rule library")
struct RuleLibraryTests {
    private static let withList = """
        rules-version: 1
        lists:
          vip: { file: lists/vip.txt }
        rules:
          - { id: vip, when: 'from:@vip', then: flag }

        """

    private func library(_ work: Workplace) throws -> RuleLibrary {
        RuleLibrary.load(try work.options().loadWorkspace())
    }

    private func workplace() throws -> Workplace {
        let work = try Workplace(rules: ["10.yaml": Workplace.rules, "20.yaml": Self.withList])
        try work.write("ana@acme.example\n", to: "lists/vip.txt")
        return work
    }

    @Test("the same files have the same digest")
    func stable() throws {
        let work = try workplace()
        let library = try library(work)
        #expect(library.errors.isEmpty)
        #expect(try self.library(work).digest == library.digest)
        #expect(try self.library(workplace()).digest == library.digest)
    }

    @Test(
        "a change of a rule file, its name or its list changes the digest",
        arguments: ["rules/10.yaml", "lists/vip.txt", "rules/30.yaml"])
    func changes(_ path: String) throws {
        let work = try workplace()
        let before = try library(work).digest
        let text = (try? work.read(path)) ?? "rules-version: 1\n"
        try work.write(text + "# one more line\n", to: path)
        #expect(try library(work).digest != before)
    }

    @Test("renaming a file changes the digest")
    func renamed() throws {
        let work = try workplace()
        let before = try library(work).digest
        try FileManager.default.moveItem(
            atPath: work.root + "/rules/20.yaml", toPath: work.root + "/rules/05.yaml")
        #expect(try library(work).digest != before)
    }

    @Test("files that are not rule files are ignored")
    func otherFiles() throws {
        let work = try workplace()
        let before = try library(work).digest
        try work.write("notes", to: "rules/README.md")
        try work.write("x: 1", to: "rules/.10.yaml.swp.yaml")
        #expect(try library(work).digest == before)
        #expect(try library(work).errors.isEmpty)
    }

    @Test("an unreadable rule file is an error")
    func unreadable() throws {
        let work = try workplace()
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(filePath: work.root + "/rules/30.yaml"))
        try Data(repeating: UInt8(ascii: "#"), count: RuleSource.fileLimit + 1)
            .write(to: URL(filePath: work.root + "/rules/40.yaml"))
        try FileManager.default.createSymbolicLink(
            atPath: work.root + "/rules/50.yaml", withDestinationPath: "/nowhere/at/all")
        #expect(
            try library(work).errors.map { "\($0.file): \($0.message)" } == [
                "rules/30.yaml: is not UTF-8; save it as UTF-8",
                "rules/40.yaml: is longer than 1048576 bytes; split it",
                "rules/50.yaml: cannot be opened: No such file or directory",
            ])
    }

    @Test("a pipe, folder or device named like a rule file is an error, and opus does not wait for it")
    func noFile() throws {
        let work = try workplace()
        #expect(mkfifo(work.root + "/rules/30.yaml", 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: work.root + "/rules/40.yaml", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: work.root + "/rules/50.yaml", withDestinationPath: "/dev/zero")
        #expect(
            try library(work).errors.map { "\($0.file): \($0.message)" }
                == [30, 40, 50].map {
                    "rules/\($0).yaml: is not a regular file"
                })
    }

    @Test("an unreadable rules folder is an error")
    func noList() throws {
        let work = try Workplace(rules: [:])
        try FileManager.default.removeItem(atPath: work.root + "/rules")
        try work.write("x", to: "rules")
        #expect(
            try library(work).errors.map { "\($0.file): \($0.message)" } == [
                "rules: is not a folder that can be read; check its permissions"
            ])
    }

    @Test("without a rules folder there are no rules, and no error")
    func noFolder() throws {
        let work = try Workplace(rules: [:])
        try FileManager.default.removeItem(atPath: work.root + "/rules")
        let library = try library(work)
        #expect(library.rules.ruleCount == 0)
        #expect(library.errors.isEmpty)
    }

    @Test("a rule file, list or folder that others can write is an error, with the command that fixes it")
    func trust() throws {
        for (path, named) in [
            ("rules/20.yaml", "rules/20.yaml"), ("lists/vip.txt", "lists/vip.txt"), ("rules", "rules"),
        ] {
            let work = try workplace()
            let full = work.root + "/" + path
            let mode = path == "rules" ? 0o775 : 0o664
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: full)
            let errors = try library(work).errors
            let doubt = try #require(errors.first { $0.code == "R001" }, "\(path)")
            #expect(
                doubt.file == named && doubt.message.hasPrefix("other users could decide about your mail: "))
            #expect(doubt.suggestion?.contains(full) == true)
            #expect(throws: DiagnosticFailure.self) {
                try RuleLibrary.passing(work.options().loadWorkspace(), now: Workplace.tuesday)
            }
        }
    }

    @Test(
        "a list with an absolute path or a path upwards is not read",
        arguments: ["/etc/hostname", "../secret.txt"])
    func outside(_ path: String) throws {
        let work = try Workplace(rules: [
            "10.yaml": Self.withList.replacing("lists/vip.txt", with: path)
        ])
        try work.write("ana@acme.example\n", to: "secret.txt")
        let library = try library(work)
        #expect(library.errors.count == 1 && library.listTexts.isEmpty)
    }

    @Test("a command that needs rules fails without a rules folder, and says how to create one")
    func missingFolder() throws {
        let work = try Workplace(rules: [:])
        try FileManager.default.removeItem(atPath: work.root + "/rules")
        let workspace = try work.options().loadWorkspace()
        #expect(
            TriageTests.refusal { try RuleLibrary.passing(workspace, now: Workplace.tuesday) }
                == "no-rules 78")
        try FileManager.default.createDirectory(
            atPath: work.root + "/rules", withIntermediateDirectories: true)
        #expect(try RuleLibrary.passing(workspace, now: Workplace.tuesday).rules.rules.isEmpty)
    }
}
