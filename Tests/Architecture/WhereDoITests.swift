import Foundation
import Testing

/// The section "Where do I …?" of docs/Modules.md is true.
@Suite("Where do I …?")
struct WhereDoITests {
    private static func section() throws -> Substring {
        let page = try SourceTree.text(SourceTree.root.appending(path: "docs/Modules.md"))
        let start = try #require(page.range(of: "## Where do I …?"))
        return page[start.upperBound...]
    }

    /// `Module/File.swift`, wherever below the module it is; a file with `<Name>` is one to be added.
    private static func places() throws -> [(module: String, file: String)] {
        try section().matches(of: /`([A-Za-z]+)\/(?:[A-Za-z]+\/)?([^`\/]+\.swift)`/).map {
            (String($0.output.1), String($0.output.2))
        }
    }

    @Test("every file that the page names exists")
    func files() throws {
        let modules = try SourceTree.modules()
        let places = try Self.places()
        #expect(places.count >= 40)
        for (module, file) in places {
            let files = try #require(modules[module], "no module \(module)")
            guard !file.contains("<") else { continue }
            #expect(files.contains { $0.lastPathComponent == file }, "\(module)/\(file)")
        }
    }

    @Test("the page answers at least twenty questions")
    func rows() throws {
        #expect(try Self.section().split(separator: "\n").count { $0.hasPrefix("| a") } >= 20)
    }

    /// How many source files name what is searched for.
    private static func count(_ pattern: some RegexComponent) throws -> [String] {
        // The default would not end a word before ".self".
        let pattern = pattern.regex.wordBoundaryKind(.simple)
        return try SourceTree.modules().values.flatMap(\.self).filter {
            try SourceTree.text($0).firstMatch(of: pattern) != nil
        }.map(\.lastPathComponent).sorted()
    }

    @Test("a rule action is named in at most eight files")
    func action() throws {
        let files = try Self.count(/\bsaveFiles\b|\bsaveAttachment\b|\bSaveAttachmentAction\b/)
        #expect(files.count <= 8, "\(files)")
        let copies = try Self.count(
            /\bCopyAction\b|case copy\b|\.copy\(let|\.make\(\.copy\(to:|\.text\(\.copy/)
        #expect(copies.count <= 8, "\(copies)")
    }

    /// The words of each file: identifiers and keywords.
    private static func words(of texts: [String]) -> [Set<Substring>] {
        texts.map { text in
            Set(text.utf8.split { byte in !isWord(byte) }.map { Substring($0) })
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: byte >= 0x80
        }
    }

    /// The commands that other files of `opus` extend or call.
    private static let groups: Set<String> = [
        "RulesCommand", "AccountCommand", "ConfigCommand", "TriageCommand",
    ]

    @Test("a command is named in its own file and in the file of its group")
    func commands() throws {
        let files = try SourceTree.modules()["opus"] ?? []
        let texts = try files.map { try SourceTree.text($0) }
        let names = texts.flatMap {
            $0.matches(of: /(?:struct|enum) ([A-Z]\w*Command)(?:<[^>]*>)?: (?:Async)?ParsableCommand/)
                .map { String($0.1) }
        }
        #expect(names.count > 60)
        let words = Self.words(of: texts)
        for name in names where !Self.groups.contains(name) {
            let count = words.count { $0.contains(name[...]) }
            #expect(count <= 2, "\(name) is named in \(count) files")
        }
    }

    /// The documents that several commands print, or that others contain.
    private static let sharedDocuments: Set<String> = [
        "RunDocument", "TaskDocument", "MessagesDocument", "PlanDocument", "OutboxDocument", "SyncDocument",
        "TasksDocument", "RunsDocument", "OrderDocument", "DraftsDocument", "DiagnosticsDocument",
        "MessageDocument",
    ]

    @Test("a document is named in its own file and in the file of the command that prints it")
    func documents() throws {
        let modules = try SourceTree.modules()
        let files = (modules["Documents"] ?? []) + (modules["opus"] ?? [])
        let texts = try files.map { try SourceTree.text($0) }
        let names = try #require(modules["Documents"]).map { $0.deletingPathExtension().lastPathComponent }
            .filter { $0.hasSuffix("Document") && $0 != "ReportDocument" }
        #expect(names.count > 50)
        let words = Self.words(of: texts)
        for name in names where !Self.sharedDocuments.contains(name) {
            let count = words.count { $0.contains(name[...]) }
            #expect(count <= 2, "\(name) is named in \(count) files")
        }
    }

    @Test("the kind of an account is decided in the files that the page names")
    func accountKinds() throws {
        let rows = try Self.section().split(separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix("| an account kind") })
        let files = try Self.count(/switch account\.source \{/)
        #expect(!files.isEmpty)
        for file in files { #expect(row.contains("/" + file), "\(file)") }
    }

    @Test("a condition is named in at most six files")
    func condition() throws {
        for files in [
            try Self.count(/\brecipientCount\b/), try Self.count(/\.bulk\b|\bisBulk\b/),
            try Self.count(/\bthreadUnanswered\b/),
        ] { #expect(files.count <= 6, "\(files)") }
    }
}
