import Accounts
import Crypto
import Executor
import Glibc
import IMAPClient
import IMAPProtocol
import MIMEParser
import MailStore
public import Models
import Rules
import SMTPClient
import SyncEngine

/// An account as `opus account list` shows it.
public struct AccountLine: Sendable {
    public var name: String
    public var address: String
    public var kind: String
    public var place: String

    init(_ account: Account) {
        name = account.id.rawValue
        address = account.address.addrSpec
        switch account.source {
        case .maildir(let path):
            kind = "maildir"
            place = path
        case .imap(let server):
            kind = "imap"
            place = "\(server.host):\(server.port)"
        }
    }
}

/// What a connection to an account showed.
public struct AccountCheck: Sendable {
    public struct Line: Sendable {
        public var what: String
        public var isGood: Bool
        public var words: String
    }

    public var account: AccountID
    public var lines: [Line] = []
    /// What ended the check of a server, each named; the first one gives the command its code.
    public var failures: [Problem] = []
    public var isGood: Bool { lines.allSatisfy(\.isGood) }

    mutating func good(_ what: String, _ words: String) {
        lines.append(Line(what: what, isGood: true, words: words))
    }
    mutating func bad(_ what: String, _ words: String) {
        lines.append(Line(what: what, isGood: false, words: words))
    }
    mutating func fail(_ what: String, _ error: any Error) {
        var problem = Self.problem(error)
        bad(what, problem.message)
        if !problem.message.lowercased().contains(what) { problem.message = "\(what): \(problem.message)" }
        failures.append(problem)
    }

    /// A failure does not advise what is being done already.
    static func problem(_ error: any Error) -> Problem {
        var problem = Problem(error)
        problem.next.removeAll { $0.hasPrefix("opus account check") }
        return problem
    }
}

extension Session {
    public static func accountLines(_ options: SessionOptions) throws -> [AccountLine] {
        try workspace(options).accounts.map(AccountLine.init)
    }

    /// Connects and logs in, to the mail source and to the submission server. What fails is a line like the rest, and
    /// the other server is checked all the same.
    public func check(_ id: AccountID) async throws -> AccountCheck {
        let account = try requireAccount(id)
        var check = AccountCheck(account: account.id)
        do {
            check = try await connected(account) { try await checkSource(account, over: $0) }
        } catch {
            // A login that was refused, or has no password, is not tried at another server.
            let problem = AccountCheck.problem(error)
            guard !Task.isCancelled, account.smtp != nil,
                problem.exit != .loginRefused, problem.exit != .configuration
            else { throw problem }
            check.fail(AccountLine(account).kind, problem)
        }
        if let file = account.smimeCAFile {
            let isRead = (try? MailTrust(caFile: file)) != nil
            if isRead {
                check.good("smime", "authorities of the system and of \(file)")
            } else {
                check.bad("smime", "\(file) holds no certificates that can be read")
            }
        }
        do {
            try await checkSubmission(account, &check)
        } catch {
            if Task.isCancelled { throw error }
            check.fail("smtp", error)
        }
        return check
    }

    private func checkSource(
        _ account: Account, over connection: AccountConnection
    ) async throws -> AccountCheck {
        var check = AccountCheck(account: account.id)
        if let imap = connection.imap, case .imap(let server) = account.source {
            check.good(
                "login", "\(server.host):\(server.port) as \(account.login?.user ?? account.address.addrSpec)"
            )
            let names = await imap.capabilities.map(\.description).sorted()
            check.good("server", names.joined(separator: " "))
            let canMove = await IMAPMailSink.canMove(imap)
            if !canMove {
                check.bad(
                    "move",
                    "not possible: the server offers neither MOVE nor a safe way to remove one message; "
                        + "messages stay where they are")
            } else if !names.contains("MOVE") {
                check.good(
                    "move", "not offered: messages are copied, then the original is removed by UID EXPUNGE")
            }
            if canMove, !names.contains("UIDPLUS") {
                check.good("uidplus", "not offered: opus looks for each message that it moved")
            }
        }
        let mailboxes: [Mailbox]
        do {
            mailboxes = try await Problem.wrap(account) { try await connection.source.mailboxes() }
        } catch {
            if Task.isCancelled { throw error }
            check.fail("mailboxes", error)
            return check
        }
        check.good("mailboxes", "\(mailboxes.count)")
        let leftOut = try await Problem.wrap(account) {
            try await AccountSync.leftOut(connection.source, exclude: account.sync.exclude)
        }
        if !leftOut.isEmpty { check.good("left out", leftOut.map(\.displayName).joined(separator: ", ")) }
        for role in [MailboxRole.inbox, .archive, .drafts, .sent, .trash] {
            if let mailbox = existing(role, of: account, among: mailboxes) {
                check.good(role.rawValue, mailbox.displayName)
            } else {
                check.good(
                    role.rawValue, "none yet; \(roleName(role, of: account)) is made when it is first needed")
            }
        }
        return check
    }

