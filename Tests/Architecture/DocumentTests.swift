import Foundation
import Testing

/// Every `opus.*/1` document has one file that makes it and one section in `docs/json.md`.
@Suite("JSON documents")
struct DocumentTests {
    @Test("docs/json.md, its headings and the sources name the same documents")
    func documented() throws {
        let page = try SourceTree.text(SourceTree.root.appending(path: "docs/json.md"))
        let table = page.matches(of: #/(?m)^\| \[`(opus\.[a-z-]+/\d+)`\]/#).map { String($0.1) }
        let headings = page.matches(of: #/(?m)^## (opus\.[a-z-]+/\d+)$/#).map { String($0.1) }
        #expect(table.count > 30)
        #expect(Set(table).count == table.count)
        #expect(table.sorted() == headings.sorted())
        #expect(Set(try schemas().map(\.name)) == Set(table))
    }

    @Test("every document is in Documents, in the file with its name")
    func places() throws {
        for (name, module, file) in try schemas() {
            switch module {
            case "Documents":
                let words = name.dropFirst("opus.".count).prefix { $0 != "/" }.split(separator: "-")
                #expect(file == words.map(\.capitalized).joined() + "Document.swift")
            case _: Issue.record("\(name) is made in \(module), not in Documents")
            }
        }
    }

    /// The schemas that the sources name, each with its module and file.
    private func schemas() throws -> [(name: String, module: String, file: String)] {
        try SourceTree.modules().flatMap { module, files in
            try files.flatMap { file in
                try SourceTree.text(file).matches(of: #/"(opus\.[a-z-]+/\d+)"/#).map {
                    (String($0.1), module, file.lastPathComponent)
                }
            }
        }
    }
}
