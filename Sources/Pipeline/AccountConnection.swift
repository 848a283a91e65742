import Accounts
import Executor
import IMAPClient
import Logging
import MaildirClient
import Models
import SMTPClient
import SyncEngine
import Transport

/// The open ends of one account: where mail comes from, where changes go, and how mail is sent.
struct AccountConnection: Sendable {
    let account: Account
    let source: any MailSource
    /// A sink for one drain: it opens mailboxes for changes, and knows nothing of what the source had open.
    let makeSink: @Sendable () -> any MailSink
    let submitter: (any MailSubmitter)?
    /// nil for a Maildir.
    let imap: IMAPClient?

    func close() async {
        await imap?.logout()
    }
}

/// The open connections of a session.
actor Connections {
    private var open: [AccountID: AccountConnection] = [:]

    func connection(of account: AccountID) -> AccountConnection? { open[account] }

    func keep(_ connection: AccountConnection) { open[connection.account.id] = connection }

    func drop(_ account: AccountID) async { await open.removeValue(forKey: account)?.close() }

    func closeAll() async {
        for account in open.keys.sorted() { await drop(account) }
    }
}

extension Session {
    /// Runs something over the account's connection: one login a session, and a new one after a failure.
    func connected<Result: Sendable>(
        _ account: Account, _ body: (AccountConnection) async throws -> Result
    ) async throws -> Result {
        let connection: AccountConnection
        if let open = await connections.connection(of: account.id) {
            connection = open
        } else {
            connection = try await connect(account)
            await connections.keep(connection)
        }
        do {
            return try await body(connection)
        } catch {
            await connections.drop(account.id)
            throw error
        }
    }

    /// Connects and logs in. A Maildir only needs to be there.
    private func connect(_ account: Account) async throws -> AccountConnection {
        switch account.source {
        case .maildir(let path):
            let client = MaildirClient(root: path, account: account.id, folders: account.folders)
            return AccountConnection(
                account: account, source: MaildirMailSource(client: client),
                makeSink: { MaildirMailSink(client: client) }, submitter: submitter(for: account), imap: nil)
        case .imap(let server):
            let client = try await login(account, server)
            let sameProvider = MailProvider.isSame(imapHost: server.host, smtpHost: account.smtp?.host)
            return AccountConnection(
                account: account,
                source: IMAPMailSource(client: client, account: account.id, folders: account.folders),
                makeSink: { IMAPMailSink(client: client, submitsToSameProvider: sameProvider) },
                submitter: submitter(for: account), imap: client)
        }
    }

    private func login(_ account: Account, _ server: ServerSettings) async throws -> IMAPClient {
        try await Problem.wrap(account) {
            let configuration = IMAPConfiguration(
                endpoint: Endpoint(host: server.host, port: server.port), security: server.transport,
                credentials: try await credentials.credentials(of: account),
                compression: account.sync.compression.onTheWire)
            do {
                return try await IMAPClient.connect(configuration, logger: logger)
            } catch {
                await credentials.forget(account.id)
                throw error
            }
        }
    }

    private func submitter(for account: Account) -> (any MailSubmitter)? {
        guard let server = account.smtp else { return nil }
        let credentials = credentials
        return SMTPSubmitter(logger: logger) {
            try await Self.smtpConfiguration(account, server, credentials)
        }
    }

    static func smtpConfiguration(
        _ account: Account, _ server: ServerSettings, _ credentials: Credentials
    ) async throws -> SMTPConfiguration {
        SMTPConfiguration(
            endpoint: Endpoint(host: server.host, port: server.port), security: server.transport,
            credentials: try await credentials.credentials(of: account))
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
