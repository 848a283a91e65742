import Accounts
import Crypto
import Executor
import Glibc
import IMAPClient
import IMAPProtocol
import MIMEParser
import MailStore
import Models
import Rules
import SMTPClient
import SyncEngine

/// One line of `opus doctor`.
public struct Finding: Sendable {
    public var what: String
    public var isGood: Bool
    public var words: String
    public var next: String?
}

/// Checks everything that a first run needs, and continues after each thing that is missing.
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

    /// Some distributions ship glibc's converters separately.
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
            let library = try session.rules.library()
            return Finding(
                what: "rules", isGood: true,
                words: counted(library.rules.ruleCount, "rule") + ", "
                    + counted(library.rules.testCount, "test passes", "tests pass"))
        } catch {
            return Finding(
                what: "rules", isGood: false, words: "they have errors, or a test fails",
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
                next: problems.isEmpty ? nil : "opus store verify")
        } catch {
            return Self.failed("store", error)
        }
    }

    private func tasks(_ session: Session) -> Finding {
        do {
            let listing = try session.tasks.files()
            return Finding(
                what: "tasks", isGood: listing.malformed.isEmpty,
                words: listing.malformed.first
                    ?? "\(listing.files.count) in \(session.workspace.tasksFolder)"
                    + (listing.files.isEmpty ? "" : openness(session.workspace.tasksFolder)),
                next: listing.malformed.isEmpty ? nil : "correct the file in an editor")
        } catch {
            return Self.failed("tasks", error)
        }
    }

    /// Older versions made these folders readable for everyone; the user may want that.
    private func openness(_ folder: String) -> String {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & 0o007 != 0 else { return "" }
        return " (other users can read them; if that is not what you want: chmod -R go-rwx \(folder))"
    }

    private func account(_ account: Account, _ session: Session) async -> Finding {
        let what = "account"
        guard connects else {
            return Finding(what: what, isGood: true, words: "\(account.id) (not connected)")
        }
        do {
            let check = try await session.checks.account(account.id)
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
