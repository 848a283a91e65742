import DialectServer
import Foundation
import IMAPClient
import Logging
import MIMEParser
import MailStore
import Models
import SASL
import TaskStore
import Transport

@testable import Executor

/// A sink over a real connection to a simulated server, and a store that knows what a sync would have found.
final class SinkWorld {
    let server: DialectServer
    let store: Store
    private let folder: String
    /// Each drain is an hour after the one before.
    private var hours: Int64 = 1
    private(set) var client: IMAPConnection
    private(set) var sink: IMAPMailSink

    /// Runs the body; the server, the connection and the folder go with it.
    static func with(
        _ profile: DialectProfile, submitsToSameProvider: Bool = false,
        _ body: (SinkWorld) async throws -> Void
    ) async throws {
        let server = try await DialectServer.start(profile)
        let world = try await SinkWorld(server, submitsToSameProvider)
        do {
            try await body(world)
        } catch {
            await world.close()
            throw error
        }
        await world.close()
    }

    private init(_ server: DialectServer, _ submitsToSameProvider: Bool) async throws {
        self.server = server
        folder = FileManager.default.temporaryDirectory.path + "/opus-sink-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try Store.open(path: folder + "/store.sqlite")
        client = try await Self.connect(server)
        sink = IMAPMailSink(client: client, submitsToSameProvider: submitsToSameProvider)
    }

    private static func connect(_ server: DialectServer) async throws -> IMAPConnection {
        try await IMAPConnection.connect(
            IMAPConfiguration(
                endpoint: Endpoint(host: "127.0.0.1", port: server.port), security: .plaintext,
                credentials: SASLCredentials(user: "ann", password: Secret("hunter2"))),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The program is started again.
    func reconnect() async throws {
        await client.logout()
        client = try await Self.connect(server)
        sink = IMAPMailSink(client: client)
    }

    private func close() async {
        await client.logout()
        await server.stop()
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Mail

    /// Delivers a message, and lets the store know it.
    @discardableResult
    func deliver(_ name: String, to mailbox: String = "INBOX", bytes: [UInt8]? = nil) throws -> MessageKey {
        let bytes = bytes ?? mail(name)
        let uid = server.act { $0.deliver(bytes, to: mailbox) }
        let box = server.model[mailbox]
        let key = MessageKey(
            account: work, mailbox: MailboxName(mailbox), uidValidity: box?.uidValidity ?? 0, uid: uid)
        var row = NewMessage(
            uid: uid, id: EmailID(rawValue: name), fingerprint: "print-\(name)",
            thread: ThreadID(rawValue: name),
            received: Timestamp(seconds: 1))
        let parsed = MIMEParser.parse(bytes)
        row.messageID = parsed.envelope.messageID
        row.headerBlock = Array(parsed.headerBlock)
        if let message = box?.message(uid), server.profile.isGmail {
            row.remoteID = "G\(server.model.contents[message.content].gmailID)"
        }
        var batch = SyncBatch(account: work, mailbox: key.mailbox, uidValidity: key.uidValidity)
        batch.added = [row]
        _ = try store.sync.apply(batch)
        return key
    }

    /// Delivers many messages to the inbox, and lets the store know them in one batch; answers with their keys.
    func deliver(_ names: [String]) throws -> [MessageKey] {
        let uids = names.map { name in server.act { $0.deliver(mail(name), to: "INBOX") } }
        let validity = server.model["INBOX"]?.uidValidity ?? 0
        var batch = SyncBatch(account: work, mailbox: .inbox, uidValidity: validity)
        batch.added = zip(names, uids).map { name, uid in
            var row = NewMessage(
                uid: uid, id: EmailID(rawValue: name), fingerprint: "print-\(name)",
                thread: ThreadID(rawValue: name),
                received: Timestamp(seconds: 1))
            row.messageID = token(name)
            row.headerBlock = Array(MIMEParser.parse(mail(name)).headerBlock)
            return row
        }
        _ = try store.sync.apply(batch)
        return uids.map { MessageKey(account: work, mailbox: .inbox, uidValidity: validity, uid: $0) }
    }

    func queue(_ steps: [Step]) throws {
        _ = try store.journal.queue(
            NewRun(account: work, startedAt: Timestamp(seconds: 1), command: "test"), steps: steps)
    }

    /// Subjects in a mailbox of the server, by UID.
    func subjects(_ mailbox: String) -> [String] {
        let model = server.model
        return model.messages(mailbox).map { MIMEParser.parse(model.bytes($0)).envelope.subject }
    }

    // MARK: Steps

    func queue(_ key: String, _ message: String?, _ kind: Step.Kind) throws {
        let step = Step(
            idempotencyKey: key, message: message.map { EmailID(rawValue: $0) }, cause: .rule("test"),
            kind: kind)
        _ = try store.journal.queue(
            NewRun(account: work, startedAt: Timestamp(seconds: 1), command: "test"), steps: [step])
    }

    @discardableResult
    func drain(groupSize: Int = 1_000) async throws -> DrainReport {
        hours += 1
        return try await Drain(
            account: work, store: store, tasks: TaskFiles(root: folder + "/tasks"),
            files: AttachmentFolder(root: folder + "/attachments"), sink: sink,
            submitter: nil,
            now: Timestamp(seconds: 3_600 * hours),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }, groupSize: groupSize,
            pause: { _ in }
        ).run()
    }

    // MARK: What the server heard

    /// Commands that change something, without their tags.
    var changes: [String] {
        server.transcript.filter {
            ["UID STORE", "UID MOVE", "UID COPY", "UID EXPUNGE", "APPEND", "CREATE"].contains($0.name)
        }.map { "\($0.name) \($0.rest)" }
    }

    var heardDeleted: Bool { server.transcript.contains { $0.rest.uppercased().contains("\\DELETED") } }
}
