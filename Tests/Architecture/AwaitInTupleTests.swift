import Foundation
import Testing

/// No tuple has an `await` among its elements. Swift 6.3 loses the first element of
/// `return (number, .success(try await work()))` when the `catch` beside it returns another tuple, in release builds only:
/// `opus run` then dropped the result of every account.
@Suite struct AwaitInTupleTests {
    @Test("no element of a tuple contains await")
    func sources() throws {
        let files = try SourceTree.modules().values.joined()
        #expect(files.count > 100)
        for file in files {
            let text = try SourceTree.text(file)
            guard text.contains("await") else { continue }
            let found = text.split(whereSeparator: \.isNewline).filter(Self.awaits)
            #expect(found == [], "\(file.lastPathComponent)")
        }
    }

    @Test(
        "the check finds an await in a tuple",
        arguments: [
            "return (number, .success(try await work()))", "group.addTask { (number, await work()) }",
            "opened = (id, try await fetch(id))",
        ])
    func found(_ line: String) { #expect(Self.awaits(line[...])) }

    @Test(
        "the check allows await in arguments of calls and in closures",
        arguments: ["return Report(number, await work())", "try await run { (a, b) in await work() }"])
    func allowed(_ line: String) { #expect(!Self.awaits(line[...])) }

    private static func awaits(_ line: Substring) -> Bool {
        line.contains(/(return|=|\{) \([^()]*,[^)]*\bawait\b/)
    }
}
