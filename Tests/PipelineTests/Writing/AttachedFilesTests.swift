import Foundation
import MIMEParser
import Models
import TestSupport
import Testing

@testable import Pipeline

/// Files that go along with a mail: read whole, under a harmless name, or refused with the path that was typed.
@Suite("Attached files")
struct AttachedFilesTests {
    private let folder: TemporaryFolder
    private let files: AttachedFiles

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("here", to: "work/plan.pdf")
        try folder.write("home", to: "home/plan.pdf")
        files = AttachedFiles(directory: folder.path + "/work", home: folder.path + "/home")
    }

    private func text(_ typed: String, used: Int = 0) throws -> String {
        String(decoding: try files.read(typed, used: used).bytes, as: UTF8.self)
    }

    @Test("a path is absolute, or relative to the current or the home folder")
    func paths() throws {
        #expect(try text("plan.pdf") == "here")
        #expect(try text("./plan.pdf") == "here")
        #expect(try text("~/plan.pdf") == "home")
        #expect(try text(folder.path + "/home/plan.pdf") == "home")
    }

    @Test("a file is sent under its own name, without invisible characters and folders")
    func names() throws {
        try folder.write("x", to: "work/a/b\u{202E}fdp.exe")
        let file = try files.read("a/b\u{202E}fdp.exe", used: 0)
        #expect(file.name == "bfdp.exe")
        #expect(try files.read("plan.pdf", used: 0).contentType == "application/pdf")
    }

    @Test("a path that is not a file is refused, and shown as typed")
    func refusals() throws {
        for (typed, code) in [
            ("missing.pdf", "no-such-file 66"), ("~/missing", "no-such-file 66"), ("a/../..", "is-folder 65"),
            ("/dev/zero", "is-folder 65"), ("plan.pdf/x", "cannot-read 74"),
        ] {
            try folder.write("x", to: "work/a/x")
            #expect(TriageTests.refusal { try files.read(typed, used: 0) } == code, "\(typed)")
            do {
                _ = try files.read(typed, used: 0)
            } catch { #expect(error.message.contains("cannot attach \(typed)")) }
        }
    }

    @Test("the files of a mail may reach the limit together, to the byte")
    func limit() throws {
        #expect(try text("plan.pdf", used: AttachedFiles.limit - 4) == "here")
        #expect(
            TriageTests.refusal { try files.read("plan.pdf", used: AttachedFiles.limit - 3) }
                == "too-large 65")
    }

    // MARK: Text that is nowhere else

    @Test("text from a pipe is saved in the workspace, readable only by the user, and replaces no file")
    func rescued() throws {
        let work = try Workplace()
        let first = try #require(RescuedText.keep("one", work.options()))
        let second = try #require(RescuedText.keep("two", work.options()))
        #expect(first.hasPrefix(work.root + "/.opus/editing/") && first != second)
        #expect(try String(contentsOfFile: first, encoding: .utf8) == "one")
        #expect(try String(contentsOfFile: second, encoding: .utf8) == "two")
        let mode = try FileManager.default.attributesOfItem(atPath: first)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("without a workspace, text from a pipe is saved in the home folder or a temporary folder")
    func rescuedElsewhere() throws {
        var options = try Workplace().options()
        options.workspace = folder.path + "/none"
        options.environment = ["HOME": folder.path + "/home"]
        let path = try #require(RescuedText.keep("words", options))
        #expect(path.hasPrefix(folder.path + "/home/"))
        options.environment = ["HOME": folder.path + "/none", "TMPDIR": folder.path + "/work"]
        let other = try #require(RescuedText.keep("words", options))
        #expect(other.hasPrefix(folder.path + "/work/"))
    }

    // MARK: Messages described in JSON

    @Test(
        "a described message has the current date by default, and mistakes are reported with their place"
    )
    func described() throws {
        func message(_ json: String) throws -> String {
            String(
                decoding: try ComposeFile.message(
                    from: Array(json.utf8), file: "mail.json", now: Workplace.tuesday), as: UTF8.self)
        }
        let text = try message(#"{"from": "ana@acme.example", "to": ["bob@acme.example"], "text": "Hi"}"#)
        #expect(text.contains("Date: Tue, 10 Mar 2026 07:30:00 +0000\r\n"))
        #expect(text.contains("To: bob@acme.example\r\n"))
        for json in [#"{"from": "nobody at all", "to": []}"#, #"{"to": ["#, "[]"] {
            let problem = try #require(throws: Problem.self) { _ = try message(json) }
            #expect(problem.code == "bad-description" && problem.exit == .badData)
            #expect(problem.place == "mail.json")
        }
    }
}
