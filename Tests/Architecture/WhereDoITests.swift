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
        try SourceTree.modules().values.flatMap(\.self).filter {
            try SourceTree.text($0).firstMatch(of: pattern) != nil
        }.map(\.lastPathComponent).sorted()
    }

    @Test("a rule action is named in at most eight files")
    func action() throws {
        let files = try Self.count(/\bsaveFiles\b|\bsaveAttachment\b|\bSaveAttachmentAction\b/)
        #expect(files.count <= 8, "\(files)")
        let copies = try Self.count(
            /\bCopyAction\b|case copy\b|\.copy\(let|\.copy\(to:|DraftAction\(\.copy|\.text\(\.copy/)
        #expect(copies.count <= 8, "\(copies)")
    }

    @Test("a condition is named in at most six files")
    func condition() throws {
        for files in [
            try Self.count(/\brecipientCount\b/), try Self.count(/\.bulk\b|\bisBulk\b/),
            try Self.count(/\bthreadUnanswered\b/),
        ] { #expect(files.count <= 6, "\(files)") }
    }
}
