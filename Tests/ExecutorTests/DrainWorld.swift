import Foundation
import Logging
import MIMEParser
import MailStore
import Models
import Synchronization
import TaskStore

@testable import Executor

let work = AccountID("work")

func mailbox(_ name: String, _ role: MailboxRole? = nil) -> Mailbox {
    Mailbox(account: work, name: MailboxName(name), displayName: name, delimiter: "/", role: role)
}

let inbox = mailbox("INBOX", .inbox)
let archive = mailbox("Archive", .archive)
let drafts = mailbox("Drafts", .drafts)
let sent = mailbox("Sent", .sent)

/// A message as it travels; its Message-ID is `<name@x>`.
func mail(_ name: String) -> [UInt8] {
    Array("From: ana@acme.example\r\nSubject: \(name)\r\nMessage-ID: <\(name)@x>\r\n\r\nHello.\r\n".utf8)
}

/// The same without a Message-ID.
func namelessMail(_ name: String) -> [UInt8] {
    Array("From: ana@acme.example\r\nSubject: \(name)\r\n\r\nHello.\r\n".utf8)
}

func token(_ name: String) -> MessageID { MessageID("\(name)@x") }

/// A store, a task folder and an account in memory; steps are named, and so are messages.
final class DrainWorld: Sendable {
    let sink = FakeMailSink([inbox.name, archive.name, drafts.name, sent.name])
    let submitter = FakeSubmitter()
    let tasks: TaskFiles
    let files: AttachmentFolder
    private let folder: String
    private let opened: Mutex<Store>
    private let clock = Mutex<Int64>(1)

    var store: Store { opened.withLock { $0 } }
    var tasksFolder: String { folder + "/tasks" }
    /// The workspace.
    var root: String { folder }

    init(_ messages: [String] = []) async throws {
        folder = FileManager.default.temporaryDirectory.path + "/opus-drain-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        tasks = TaskFiles(root: folder + "/tasks")
        files = AttachmentFolder(root: folder + "/attachments")
        opened = Mutex(try Store.open(path: folder + "/store.sqlite"))
        try store.sync.saveMailboxes([inbox, archive, drafts, sent], of: work)
        try await add(messages)
    }

