import Accounts
import Executor
import IMAPClient
import Logging
import MaildirClient
import Models
import SMTPClient
import SyncEngine
import Transport

/// The connections of one account: the source of mail, the sink for changes, and the submitter.
struct AccountConnection: Sendable {
    let account: Account
    let source: any MailSource
    /// A second connection for a sync; nil for a Maildir.
    let spare: SpareSource?
    /// Makes a sink for one drain: it opens mailboxes for changes, independently of the source.
    let makeSink: @Sendable () -> any MailSink
    let submitter: (any MailSubmitter)?
    /// nil for a Maildir.
    let imap: IMAPConnection?
    /// nil over IMAP.
    var maildir: Maildir?
}

/// The connections of a session, by account.
actor ConnectionPools {
    private var pools: [AccountID: IMAPConnectionPool] = [:]

    func pool(of account: AccountID, _ make: @Sendable () -> IMAPConnectionPool) -> IMAPConnectionPool {
        if let pool = pools[account] { return pool }
        let pool = make()
        pools[account] = pool
        return pool
    }

    /// Makes the next connection a new one, whatever the state of the others: they may be dead, or their
    /// login was refused.
    func forget(_ account: AccountID) async { await pools.removeValue(forKey: account)?.abandon() }

    func closeAll() async {
        for account in pools.keys.sorted() { await pools.removeValue(forKey: account)?.close() }
    }
}

/// Opens the connections of accounts: to IMAP servers, Maildirs and submission servers.
struct AccountConnections: Sendable {
    let pools: ConnectionPools
    let credentials: Credentials
    let phases: ConnectionPhases
    /// All open connections, to any server.
    let open: OpenConnections
    /// A folder for temporary files.
    let scratch: String
    let logger: Logger

    /// How many connections were ended so far because their server was silent while another command waited.
    var givenUp: Int { open.silentCount }

