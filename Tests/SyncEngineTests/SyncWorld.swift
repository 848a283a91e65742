import Crypto
import Foundation
import Logging
import MailStore
import Models
import SyncEngine
import SyncPlanner
import Synchronization

let work = AccountID("work")
let archive = MailboxName("Archive")

func mailbox(_ name: String, _ role: MailboxRole? = nil) -> Mailbox {
    Mailbox(account: work, name: MailboxName(name), displayName: name, delimiter: "/", role: role)
}

/// A message as it travels, with the field that a server wrote into it. Its Message-ID is `<id@x>`.
func mail(
    _ subject: String, id: String? = nil, references: [String] = [], body: String = "Hello.\r\n"
) -> [UInt8] {
    var lines = [
        "Received: from a by b; Mon, 7 Jul 2025 10:00:00 +0000", "From: Ana <ana@acme.example>",
        "To: me@example.org", "Subject: \(subject)",
    ]
    if let id { lines.append("Message-ID: <\(id)@x>") }
    if !references.isEmpty {
        lines.append("References: " + references.map { "<\($0)@x>" }.joined(separator: " "))
    }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
}

/// `count` messages named `m1`, `m2`, …
func mails(_ range: ClosedRange<Int>) -> [[UInt8]] { range.map { mail("m\($0)", id: "m\($0)") } }

/// A store in a folder of its own, and one account to synchronise into it.
final class SyncWorld: Sendable {
    let store: Store
    let source: FakeMailSource
    private let folder: URL

    /// Without `modSeq` the server proves nothing, so everything is compared each time.
    init(
        _ mailboxes: [Mailbox] = [mailbox("INBOX", .inbox), mailbox("Archive", .archive)],
        modSeq: UInt64? = nil, tracking: ChangeTracking? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "opus-sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try Store.open(path: folder.path + "/store.sqlite")
        source = FakeMailSource(mailboxes, modSeq: modSeq, tracking: tracking)
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    @discardableResult
    func sync(
        from other: (any MailSource)? = nil, at now: Int64 = 5_000, window: SyncWindow = .everything,
        trust: MailTrust? = nil
    ) async throws -> SyncReport {
        try await AccountSync(
            account: work, source: other ?? source, store: store, logger: Self.silent,
            now: Timestamp(seconds: now), window: window, trust: trust
        ).run()
    }

    static let silent = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

    /// `subject@uid` of everything in the mailbox, with its marks.
    func list(_ name: MailboxName = .inbox) throws -> [String] {
        try store.messages.facts(.mailbox(work, name)).sorted { $0.key.uid < $1.key.uid }.map { facts in
            let marks = facts.flags.map(\.rawValue).sorted() + facts.keywords.map(\.rawValue).sorted()
            return ([facts.subject + "@\(facts.key.uid)"] + marks).joined(separator: " ")
        }
    }

    /// Ids by subject, of everything anywhere.
    func ids() throws -> [String: [EmailID]] {
        var ids: [String: Set<EmailID>] = [:]
        for facts in try store.messages.facts(.everything(work)) {
            ids[facts.subject, default: []].insert(facts.id)
        }
        return ids.mapValues { $0.sorted() }
    }

    func threads() throws -> [String: ThreadID] {
        Dictionary(
            try store.messages.facts(.everything(work)).map { ($0.subject, $0.thread) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// The calls of the progress line.
final class ProgressLog: Sendable {
    private let heard = Mutex<[String]>([])

    @Sendable func add(_ progress: SyncProgress) {
        heard.withLock { $0.append("\(progress.mailbox) \(progress.done)/\(progress.total)") }
    }

    var lines: [String] { heard.withLock { $0 } }
}