    deinit {
        opened.withLock { $0.close() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: What is there

    /// Puts messages into the account, and into the store as a sync would.
    func add(
        _ names: [String], to mailbox: Mailbox = inbox, flags: Set<Flag> = [], thread: String? = nil,
        hasMessageID: Bool = true
    ) async throws {
        var batch = SyncBatch(account: work, mailbox: mailbox.name, uidValidity: 7)
        for name in names {
            let bytes = hasMessageID ? mail(name) : namelessMail(name)
            let uid = await sink.put(.init(bytes: bytes, flags: flags), in: mailbox.name)
            var row = NewMessage(
                uid: uid, id: id(name), fingerprint: "print-\(name)",
                thread: ThreadID(rawValue: thread ?? name),
                received: Timestamp(seconds: 1))
            row.messageID = hasMessageID ? token(name) : nil
            row.headerBlock = Array(MIMEParser.parse(bytes).headerBlock)
            row.flags = flags
            batch.added.append(row)
        }
        _ = try store.sync.apply(batch)
    }

    func id(_ name: String) -> EmailID { EmailID(rawValue: name) }

    /// Where the message stands as the store knows it.
    func key(_ name: String, in mailbox: Mailbox = inbox) throws -> MessageKey {
        let placements = try store.sync.placements(of: work, mailbox: mailbox.name)
        let uid = placements.first { $0.message == id(name) }?.uid ?? 0
        return MessageKey(account: work, mailbox: mailbox.name, uidValidity: 7, uid: uid)
    }

    // MARK: Steps

    func queue(_ steps: Step...) throws { try queue(steps) }

    func queue(_ steps: [Step]) throws {
        _ = try store.journal.queue(
            NewRun(account: work, startedAt: Timestamp(seconds: 1), command: "test"), steps: steps)
    }

    func step(_ key: String, _ message: String?, _ kind: Step.Kind) -> Step {
        Step(idempotencyKey: key, message: message.map(id), cause: .rule("test"), kind: kind)
    }

    func task(_ name: String, for message: String, list: GTDList = .next) -> Step {
        step("task \(name)", message, .createTodo(Todo(id: TodoID(name), list: list, summary: name)))
    }

    func mark(_ message: String, add: Set<Flag> = [], words: Set<Keyword> = []) throws -> Step {
        let kind = Step.Kind.store(
            try key(message), addFlags: add, removeFlags: [], addKeywords: words, removeKeywords: [])
        return step("mark \(message)", message, kind)
    }

    func move(_ message: String, to mailbox: Mailbox = archive, key: String = "move") throws -> Step {
        step("\(key) \(message)", message, .move(try self.key(message), to: mailbox))
    }

    func append(_ name: String, for message: String?, to mailbox: Mailbox = drafts) -> Step {
        step(
            "append \(name)", message,
            .append(to: mailbox, message: mail(name), flags: [.seen], token: token(name)))
    }

    func submit(_ name: String, for message: String?) -> Step {
        let kind = Step.Kind.submit(
            reversePath: "me@example.org", forwardPaths: ["bob@acme.example"], message: mail(name),
            token: token(name))
        return step("submit \(name)", message, kind)
    }

    // MARK: Running

    /// Each drain is an hour after the one before, where no time is given: whatever was put off is due.
    @discardableResult
    func drain(sending: Bool = true, at time: Int64? = nil, route: String = "", groupSize: Int = 1_000)
        async throws -> DrainReport
    {
        let seconds =
            time
            ?? clock.withLock { hours in
                hours += 1
                return 3_600 * hours
            }
        return try await Drain(
            account: work, store: store, tasks: tasks, files: files, lists: SenderLists(root: folder),
            sink: sink,
            submitter: sending ? submitter : nil,
            route: route, now: Timestamp(seconds: seconds),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }, groupSize: groupSize,
            pause: { _ in }
        ).run()
    }

    /// For what is done without the account.
    func offline() -> Drain {
        Drain(
            account: work, store: store, tasks: tasks, files: files, sink: sink, submitter: nil,
            now: Timestamp(seconds: 3_600),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }

    /// What a kill does: from here on nothing more reaches the journal.
    var kill: @Sendable () -> Void {
        { [weak self] in self?.store.close() }
    }

    /// The program is started again.
    func reopen() throws {
        store.close()
        let fresh = try Store.open(path: folder + "/store.sqlite")
        opened.withLock { $0 = fresh }
    }

    // MARK: What became of it

    /// `task t1: confirmed`, in journal order, of every run.
    func journal() throws -> [String] {
        try store.runs.runs(limit: 100).reversed().flatMap { try store.runs.run($0.id)?.steps ?? [] }.map {
            "\($0.idempotencyKey): \($0.state.rawValue)"
        }
    }

    func state(_ key: String) throws -> Step.State? {
        try store.runs.runs(limit: 100).flatMap { try store.runs.run($0.id)?.steps ?? [] }
            .last { $0.idempotencyKey == key }?.state
    }

    func error(_ key: String) throws -> String? {
        try store.runs.runs(limit: 100).flatMap { try store.runs.run($0.id)?.steps ?? [] }
            .last { $0.idempotencyKey == key }?.reason
    }

    func evidence(_ key: String) throws -> String? {
        try store.runs.runs(limit: 100).flatMap { try store.runs.run($0.id)?.steps ?? [] }
            .last { $0.idempotencyKey == key }?.proof?.sentence
    }

    /// Subjects in a mailbox of the account, by UID.
    func subjects(_ mailbox: Mailbox) async -> [String] {
        await (sink.boxes[mailbox.name]?.messages ?? [:]).sorted { $0.key < $1.key }.map {
            $0.value.message.envelope.subject
        }
    }

    /// Subjects in a mailbox as the store knows it.
    func known(_ mailbox: Mailbox) throws -> [String] {
        try store.sync.placements(of: work, mailbox: mailbox.name).map { "\($0.message)@\($0.uid)" }
    }

    func taskFiles() throws -> [String] {
        try tasks.scan(known: [], now: Timestamp(seconds: 1), allowMassDelete: true).files.map(\.todo.summary)
            .sorted()
    }
}
