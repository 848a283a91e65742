import Foundation
import Testing

/// The command line parses, asks and prints: what it needs of mail, tasks and servers it gets from Pipeline.
@Suite("Command line")
struct CommandLineTests {
    /// Modules that hold state or speak to a server, and the packages behind them.
    private static let forbidden: Set<String> = [
        "MailStore", "TaskStore", "Accounts", "Transport", "IMAPProtocol", "SMTPProtocol", "IMAPClient",
        "SMTPClient", "MaildirClient", "SyncEngine", "Executor", "GRDB", "GRDBSQLite", "NIOCore", "NIOPosix",
        "NIOSSL", "NIOHTTP1", "HTTPClient", "Yams",
    ]

    @Test("opus imports no store and no client")
    func imports() throws {
        let files = try #require(try SourceTree.modules()["opus"])
        #expect(files.count > 50)
        for file in files {
            let found = Self.forbidden.intersection(SourceTree.imports(of: try SourceTree.text(file)))
            #expect(
                found.isEmpty, "\(file.lastPathComponent) imports \(found.sorted().joined(separator: ", "))")
        }
    }
}
