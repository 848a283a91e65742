import DialectServer
import Executor
import Foundation
import IMAPClient
import Logging
import MailStore
import Models
import SASL
import SyncEngine
import Synchronization
import TaskStore
import Testing
import Transport

/// One account at a simulated server, and our side of it: store, client, sync and drain, all of them real.
final class DialectWorld: Sendable {
    let server: DialectServer
    let store: Store
    let tasks: TaskFiles
    /// Beside the task folder.
    var files: AttachmentFolder { AttachmentFolder(root: tasks.root + "-attachments") }
    let account: AccountID
    /// Removed at the end; nil if the store belongs to the caller.
    let folder: String?
    private let open = Mutex<IMAPConnection?>(nil)
    /// How long our side waits for an answer.
    let patience = Mutex(Duration.seconds(60))
    /// The sync's idea of time: a second goes by with each sync.
    let time = Mutex<Int64>(1_750_000_000)

    init(_ profile: DialectProfile) async throws {
        let folder = Self.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.folder = folder
        server = try await DialectServer.start(profile)
        store = try Store.open(path: folder + "/store.sqlite")
        tasks = TaskFiles(root: folder + "/tasks")
        account = AccountID("dialect")
    }

    /// Another account in a store that exists, at a server that runs.
    init(_ account: AccountID, at server: DialectServer, store: Store, tasks: TaskFiles) {
        self.server = server
        self.store = store
        self.tasks = tasks
        self.account = account
        folder = nil
    }