    private func checkSubmission(_ account: Account, _ check: inout AccountCheck) async throws {
        if let sendmail = account.sendmail {
            guard let program = sendmail.program else {
                let name = sendmail.command.first ?? ""
                return check.bad("sendmail", "there is no program \(name) (\(sendmail.place))")
            }
            return check.good("sendmail", program)
        }
        guard let server = account.smtp else {
            return check.good("smtp", "not configured: mails become drafts")
        }
        let configuration = try await Problem.wrap(account) {
            try await Self.smtpConfiguration(account, server, credentials)
        }
        let client = try await Problem.wrap(account) {
            try await SMTPClient.connect(configuration, logger: logger)
        }
        await client.quit()
        check.good("smtp", "\(server.host):\(server.port)")
    }
}

/// One line of `opus doctor`.
public struct Finding: Sendable {
    public var what: String
    public var isGood: Bool
    public var words: String
    public var next: String?
}

/// Looks at everything that a first run needs, and goes on after each thing that is missing.
public struct Doctor: Sendable {
    let options: SessionOptions
    let connects: Bool

    public init(options: SessionOptions, connects: Bool) {
        self.options = options
        self.connects = connects
    }

    public func run() async -> [Finding] {
        var findings = [libraries(), charsets(), clock()]
        let session: Session
        do {
            session = try Session.open(options, .reading)
        } catch {
            findings.append(Self.failed("workspace", error))
            return findings
        }
        defer { session.close() }
        findings.append(Finding(what: "workspace", isGood: true, words: session.workspace.configFile))
        findings.append(rules(session))
        findings.append(store(session))
        findings.append(tasks(session))
        for account in session.workspace.accounts { findings.append(await self.account(account, session)) }
        return findings
    }

    private func libraries() -> Finding {
        let versions = LibraryVersions.current
        return Finding(what: "libraries", isGood: true, words: versions.joined(separator: ", "))
    }

    /// Some distributions ship glibc's converters apart.
    private func charsets() -> Finding {
        let missing = Charset.missingConverters()
        guard missing.isEmpty else {
            return Finding(
                what: "charsets", isGood: false, words: "no converter for \(missing.joined(separator: ", "))",
                next: "install glibc's gconv modules")
        }
        return Finding(
            what: "charsets", isGood: true, words: "every charset that mail uses can be read")
    }

    private func clock() -> Finding {
        let now = SessionClock(fixed: options.now).now
        let plausible = now > (Timestamp(rfc3339: "2025-01-01T00:00:00Z") ?? now)
        return Finding(
            what: "clock", isGood: plausible, words: now.rfc3339,
            next: plausible ? nil : "set the system's clock")
    }

    private func rules(_ session: Session) -> Finding {
        do {
            let library = try session.requireRules()
            return Finding(
                what: "rules", isGood: true,
                words: counted(library.rules.ruleCount, "rule") + ", "
                    + counted(library.rules.testCount, "test passes", "tests pass"))
        } catch {
            return Finding(
                what: "rules", isGood: false, words: "they do not check, or a test fails",
                next: "opus rules check")
        }
    }

    private func store(_ session: Session) -> Finding {
        do {
            let problems = try session.store.integrityCheck()
            return Finding(
                what: "store", isGood: problems.isEmpty,
                words: problems.isEmpty
                    ? "\(session.workspace.storeFolder) (SQLite \(try session.store.sqliteVersion()))"
                    : problems.joined(separator: "; "),
                next: problems.isEmpty ? nil : "move \(session.workspace.storeFolder) away and sync again")
        } catch {
            return Self.failed("store", error)
        }
    }

    private func tasks(_ session: Session) -> Finding {
        do {
            let listing = try session.taskFiles()
            return Finding(
                what: "tasks", isGood: listing.malformed.isEmpty,
                words: listing.malformed.first
                    ?? "\(listing.files.count) in \(session.workspace.tasksFolder)"
                    + (listing.files.isEmpty ? "" : openness(session.workspace.tasksFolder)),
                next: listing.malformed.isEmpty ? nil : "mend the file in an editor")
        } catch {
            return Self.failed("tasks", error)
        }
    }

    /// Older versions made these folders for everyone to read; a person may want it so.
    private func openness(_ folder: String) -> String {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & 0o007 != 0 else { return "" }
        return " (other users can read them; if that is not what you want: chmod -R go-rwx \(folder))"
    }

    private func account(_ account: Account, _ session: Session) async -> Finding {
        let what = "account"
        guard connects else { return Finding(what: what, isGood: true, words: "\(account.id) (not asked)") }
        do {
            let check = try await session.check(account.id)
            let bad = check.lines.filter { !$0.isGood }.map(\.words)
            return Finding(
                what: what, isGood: bad.isEmpty,
                words: "\(account.id): " + (bad.first ?? counted(check.lines.count, "check") + " good"),
                next: bad.isEmpty ? nil : "opus account check \(account.id)")
        } catch {
            return Self.failed(what, error)
        }
    }

    private static func failed(_ what: String, _ error: any Error) -> Finding {
        let problem = error as? Problem
        return Finding(
            what: what, isGood: false, words: problem?.message ?? "\(error)", next: problem?.next.first)
    }
}
