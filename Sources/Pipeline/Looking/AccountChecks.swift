import Accounts
import Crypto
import Executor
import Glibc
import IMAPClient
import IMAPProtocol
import Logging
import MIMEParser
import MailStore
public import Models
import Rules
import SMTPClient
import SyncEngine

/// Checks accounts over a connection: login, mailboxes, and submission.
public struct AccountChecks: Sendable {
    let accounts: AccountAccess
    let connections: AccountConnections
    let logger: Logger

    /// Connects and logs in to the mail server and to the submission server. A failure is part of the result,
    /// and the other server is checked anyway.
    public func account(_ id: AccountID) async throws -> AccountCheck {
        let account = try accounts.require(id)
        var check = AccountCheck(account: account.id)
        do {
            check = try await connections.connected(account) { try await checkSource(account, over: $0) }
        } catch {
            // After a refused login, or without a password, the other server is not tried.
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
                check.bad("smime", "\(file) contains no readable certificates")
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
            try await AccountSync.leftOut(
                connection.source, exclude: account.sync.exclude,
                needed: accounts.needed(by: account, among: mailboxes))
        }
        if !leftOut.isEmpty { check.good("left out", leftOut.map(\.displayName).joined(separator: ", ")) }
        for role in [MailboxRole.inbox, .archive, .drafts, .sent, .trash] {
            if let mailbox = accounts.existing(role, of: account, among: mailboxes) {
                check.good(role.rawValue, mailbox.displayName)
            } else {
                check.good(
                    role.rawValue,
                    "none yet; \(accounts.roleName(role, of: account)) is created when it is first needed")
            }
        }
        return check
    }

    private func checkSubmission(_ account: Account, _ check: inout AccountCheck) async throws {
        if let sendmail = account.sendmail {
            guard let program = sendmail.program else {
                let name = sendmail.command.first ?? ""
                return check.bad("sendmail", "program \(name) not found (\(sendmail.place))")
            }
            return check.good("sendmail", program)
        }
        guard let server = account.smtp else {
            return check.good("smtp", "not configured: mails become drafts")
        }
        let configuration = try await Problem.wrap(account) {
            try await AccountConnections.smtpConfiguration(account, server, connections.credentials)
        }
        let client = try await Problem.wrap(account) {
            try await SMTPConnection.connect(configuration, logger: logger)
        }
        await client.quit()
        check.good("smtp", "\(server.host):\(server.port)")
    }
}
