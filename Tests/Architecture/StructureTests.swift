import Foundation
import Testing

/// The shape of the sources: enough tests of the use cases, no large circles between files, no large types.
@Suite("Structure")
struct StructureTests {
    /// The least lines of test for a line of Pipeline.
    private static let least = 0.6

    @Test("Pipeline has at least 0.6 lines of test a line")
    func ratio() throws {
        let sources = try SourceTree.lines(below: "Sources/Pipeline")
        let tests = try SourceTree.lines(below: "Tests/PipelineTests")
        #expect(sources > 10_000 && tests > 1_000, "the folders have moved")
        let ratio = Double(tests) / Double(sources)
        #expect(ratio >= Self.least, "\(tests) lines of test for \(sources) lines")
    }

    @Test(
        "files use each other in small circles only, and types are not too large",
        arguments: ["circles", "type_sizes"])
    func check(_ script: String) throws {
        let (status, output) = try Self.python("Tests/\(script).py", "--check")
        #expect(status == 0, "\(output)")
    }

    @Test("a line of code counts, a blank line or a comment does not")
    func counting() {
        #expect(SourceTree.lines(of: "import A\n\n  // why\n/// what\n\tlet a = 1 // one\n}\n") == 3)
        #expect(SourceTree.lines(of: "") == 0)
    }

    /// - Returns: The exit status of a script, and what it printed.
    private static func python(_ arguments: String...) throws -> (Int32, String) {
        let folders =
            ["/usr/bin"]
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let program = folders.map { $0 + "/python3" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        let process = Process()
        process.executableURL = URL(filePath: try #require(program, "python3 not found"))
        process.arguments = arguments
        process.currentDirectoryURL = SourceTree.root
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}

extension SourceTree {
    /// The lines of code in the Swift files below a folder of the project.
    fileprivate static func lines(below folder: String) throws -> Int {
        let walker = FileManager.default.enumerator(
            at: root.appending(path: folder), includingPropertiesForKeys: nil)
        let files = (walker?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
        return try files.map { lines(of: try text($0)) }.reduce(0, +)
    }

    /// The lines that are neither blank nor a comment.
    fileprivate static func lines(of text: String) -> Int {
        text.split(whereSeparator: \.isNewline).count { line in
            let words = line.drop(while: \.isWhitespace)
            return !words.isEmpty && !words.hasPrefix("//")
        }
    }
}