    deinit {
        guard let folder else { return }
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// In memory where the system has a place for that: durability is not what these tests are about.
    static func temporaryFolder() -> String {
        let root =
            FileManager.default.isWritableFile(atPath: "/dev/shm")
            ? "/dev/shm" : FileManager.default.temporaryDirectory.path
        return root + "/opus-dialect-\(UUID().uuidString)"
    }

    func close() async {
        await open.withLock { $0 }?.logout()
        if folder != nil { await server.stop() }
    }

    // MARK: Our side

    /// The connection that is open, or a new one.
    func client(password: String = "hunter2") async throws -> IMAPConnection {
        if let client = open.withLock({ $0 }) { return client }
        let patience = patience.withLock { $0 }
        let configuration = IMAPConfiguration(
            endpoint: Endpoint(host: "127.0.0.1", port: server.port), security: .plaintext,
            credentials: SASLCredentials(user: "ann", password: Secret(password)),
            timeouts: Timeouts(connect: patience, tls: patience, receive: patience))
        let client = try await IMAPConnection.connect(configuration, logger: Self.silent)
        open.withLock { $0 = client }
        return client
    }

    /// As a program does that was ended and started again.
    func disconnect() async {
        let client = open.withLock { client in
            defer { client = nil }
            return client
        }
        await client?.logout()
    }

    /// `later`: so many seconds after the last one.
    @discardableResult
    func sync(later: Int64 = 1) async throws -> SyncReport {
        let now = time.withLock { time in
            time += later
            return time
        }
        do {
            let source = IMAPMailSource(client: try await client(), account: account)
            return try await AccountSync(
                account: account, source: source, store: store, logger: Self.silent,
                now: Timestamp(seconds: now)
            ).run()
        } catch {
            await disconnect()
            throw error
        }
    }

    /// So much later that everything is compared.
    static let aDay: Int64 = 25 * 3_600

    @discardableResult
    func drain(submitter: (any MailSubmitter)? = nil) async throws -> DrainReport {
        let client: IMAPConnection
        do {
            client = try await self.client()
        } catch {
            var report = DrainReport()
            report.interruption = "\(error)"
            return report
        }
        let report = try await Drain(
            account: account, store: store, tasks: tasks, files: files, sink: IMAPMailSink(client: client),
            submitter: submitter,
            now: Timestamp(seconds: time.withLock { $0 }), logger: Self.silent, pause: { _ in }
        ).run()
        if report.interruption != nil { await disconnect() }
        return report
    }

    func queue(_ steps: [Step]) throws {
        _ = try store.journal.queue(
            NewRun(account: account, startedAt: Timestamp(seconds: time.withLock { $0 }), command: "test"),
            steps: steps)
    }

    /// What proved each step that is confirmed; empty where nothing did.
    func evidence() throws -> [String] {
        try store.runs.runs(limit: 100).filter { $0.accounts == [account] }
            .flatMap { try store.runs.run($0.id)?.steps ?? [] }
            .filter { $0.state == .confirmed }.map { $0.proof?.sentence ?? "" }
    }

    static let silent = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

    // MARK: What we hold, and what is true

    /// Mailboxes that we must hold: all but views that show again what other mailboxes have, unless we hold them too.
    func heldMailboxes() throws -> Set<String> {
        let views: Set<String> = ["\\All", "\\Flagged", "\\Important"]
        return Set(
            try server.model.mailboxes.filter { mailbox in
                let isView = !views.isDisjoint(with: mailbox.attributes)
                let isSynced =
                    try store.sync.syncState(of: account, mailbox: MailboxName(mailbox.name)) != nil
                return mailbox.isSelectable && (!isView || isSynced)
            }.map(\.name))
    }

    func comparison() throws -> PlaceComparison {
        PlaceComparison(
            held: try store.places(of: account, withKeywords: !server.profile.isGmail),
            truth: server.model.places(in: try heldMailboxes()))
    }

    /// The ids of every message by subject, wherever it stands.
    func ids() throws -> [String: Set<EmailID>] {
        Dictionary(grouping: try store.messages.facts(.everything(account)), by: \.subject).mapValues {
            Set($0.map(\.id))
        }
    }

    func mailbox(_ name: String) throws -> Mailbox {
        try #require(try store.sync.mailboxes(of: account).first { $0.name == MailboxName(name) })
    }

    /// Where the message stands as we know it.
    func key(_ subject: String, in mailbox: String = "INBOX") throws -> (EmailID, MessageKey) {
        let facts = try store.messages.facts(.mailbox(account, MailboxName(mailbox)))
        let found = try #require(facts.first { $0.subject == subject }, "\(subject) is not in \(mailbox)")
        return (found.id, found.key)
    }

    func move(_ subject: String, from source: String = "INBOX", to mailbox: Mailbox) throws -> Step {
        let (id, key) = try key(subject, in: source)
        return Step(
            idempotencyKey: "move \(subject) \(key.uidValidity) \(key.uid) \(mailbox.name)", message: id,
            cause: .rule("test"), kind: .move(key, to: mailbox))
    }

    func mark(
        _ subject: String, in mailbox: String = "INBOX", add: Set<Flag> = [], remove: Set<Flag> = [],
        words: Set<Keyword> = []
    ) throws -> Step {
        let (id, key) = try key(subject, in: mailbox)
        return Step(
            idempotencyKey: "mark \(subject) \(UUID().uuidString)",
            message: id, cause: .rule("test"),
            kind: .store(
                key, addFlags: add, removeFlags: remove, addKeywords: words, removeKeywords: []))
    }

    /// Commands that ask for message data.
    var bodyFetches: [HeardCommand] { server.transcript.filter { $0.rest.contains("BODY.PEEK[") } }
}

extension DialectWorld {
    /// Held and true are the same, another sync fetches no message data, and nothing forbidden was ever said.
    func expectConverged(_ location: SourceLocation = #_sourceLocation) async throws {
        let comparison = try comparison()
        #expect(comparison.isEqual, "\(server.profile): \(comparison)", sourceLocation: location)
        server.clearTranscript()
        let report = try await sync()
        #expect(bodyFetches.isEmpty, "\(server.profile): fetched again", sourceLocation: location)
        #expect(report.problems.isEmpty, "\(server.profile)", sourceLocation: location)
        #expect(try self.comparison().isEqual, "\(server.profile)", sourceLocation: location)
        #expect(server.violations.isEmpty, "\(server.profile)", sourceLocation: location)
    }
}

/// Runs a test in a world of its own, and ends it whatever happens.
func withWorld(_ profile: DialectProfile, _ body: (DialectWorld) async throws -> Void) async throws {
    let world = try await DialectWorld(profile)
    do {
        try await body(world)
    } catch {
        await world.close()
        throw error
    }
    await world.close()
}
