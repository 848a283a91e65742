import Accounts
import Crypto
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
    public var isGood: Bool { lines.allSatisfy(\.isGood) }

    mutating func good(_ what: String, _ words: String) {
        lines.append(Line(what: what, isGood: true, words: words))
    }
    mutating func bad(_ what: String, _ words: String) {
        lines.append(Line(what: what, isGood: false, words: words))
    }
}

extension Session {
    public static func accountLines(_ options: SessionOptions) throws -> [AccountLine] {
        try workspace(options).accounts.map(AccountLine.init)
    }

    /// Connects and logs in, to the mail source and to the submission server. A refusal is thrown as what it is.
    public func check(_ id: AccountID) async throws -> AccountCheck {
        let account = try requireAccount(id)
        return try await connected(account) { try await check(account, over: $0) }
    }

    private func check(_ account: Account, over connection: AccountConnection) async throws -> AccountCheck {
        var check = AccountCheck(account: account.id)
        if let imap = connection.imap, case .imap(let server) = account.source {
            check.good(
                "login", "\(server.host):\(server.port) as \(account.login?.user ?? account.address.addrSpec)"
            )
            let names = await imap.capabilities.map(\.description).sorted()
            check.good("server", names.joined(separator: " "))
            if !names.contains("MOVE") {
                check.good(
                    "move", "not offered: messages are copied, then the original is removed by UID EXPUNGE")
            }
            if !names.contains("UIDPLUS") {
                check.bad(
                    "uidplus",
                    "not offered: what happened cannot be proven, and without MOVE nothing is moved")
            }
        }
        let mailboxes = try await Problem.wrap(account) { try await connection.source.mailboxes() }
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
        if let file = account.smimeCAFile {
            let isRead = (try? MailTrust(caFile: file)) != nil
            if isRead {
                check.good("smime", "authorities of the system and of \(file)")
            } else {
                check.bad("smime", "\(file) holds no certificates that can be read")
            }
        }
        try await checkSubmission(account, &check)
        return check
    }

    private func checkSubmission(_ account: Account, _ check: inout AccountCheck) async throws {
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
                    ?? "\(listing.files.count) in \(session.workspace.tasksFolder)",
                next: listing.malformed.isEmpty ? nil : "mend the file in an editor")
        } catch {
            return Self.failed("tasks", error)
        }
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