    /// Runs `body` with a connection of the account: one login per session, and a new one after the
    /// connection broke. For a Maildir, only its folder must exist.
    func connected<Result: Sendable>(
        _ account: Account, _ body: (AccountConnection) async throws -> Result
    ) async throws -> Result {
        guard case .imap(let server) = account.source else { return try await body(maildir(account)) }
        let pool = await pool(of: account, server)
        // Errors of the body keep their text; errors of connecting name the account.
        let outcome: Swift.Result<Result, any Error> = try await Problem.wrap(account) {
            try await pool.withConnection { client in
                do {
                    return .success(try await body(connection(of: account, server, client, pool)))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try outcome.get()
    }

    private func maildir(_ account: Account) -> AccountConnection {
        let path = if case .maildir(let path) = account.source { path } else { "" }
        let client = Maildir(
            root: path, account: account.id, folders: account.folders, sent: account.identitySentMailboxes,
            permissions: account.permissions)
        return AccountConnection(
            account: account, source: MaildirMailSource(client: client), spare: nil,
            makeSink: { MaildirMailSink(client: client) }, submitter: submitter(for: account), imap: nil,
            maildir: client)
    }

    private func connection(
        of account: Account, _ server: ServerSettings, _ client: IMAPConnection, _ pool: IMAPConnectionPool
    ) -> AccountConnection {
        let source = { @Sendable client in
            IMAPMailSource(
                client: client, account: account.id, folders: account.folders,
                sent: account.identitySentMailboxes)
        }
        let sameProvider = MailProvider.isSame(imapHost: server.host, smtpHost: account.smtp?.host)
        return AccountConnection(
            account: account, source: source(client),
            spare: { body in try await pool.withConnection { try await body(source($0)) } },
            makeSink: { IMAPMailSink(client: client, submitsToSameProvider: sameProvider) },
            submitter: submitter(for: account), imap: client)
    }

    private func pool(of account: Account, _ server: ServerSettings) async -> IMAPConnectionPool {
        let (credentials, phases, open, logger) = (credentials, phases, open, logger)
        return await pools.pool(of: account.id) {
            IMAPConnectionPool(limit: account.sync.connections ?? IMAPConnectionPool.mostConnections) {
                try await Self.login(account, server, credentials, phases, open, logger)
            }
        }
    }

    private static func login(
        _ account: Account, _ server: ServerSettings, _ credentials: Credentials,
        _ phases: ConnectionPhases, _ open: OpenConnections, _ logger: Logger
    ) async throws -> IMAPConnection {
        let opened = { @Sendable in phases.tell(account.id, .authenticating) }
        let proof = { phases.tell(account.id, account.login?.proof == .token ? .tokenRefresh : .connecting) }
        if await credentials.needsCommand(account.id) { proof() }
        var configuration = IMAPConfiguration(
            endpoint: Endpoint(host: server.host, port: server.port), security: server.transport,
            credentials: try await credentials.credentials(of: account),
            compression: account.sync.compression.onTheWire, acceptsUTF8: account.sync.acceptsUTF8)
        phases.tell(account.id, .connecting)
        configuration.permissions = account.permissions
        configuration.connections = open
        do throws(IMAPClientError) {
            return try await IMAPConnection.connect(configuration, logger: logger, opened: opened)
        } catch {
            guard case .loginRefused = error else { throw error }
            proof()
            let other = try? await credentials.renewed(account, after: configuration.credentials)
            guard let other else {
                await credentials.noteRefusal(account.id, configuration.credentials)
                throw error
            }
            configuration.credentials = other
        }
        do {
            phases.tell(account.id, .connecting)
            return try await IMAPConnection.connect(configuration, logger: logger, opened: opened)
        } catch {
            if case .loginRefused = error {
                await credentials.noteRefusal(account.id, configuration.credentials)
            }
            await credentials.forget(account.id)
            throw error
        }
    }

    private func submitter(for account: Account) -> (any MailSubmitter)? {
        if let sendmail = account.sendmail {
            return SendmailSubmitter(
                command: sendmail, scratch: scratch, permissions: account.permissions)
        }
        guard let server = account.smtp else { return nil }
        let (credentials, open) = (credentials, open)
        return SMTPSubmitter(logger: logger) {
            var configuration = try await Self.smtpConfiguration(account, server, credentials)
            if let login = configuration.credentials,
                let reason = await credentials.refusedSending(account.id, login)
            {
                throw SubmissionError.loginRefused(reason)
            }
            configuration.connections = open
            return configuration
        } renewed: { refused in
            guard let login = refused.credentials,
                let other = try? await credentials.renewed(account, after: login)
            else { return nil }
            var configuration = refused
            configuration.credentials = other
            return configuration
        } refused: { configuration, reason in
            guard let login = configuration.credentials else { return }
            await credentials.noteRefusedSending(account.id, login, because: reason)
        }
    }

    static func smtpConfiguration(
        _ account: Account, _ server: ServerSettings, _ credentials: Credentials
    ) async throws -> SMTPConfiguration {
        var configuration = SMTPConfiguration(
            endpoint: Endpoint(host: server.host, port: server.port), security: server.transport,
            credentials: server.usesLogin && account.login != nil
                ? try await credentials.credentials(of: account) : nil)
        configuration.permissions = account.permissions
        return configuration
    }
}

extension Account {
    /// The servers for reading and sending mail: `imap.example.org smtp.example.org`.
    var route: String {
        let source = if case .imap(let server) = source { server.host } else { "maildir" }
        return source + " " + (smtp?.host ?? sendmail?.command.first ?? "-")
    }
}

extension SyncSettings.Compression {
    fileprivate var onTheWire: Compression {
        switch self {
        case .off: .off
        case .auto: .automatic
        case .always: .always
        }
    }
}

extension ServerSettings {
    var transport: TransportSecurity {
        let policy = TLSPolicy(serverName: host, caFile: caFile, pin: pin)
        return switch security {
        case .tls: .tls(policy)
        case .startTLS: .startTLS(policy)
        case .none: .plaintext
        }
    }
}
