import Accounts
import Foundation
import MailStore
import MaildirClient
import Models
import Planner
import Rules
import Testing

@testable import Pipeline

// What tests do with a session, in the words of the commands.

extension Workplace {
    static let account = AccountID("work")

    /// A session in which the account was synced just now.
    func synced(at now: Timestamp = tuesday, _ body: (Session) async throws -> Void) async throws {
        try await with(at: now) { session in
            _ = try await session.sync.account(Self.account)
            try await body(session)
        }
    }

    /// A second account, with an empty Maildir; nothing may be configured before it.
    @discardableResult
    func addAccount(_ name: String) throws -> Maildir {
        try configure("  - { name: \(name), address: ana@\(name).example, maildir: \(name) }")
        let client = Maildir(root: root + "/" + name, account: AccountID(name))
        try client.createRoot()
        return client
    }

    /// What is left when `.opus` is deleted: mail, task files and settings.
    func loseStore() throws { try FileManager.default.removeItem(atPath: root + "/.opus") }

    /// Runs something while the account is on a server that cannot be reached.
    func offline(_ body: () async throws -> Void) async throws {
        let settings = try read("opus.yaml")
        try write(
            settings.replacing(
                "maildir: Maildir",
                with: "imap: { host: 127.0.0.1, port: 1, security: none }\n"
                    + "    login: { user: ana, password-command: [echo, secret] }"), to: "opus.yaml")
        defer { try? write(settings, to: "opus.yaml") }
        try await body()
    }

    /// While this runs, nothing can be moved to the mailbox: a file has its name.
    func blocking(_ mailbox: String, _ body: () async throws -> Void) async throws {
        let path = root + "/Maildir/." + mailbox
        try Data().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body()
    }
}

extension Session {
    /// The short ids of the messages with these subjects, in this order.
    func ids(_ subjects: String...) throws -> [String] {
        let lines = try messages.list(account: nil, folder: nil, everywhere: true, matching: nil)
        return try subjects.map { subject in
            try #require(lines.first { $0.facts.subject == subject }, "\(subject) is not there").shortID
        }
    }

    /// A verb by hand on the messages with these subjects: as it is applied after a confirmation.
    @discardableResult
    func byHand(_ effect: HandVerb.Effect, _ subjects: String...) async throws -> [RunReport] {
        let verb = HandVerb(effect)
        var reports: [RunReport] = []
        for subject in subjects {
            for plan in try byHand.plans(for: verb, ids: try ids(subject)) {
                reports.append(try await byHand.apply(plan, verb: verb))
            }
        }
        return reports
    }

    /// What `opus triage` shows of the inbox.
    func plan(limit: Int? = nil) throws -> Plan {
        try triage.plan(for: Workplace.account, rules: try rules.library(), limit: limit)
    }

    /// What `opus triage --again` shows.
    func planAgain() throws -> Plan {
        var allowance = try rules.sendAllowance()
        return try triage.plan(
            for: Workplace.account, rules: try rules.library(), limit: nil, sending: &allowance,
            isAgain: true)
    }

    func query(_ text: String) throws -> Query {
        try QuerySpan.parse(text, rules: try rules.library().rules).query
    }

    /// What `opus triage --over QUERY` shows.
    func plan(over text: String, limit: Int? = nil, isAgain: Bool = false) throws -> Plan {
        var allowance = try rules.sendAllowance()
        return try triage.plan(
            forHistory: try query(text), account: Workplace.account, rules: try rules.library(), limit: limit,
            sending: &allowance, isAgain: isAgain)
    }

    /// The plan's steps in the journal as a run that ended before it did any of them.
    @discardableResult
    func interrupt(_ plan: Plan) throws -> RunID {
        let account = try accounts.require(plan.account)
        let work = try Planning.work(for: plan, context: try accounts.stepContext(account)) { _, _ in
            throw Problem("test", exit: .bug, message: "this plan delegates")
        }
        var run = NewRun(account: account.id, startedAt: now, command: "triage", origin: plan.origin)
        run.asksWhenInterrupted = true
        return try store.journal.queue(run, work).id
    }

    /// The steps of that run as opus leaves them when it ends before their answers came.
    func lose(_ run: RunID) throws {
        let steps = try journal.run(run.description).steps
        try store.journal.markIssued(steps.compactMap(\.id), at: now)
    }
}

extension Plan {
    /// What happens to each message that it changes, by subject: `Invoice 1: task archive`.
    var changes: [String] {
        items.filter { !$0.isUntouched }.map { item in
            item.subject + ": " + item.decisions.map { "\($0.action.name.rawValue)" }.joined(separator: " ")
        }.sorted()
    }
}
