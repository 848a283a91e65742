import Accounts
import Foundation
import Logging
import MailStore
import Models
import TestSupport
import Testing

@testable import Pipeline

private let hasLimiter = TextProgram("true", [], scratch: "/tmp") != nil
private let hasPDF = TextProgram("pdftotext", [], scratch: "/tmp") != nil

/// Reading the text of attached files: what a stranger's file, or the program that reads it, can do to opus.
@Suite("Texts of files", .enabled(if: hasLimiter))
struct FileTextTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A shell script in the place of the program.
    private func program(_ script: String, seconds: Int = 10, output: Int = 1 << 20) throws -> TextProgram {
        var program = try #require(TextProgram("sh", ["-c", script], scratch: folder.path))
        program.limits.seconds = seconds
        program.limits.output = output
        return program
    }

    private func outcome(_ program: TextProgram, _ bytes: [UInt8] = []) async -> Result<
        String, TextProgram.Failure
    > {
        do { return .success(try await program.text(of: bytes)) } catch { return .failure(error) }
    }

    private var left: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
    }

    @Test("a program reads the file from its standard input, and its output is the text")
    func prints() async throws {
        let bytes = Array(repeating: UInt8(ascii: "x"), count: 300_000) + [0, 10]
        #expect(await outcome(try program("wc -c"), bytes) == .success("300002\n"))
        #expect(try left.isEmpty)
    }

    @Test("a program does not get the environment of opus")
    func environment() async throws {
        let found = try await outcome(program("env")).get()
        let names = found.split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(Set(names).subtracting(["PATH", "LC_ALL", "HOME", "PWD", "SHLVL", "_", "OLDPWD"]).isEmpty)
    }

    @Test(
        "a crash and a failing exit code are failures",
        arguments: [("kill -SEGV $$", 139), ("echo x; exit 3", 3)])
    func fails(_ script: String, _ code: Int) async throws {
        #expect(await outcome(try program(script)) == .failure(.ended(code)))
    }

    @Test("a program that hangs is ended in time, with its children")
    func hangs() async throws {
        let marker = folder.path + "/alive"
        let start = ContinuousClock.now
        let program = try program("(sleep 2; touch '\(marker)') & sleep 100", seconds: 1)
        #expect(await outcome(program) == .failure(.tooSlow))
        #expect(ContinuousClock.now - start < .seconds(9))
        try await Task.sleep(for: .seconds(2))
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    @Test("only the beginning of endless output is used")
    func bomb() async throws {
        let text = try await outcome(program("while :; do echo jars; done", output: 10_000)).get()
        #expect(text.hasPrefix("jars\njars\n") && text.utf8.count <= 10_000 && text.utf8.count > 5_000)
    }

    @Test("the memory of a program is limited")
    func memory() async throws {
        var program = try program("exec cat")
        program.limits.memory = 1 << 20
        guard case .failure = await outcome(program) else {
            Issue.record("a program started in a megabyte of memory")
            return
        }
    }

    @Test("a missing program is not used")
    func missing() { #expect(TextProgram("no-such-program-of-opus", [], scratch: folder.path) == nil) }

    // MARK: Messages

    private static let account = AccountID("work")

    private func store(_ count: Int, size: Int = 1_000) throws -> Store {
        let store = try Store.open(path: folder.path + "/store.sqlite")
        let inbox = Mailbox(account: Self.account, name: .inbox, displayName: "INBOX", role: .inbox)
        try store.sync.saveMailboxes([inbox], of: Self.account)
        var batch = SyncBatch(account: Self.account, mailbox: .inbox, uidValidity: 7)
        batch.added = (1...count).map { number in
            var message = NewMessage(
                uid: UInt32(number), id: EmailID(rawValue: "m\(number)"), fingerprint: "f\(number)",
                thread: ThreadID(rawValue: "m\(number)"), received: Timestamp(seconds: 1_773_000_000),
                size: size)
            message.attachments = [
                Attachment(name: "a.txt", contentType: "text/plain", size: 5, section: "1"),
                Attachment(name: "b.png", contentType: "image/png", size: 5, section: "2"),
            ]
            return message
        }
        _ = try store.sync.apply(batch)
        return store
    }

    private func reader(_ store: Store, isOn: Bool = true, maxSize: Int = 1 << 20) -> FileTexts {
        var settings = FileTextSettings()
        settings.isOn = isOn
        settings.maxSize = maxSize
        return FileTexts(settings, store: store, scratch: folder.path, logger: Logger(label: "test"))
    }

    private static let message = Array(
        "Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\njars \u{1B}[31m\u{0} red\n"
            .utf8)

    @Test(
        "each message is read once, newest first, and not at all if the setting is off", .enabled(if: hasPDF))
    func once() async throws {
        let store = try store(3)
        let asked = Locked<[String]>([])
        let message = { @Sendable (id: EmailID) -> [UInt8]? in
            asked.change { $0.append(id.rawValue) }
            return id.rawValue == "m2" ? nil : Self.message
        }
        try await reader(store, isOn: false).read(of: Self.account, message: message)
        #expect(asked.value == [])
        for _ in 0..<2 { try await reader(store).read(of: Self.account, message: message) }
        #expect(asked.value == ["m3", "m2", "m1"])
        // Controls are no text.
        let text = try #require(try store.fileTexts.text(of: EmailID(rawValue: "m1")))
        #expect(text.hasPrefix("jars") && text.contains("red"))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
        #expect(try store.fileTexts.text(of: EmailID(rawValue: "m2")) == "")
    }

    @Test(
        "a large message is not downloaded, and after a lost connection the next sync continues",
        .enabled(if: hasPDF))
    func bounds() async throws {
        struct Lost: Error {}
        let store = try store(2, size: 5_000)
        try await reader(store, maxSize: 1_000).read(of: Self.account) { _ in
            Issue.record("a large message was fetched")
            return nil
        }
        #expect(try store.fileTexts.due(of: Self.account, limit: 9).isEmpty)
        store.close()
        try FileManager.default.removeItem(atPath: folder.path + "/store.sqlite")
        let other = try self.store(2)
        try await reader(other).read(of: Self.account) { _ in throw Lost() }
        #expect(try other.fileTexts.due(of: Self.account, limit: 9).count == 2)
        var slow = reader(other)
        slow.patience = .zero
        try await slow.read(of: Self.account) { _ in Self.message }
        #expect(try other.fileTexts.due(of: Self.account, limit: 9).count == 2)
    }
}
