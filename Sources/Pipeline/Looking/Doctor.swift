import Accounts
import Executor
import Foundation
import Glibc
import IMAPClient
import IMAPProtocol
import MIMEParser
import MailStore
import Models
import Rules
import SMTPClient
import SyncEngine

/// Checks everything that a run needs, and continues after a failed check.
public struct Doctor: Sendable {
    let options: SessionOptions
    let connects: Bool

    public init(options: SessionOptions, connects: Bool) {
        self.options = options
        self.connects = connects
    }

    public func run() async -> Diagnosis {
        var findings = [libraries(), charsets(), clock()]
        let session: Session
        do {
            session = try Session.open(options, .reading)
        } catch {
            findings.append(.failed("workspace", error))
            findings += ["rules", "store", "tasks", "account"].map {
                .skipped($0, "not checked, because the workspace cannot be opened")
            }
            return Diagnosis(findings: findings)
        }
        let workspace = session.workspace
        findings.append(.good("workspace", workspace.configFile))
        findings.append(trust(workspace))
        findings.append(rules(session))
        findings.append(store(session))
        findings.append(tasks(session))
        findings.append(HelperPrograms(workspace).finding)
        if workspace.fileText.isOn {
            findings.append(FileTextPrograms(scratch: workspace.storeFolder).finding)
        }
        if workspace.accounts.isEmpty {
            findings.append(.bad("account", "the workspace has no account", next: "opus account add ADDRESS"))
        }
        for account in workspace.accounts { findings += await self.account(account, session) }
        await session.end()
        return Diagnosis(findings: findings)
    }

    private func libraries() -> Finding {
        .good("libraries", LibraryVersions.current.joined(separator: ", "))
    }

    /// Some distributions package glibc's converters separately.
    private func charsets() -> Finding {
        let missing = Charset.missingConverters()
        guard missing.isEmpty else {
            return .bad(
                "charsets", "no converter for \(missing.joined(separator: ", "))",
                next: "dnf install glibc-gconv-extra")
        }
        return .good("charsets", "every charset that mail uses can be read")
    }

    private func clock() -> Finding {
        let now = SessionClock(fixed: options.now).now
        guard now > (Timestamp(rfc3339: "2025-01-01T00:00:00Z") ?? now) else {
            return .bad("clock", now.rfc3339, next: "timedatectl set-ntp true")
        }
        return .good("clock", now.rfc3339)
    }

    /// opus.yaml and the store were already checked when they were opened.
    private func trust(_ workspace: Workspace) -> Finding {
        for folder in [workspace.rulesFolder, workspace.tasksFolder] {
            guard let doubt = PathTrust().doubt(about: folder) else { continue }
            return .failed("trust", Problem.untrusted(doubt, place: folder))
        }
        return .good("trust", "only you can write opus.yaml, the rules, the tasks and the store")
    }

    private func rules(_ session: Session) -> Finding {
        do {
            let library = try session.rules.library()
            return .good(
                "rules",
                counted(library.rules.ruleCount, "rule") + ", "
                    + counted(library.rules.testCount, "test passes", "tests pass"))
        } catch let problem as Problem where problem.code == "no-rules" {
            return .failed("rules", problem)
        } catch {
            return .bad("rules", "they have errors, or a test fails", next: "opus rules check")
        }
    }

    private func store(_ session: Session) -> Finding {
        let folder = session.workspace.storeFolder
        do {
            let problems = try session.store.integrityCheck()
            guard problems.isEmpty else {
                return .bad(
                    "store", problems.prefix(3).joined(separator: "; "), next: "opus store verify")
            }
            return .good("store", "\(folder) (SQLite \(try session.store.sqliteVersion()))")
        } catch {
            return .failed("store", error)
        }
    }

    private func tasks(_ session: Session) -> Finding {
        do {
            let listing = try session.tasks.files()
            if let broken = listing.malformed.first {
                return .bad("tasks", broken, next: "opus task list")
            }
            let folder = session.workspace.tasksFolder
            return .good(
                "tasks",
                "\(listing.files.count) in \(folder)" + (listing.files.isEmpty ? "" : openness(folder)))
        } catch {
            return .failed("tasks", error)
        }
    }

    /// Older versions made these folders readable for all users; this may be intended.
    private func openness(_ folder: String) -> String {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & 0o007 != 0 else { return "" }
        return " (other users can read them; if that is not what you want: chmod -R go-rwx \(folder))"
    }

    // MARK: Accounts

    private func account(_ account: Account, _ session: Session) async -> [Finding] {
        var findings = [await reached(account, session), permissions(account)].compactMap(\.self)
        findings += [login(account, session), sync(account, session)].compactMap(\.self)
        return findings
    }

    private func reached(_ account: Account, _ session: Session) async -> Finding {
        let what = "account"
        guard connects else { return .skipped(what, "\(account.id) (not connected)") }
        do {
            let check = try await session.checks.account(account.id)
            guard let bad = check.lines.first(where: { !$0.isGood }) else {
                return .good(what, "\(account.id): " + counted(check.lines.count, "check") + " good")
            }
            return .bad(what, "\(account.id): \(bad.words)", next: "opus account check \(account.id)")
        } catch {
            var finding = Finding.failed(what, error)
            if !finding.words.contains(account.id.rawValue) {
                finding.words = "\(account.id): \(finding.words)"
            }
            if finding.next?.hasPrefix("opus account login ") != true {
                finding.next = "opus account check \(account.id)"
            }
            return finding
        }
    }

    private func permissions(_ account: Account) -> Finding? {
        guard account.permissions != .full else { return nil }
        return .good(
            "allow",
            "\(account.id): \(account.permissions.name) (\(account.permissionsPlace ?? account.place))")
    }

    private func login(_ account: Account, _ session: Session) -> Finding? {
        guard let end = session.loginEnds.end(of: account) else { return nil }
        let time = session.zone.rfc3339(end)
        let next = "opus account login \(account.id)"
        if end <= session.now { return .bad("login", "\(account.id): it ended at \(time)", next: next) }
        guard LoginEnds.isSoon(end, session.now) else {
            return .good("login", "\(account.id): until \(time)")
        }
        return .attention("login", "\(account.id): it ends at \(time)", next: next)
    }

    private func sync(_ account: Account, _ session: Session) -> Finding? {
        guard let last = try? session.store.sync.lastSync(of: account.id) else {
            return .attention("sync", "\(account.id): never synced", next: "opus sync")
        }
        let days = (session.now - last) / 86_400
        guard days < 1 else {
            return .attention(
                "sync", "\(account.id): last sync \(counted(Int(days), "day")) ago", next: "opus sync")
        }
        return .good("sync", "\(account.id): \(session.zone.rfc3339(last))")
    }
}
