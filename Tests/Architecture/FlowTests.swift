import Foundation
import Testing

/// Holds the hops of `docs/Flow.md` against the sources: every file and every type that they name is there.
@Suite struct FlowTests {
    /// The shapes that a message may have on its way in.
    private static let mostShapes = 12

    @Test func `every file and type in docs/Flow.md exists`() throws {
        let files = try SourceTree.modules().mapValues {
            Set($0.map { $0.deletingPathExtension().lastPathComponent })
        }
        let declared = try Self.declarations()
        let rows = try Self.rows()
        #expect(rows.count >= 15)
        for row in rows {
            for name in Self.quoted(row.files) {
                let parts = name.split(separator: "/").map(String.init)
                #expect(
                    parts.count == 2 && files[parts[0]]?.contains(parts[1]) == true, "\(name) is not a file")
            }
            for type in Self.quoted(row.shape) where type != "ByteBuffer" && !type.hasPrefix(".") {
                #expect(declared.contains(type), "\(type) is not a type")
            }
        }
    }

    @Test func `docs/Flow.md has at most twelve shapes of a message`() throws {
        let inbound = try Self.section("From the socket to the task file")
        let shapes = inbound.flatMap { Self.quoted($0.shape) }.filter { !$0.hasPrefix(".") }
        #expect(Set(shapes).count <= Self.mostShapes, "\(shapes)")
    }

    /// Each of these files does work of its own. Do not raise the number for one that only passes work on.
    @Test func `docs/Flow.md has at most 33 files from the socket to the task file`() throws {
        let inbound = try Self.section("From the socket to the task file")
        let files = inbound.flatMap { Self.quoted($0.files) }
        #expect(Set(files).count == files.count && files.count <= 33, "\(files.count)")
    }

    private typealias Row = (files: String, shape: String)

    private static func rows() throws -> [Row] {
        try section("From the socket to the task file") + section("From an edited task file back")
    }

    /// The rows of the table that follows the line with that beginning.
    private static func section(_ start: String) throws -> [Row] {
        let text = try SourceTree.text(SourceTree.root.appending(path: "docs/Flow.md"))
        let lines = text.components(separatedBy: "\n").drop { !$0.hasPrefix(start) }.dropFirst()
        return lines.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            let cells = line.components(separatedBy: "|")
            return (cells[2], cells[3])
        }
    }

    private static func quoted(_ text: String) -> [String] {
        text.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    private static func declarations() throws -> Set<String> {
        var found: Set<String> = []
        for files in try SourceTree.modules().values {
            for file in files {
                let text = try SourceTree.text(file)
                for match in text.matches(of: /(?:struct|class|enum|actor) ([A-Z]\w*)/) {
                    found.insert(String(match.1))
                }
            }
        }
        return found
    }
}
