import Foundation
import Models
import Rules
import Testing

@testable import Inspection

/// Attachments come with names that strangers chose.
@Suite("Safe file names")
struct SafeFileTests {
    @Test(
        "a requested name becomes a safe one",
        arguments: [
            ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("/etc/cron.d/job", "job"),
            (#"..\..\boot.ini"#, "boot.ini"), (#"C:\temp\x.doc"#, "x.doc"), (".bashrc", "bashrc"),
            ("...", "attachment"),
            ("", "attachment"), ("/", "attachment"), (" . . ", "attachment"), ("-rf", "rf"),
            ("--help", "help"),
            ("a\u{0}b.txt", "ab.txt"), ("invoice\u{202E}fdp.exe", "invoicefdp.exe"),
            ("x\u{1B}[31m.txt", "x[31m.txt"),
            ("a\r\nb.txt", "ab.txt"), (" name.txt ", "name.txt"), ("name.txt...", "name.txt"),
            ("dir/", "dir"),
            ("日本語.pdf", "日本語.pdf"), ("Grüße.txt", "Grüße.txt"), ("a:b*c?.txt", "abc.txt"), ("\u{200B}x", "x"),
            ("CON", "_CON"), ("nul.txt", "_nul.txt"), ("Com7.tar.gz", "_Com7.tar.gz"), ("COMET", "COMET"),
            ("LPT", "LPT"), ("so\u{AD}ft\u{E0041}.txt", "soft.txt"), ("\u{E000}", "attachment"),
        ])
    func names(_ wished: String, _ name: String) {
        #expect(SafeFileName.make(wished) == name)
    }

    @Test("equivalent spellings of a name give the same bytes")
    func composed() {
        #expect(Array(SafeFileName.make("Gru\u{308}\u{200D}ße.txt").utf8) == Array("Gr\u{FC}ße.txt".utf8))
        #expect(Array(SafeFileName.make("e\u{200B}\u{301}.txt").utf8) == Array("\u{E9}.txt".utf8))
    }

    @Test(
        "a safe name is never empty, hidden, a path or too long",
        arguments: [
            String(repeating: "x", count: 5_000), String(repeating: "語", count: 500) + ".pdf",
            String(repeating: "../", count: 999), ".\u{301}hidden", ".\u{200D}hidden", "\u{FEFF}.hidden",
            String(repeating: ".", count: 999), "x/\u{0}", "\u{2028}", "\\",
            "👨‍👩‍👧".padding(toLength: 900, withPad: "👨‍👩‍👧", startingAt: 0),
        ])
    func hostile(_ wished: String) {
        let name = SafeFileName.make(wished)
        #expect(!name.isEmpty)
        #expect(name.utf8.count <= 150)
        #expect(name.utf8.first != UInt8(ascii: "."))
        #expect(name.utf8.first != UInt8(ascii: "-"))
        #expect(!name.utf8.contains(UInt8(ascii: "/")))
        #expect(name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test("a long name keeps its extension")
    func longName() {
        let name = SafeFileName.make(String(repeating: "語", count: 500) + ".pdf")
        #expect(name.hasSuffix("語.pdf"))
        #expect(name.utf8.count > 140)
        #expect(!SafeFileName.make("x." + String(repeating: "語", count: 500)).isEmpty)
    }

    @Test("an existing file is never replaced, and a link is never followed")
    func neverOver() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/opus-files-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("mine".utf8).write(to: URL(filePath: folder + "/a.pdf"))
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/a (2).pdf", withDestinationPath: folder + "/target")

        let paths = try (1...2).map {
            try SafeFile.write(Array("theirs \($0)".utf8), named: "../a.pdf", in: folder)
        }
        #expect(paths == [folder + "/a (3).pdf", folder + "/a (4).pdf"])
        #expect(try String(contentsOfFile: folder + "/a.pdf", encoding: .utf8) == "mine")
        #expect(try String(contentsOfFile: folder + "/a (3).pdf", encoding: .utf8) == "theirs 1")
        #expect(!FileManager.default.fileExists(atPath: folder + "/target"))
    }

    @Test("an empty attachment is an empty file that only its owner can read")
    func emptyFile() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/opus-files-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = try SafeFile.write([], named: "empty", in: folder)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.size] as? Int == 0)
        #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
    }

    @Test("a missing folder is reported")
    func noFolder() {
        #expect(
            refusal { try SafeFile.write([1], named: "x", in: "/nowhere/at/all") }
                == "cannot-write 73")
    }
}
