import Foundation
import Testing

/// opus must not remove mail that another program marked `\Deleted`: no source file can say EXPUNGE without UIDs, or
/// CLOSE. RFC 4315 §2.1.
@Suite struct ExpungeTests {
    @Test("no command sends EXPUNGE or CLOSE; only UID EXPUNGE is sent")
    func commands() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let walker = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        let files = (walker?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
        #expect(files.count > 100)
        var found: [String] = []
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("EXPUNGE") || text.contains("CLOSE") else { continue }
            let lines = text.split(separator: "\n").filter { $0.contains("EXPUNGE") || $0.contains("CLOSE") }
            for line in lines where Self.writesForbidden(String(line)) {
                found.append("\(file.lastPathComponent): \(line)")
            }
        }
        // The one reader of an untagged EXPUNGE, and the list of keywords that may come unasked.
        let readers = [
            #"case "EXPUNGE": return .expunge(number)"#, #""EXISTS", "EXPUNGE"].contains(keyword)"#,
        ]
        #expect(found.filter { line in !readers.contains { line.contains($0) } } == [])
        #expect(found.count == readers.count, "a reader has moved: the lint must know it")
    }

    @Test(
        "the check finds a plain EXPUNGE",
        arguments: [
            #"case .close: "CLOSE""#, #"send("EXPUNGE")"#, #"let text = "A1 EXPUNGE\r\n""#,
            #""\(tag) CLOSE""#,
        ])
    func lint(_ line: String) { #expect(Self.writesForbidden(line)) }

    @Test(
        "the check allows UID EXPUNGE", arguments: [#"case .uidExpunge: "UID EXPUNGE""#, "// never EXPUNGE"])
    func allowed(_ line: String) { #expect(!Self.writesForbidden(line)) }

    private static func writesForbidden(_ line: String) -> Bool {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.hasPrefix("//") else { return false }
        return line.replacing("UID EXPUNGE", with: "").contains(/"([^" ]+ )?(EXPUNGE|CLOSE)(\\r\\n)?"/)
    }
}
