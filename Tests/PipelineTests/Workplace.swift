import Foundation
import Logging
import MailStore
import MaildirClient
import Models
import Rules

@testable import Pipeline

/// A workspace in a folder of its own: rules, an empty task folder and a Maildir that tests deliver to.
final class Workplace: Sendable {
    let root: String
    let client: Maildir

    /// Tuesday 10 March 2026, 08:30 in Paris.
    static let tuesday = Timestamp(seconds: 1_773_127_800)
    static let day: Int64 = 86_400

    static let rules = """
        rules-version: 1
        rules:
          - id: pay
            when: subject:invoice
            then:
              - task: { title: 'Pay {{subject}}', list: next }
              - archive
          - id: ask
            when: subject:question
            then:
              - task: { title: 'Answer {{subject}}', list: next }
          - id: later
            when: subject:weekly
            then:
              - defer: tomorrow 09:00
          - id: mark
            when: subject:notice
            then:
              - label: notices
        """

    init(rules: [String: String] = ["10-rules.yaml": Workplace.rules]) throws {
        root = FileManager.default.temporaryDirectory.path + "/opus-work-\(UUID().uuidString)"
        client = Maildir(root: root + "/Maildir", account: AccountID("work"))
        try FileManager.default.createDirectory(atPath: root + "/rules", withIntermediateDirectories: true)
        try write(
            """
            config-version: 1
            me: { name: Ana Ruiz, addresses: [ana@acme.example] }
            time-zone: Europe/Paris
            accounts:
              - name: work
                address: ana@acme.example
                maildir: Maildir

            """, to: "opus.yaml")
        for (name, text) in rules { try write(text, to: "rules/" + name) }
        try client.createRoot()
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    // MARK: Files

    func write(_ text: String, to path: String) throws {
        let url = URL(filePath: root + "/" + path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func read(_ path: String) throws -> String {
        try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    }

    /// Edits the one task whose summary holds that word, as any other program would.
    func edit(_ word: String, _ change: (String) -> String) throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: root + "/tasks")
        where path.hasSuffix(".ics") {
            let text = try read("tasks/" + path)
            if text.contains(word) { try write(change(text), to: "tasks/" + path) }
        }
    }

    // MARK: Mail

    func deliver(_ subjects: String..., flags: Set<Flag> = [], to mailbox: MailboxName = .inbox) throws {
        for subject in subjects {
            let token = subject.map { $0.isLetter || $0.isNumber ? $0 : "-" }
            let text =
                "From: Bob <bob@acme.example>\r\nTo: ana@acme.example\r\nSubject: \(subject)\r\n"
                + "Message-ID: <\(String(token))@x>\r\nDate: Tue, 10 Mar 2026 07:00:00 +0000\r\n\r\nHello.\r\n"
            _ = try client.addMessage(
                to: mailbox, message: Array(text.utf8), flags: flags, unique: "100.\(String(token))",
                received: Self.tuesday - 3_600)
        }
    }

    /// Files of a mailbox, without the delivery's own prefix.
    func names(_ mailbox: String) throws -> [String] {
        try client.list(MailboxName(mailbox)).map(\.unique).filter { !Self.isDeferredList($0) }.map {
            String($0.dropFirst(4))
        }.sorted()
    }

    /// Whether a file is the list of deferred messages, which is not mail: the name says so.
    static func isDeferredList(_ unique: String) -> Bool { unique.contains("opus-deferred") }

    // MARK: Sessions

    func options(at now: Timestamp = tuesday) -> SessionOptions {
        SessionOptions(
            workspace: root, environment: [:], currentDirectory: root, now: now,
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }

    func with(at now: Timestamp = tuesday, _ body: (Session) async throws -> Void) async throws {
        try await Session.with(options(at: now), .changing, body)
    }

    /// What `opus triage --yes` does, without a sync before it.
    func applyRules(_ session: Session) async throws -> RunReport {
        let plan = try session.triage.plan(for: AccountID("work"), rules: try session.rules.library())
        return try await session.triage.apply(plan, command: "triage")
    }

    /// What `opus run --yes` does.
    @discardableResult
    func run(at now: Timestamp = tuesday, allowMassDelete: Bool = false) async throws -> WorkResult {
        var result = WorkResult()
        try await with(at: now) { session in
            let library = try session.rules.library()
            for account in try session.accounts.ids(named: nil) {
                result.syncs.append(try await session.sync.account(account))
                result.follow = try await session.follow.taskEdits(
                    for: [account], allowMassDelete: allowMassDelete)
                try session.triage.noteAnswerStarts(of: account, library)
                let plan = try session.triage.plan(for: account, rules: library)
                result.reports.append(try await session.triage.apply(plan, command: "run"))
            }
        }
        return result
    }
}

/// What one run came to.
struct WorkResult {
    var syncs: [SyncReport] = []
    var follow = FollowReport()
    var reports: [RunReport] = []

    var didNothing: Bool {
        syncs.allSatisfy { $0.added == 0 && $0.changed == 0 && $0.removed == 0 && $0.problems.isEmpty }
            && follow.lines.isEmpty && follow.runs.allSatisfy(\.didNothing)
            && reports.allSatisfy(\.didNothing)
    }

    var failures: [Step] { (follow.runs + reports).flatMap(\.drain.failures) }
}
