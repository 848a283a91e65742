import Accounts
public import Discovery
import Foundation
public import Models
import Transport

/// Sets up an account from an address: finds the servers, tries the login, and writes opus.yaml only if both
/// succeed.
public struct AccountSetup: Sendable {
    public let place: NewWorkspace
    let options: SessionOptions
    /// Certificates that are trusted instead of the system's.
    public var caFile: String?
    /// The fingerprint of the only trusted certificate, as 64 hexadecimal digits.
    public let pin: String?
    private let table: ProviderTable

    /// `pin` is a fingerprint as copied by the user, with or without colons.
    public init(_ options: SessionOptions, caFile: String? = nil, pin: String? = nil) throws {
        self.options = options
        self.caFile = caFile
        self.pin = try pin.map { try Self.digits($0) }
        table = try Self.table(options.environment)
        place = try NewWorkspace(options)
    }

    private static func digits(_ pin: String) throws -> String {
        let text = pin.lowercased()
        let digits = (text.hasPrefix("sha256:") ? text.dropFirst("sha256:".count) : text[...]).filter {
            $0 != ":"
        }
        guard digits.utf8.count == 64, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw Problem(
                "bad-pin", exit: .usage,
                message: "\"\(pin)\" is not the SHA-256 fingerprint of a certificate",
                next: ["openssl x509 -in FILE -noout -fingerprint -sha256"])
        }
        return String(digits)
    }

    private static let longestTable = 1 << 20

    /// The built-in table, or that of `OPUS_PROVIDERS`.
    private static func table(_ environment: [String: String]) throws -> ProviderTable {
        guard let file = environment["OPUS_PROVIDERS"], !file.isEmpty else { return .shipped }
        guard let data = FileManager.default.contents(atPath: file), data.count <= longestTable,
            let table = ProviderTable(json: data)
        else {
            throw Problem(
                "bad-table", exit: .configuration,
                message: "OPUS_PROVIDERS does not name a table of providers",
                place: file, next: ["unset OPUS_PROVIDERS"])
        }
        return table
    }

    /// The existing account with an address; without an address, the only account.
    ///
    /// - Throws: ``Problem`` if the workspace exists and has no such account, or if its settings have errors.
    public func existing(_ address: EmailAddress?) throws -> AccountID? {
        guard place.exists else { return nil }
        let accounts = try workspace().accounts
        guard let address else {
            guard accounts.count == 1, let only = accounts.first else { throw place.alreadyThere }
            return only.id
        }
        let found = accounts.first { $0.address.comparable == address.comparable }
        guard let found else { throw place.alreadyThere }
        return found.id
    }

    /// Throws if an account of this name and address cannot be added, before opus asks for its password.
    public func check(name: String, _ address: EmailAddress) throws {
        let wish = AccountWish(name: name, address: address, mail: .maildir("/"))
        if place.exists {
            try AccountEditing(place).check(wish)
        } else {
            _ = try place.parsed(AccountText(wish: wish).workspace(name: ""))
        }
    }

    /// Copies the starter rules if an interrupted `opus init` has not.
    ///
    /// - Returns: The files of the starter rules.
    public func completeRules() throws -> [String] { try place.installStarterRules(workspace()) }

    /// The names of the existing accounts.
    public func accountNames() throws -> [String] { try workspace().accounts.map(\.id.rawValue) }

    /// The settings as they are on disk.
    func workspace() throws -> Workspace {
        var options = options
        options.workspace = place.location.configFile
        return try options.loadWorkspace()
    }

    // MARK: Servers

    /// Searches for the servers of an address.
    public func search(
        _ address: EmailAddress,
        progress: @escaping @Sendable (ServerSearch.Step, ServerCandidate?) -> Void
    ) async throws -> ServerSearch.Result {
        var wanted = ServerSearch.Options()
        wanted.caFile = caFile
        wanted.pin = pin
        wanted.table = table
        if let text = options.environment["OPUS_RESOLVER"] {
            guard let server = Resolver.Server(text) else {
                throw Problem(
                    "bad-resolver", exit: .usage, message: "OPUS_RESOLVER is not an address: \"\(text)\"",
                    next: ["OPUS_RESOLVER=9.9.9.9:53"])
            }
            wanted.resolver = Resolver(server: server)
        }
        wanted.paccBase = options.environment["OPUS_PACC"]
        if let base = options.environment["OPUS_ISPDB"] { wanted.database = base.isEmpty ? nil : base }
        return await ServerSearch(wanted, logger: options.logger).search(address, progress: progress)
    }

    /// The error if no mail server was found.
    public func notFound(_ address: EmailAddress, _ result: ServerSearch.Result, _ command: String) -> Problem
    {
        let tried = result.failed.filter { $0.candidate.service == .imap }.prefix(6).map { failed in
            "\(failed.candidate.host):\(failed.candidate.port) (\(failed.candidate.origin)): \(failed.failure.words)"
        }
        let isBridge = result.provider?.login == [.bridge]
        let isUntrusted = result.failed.contains { failed in
            guard case .transport(let error) = failed.failure, case .untrustedCertificate = error.code else {
                return false
            }
            return true
        }
        if isBridge, isUntrusted, pin == nil {
            return Problem(
                "untrusted-certificate", exit: .unavailable,
                message: "the bridge on this machine has a self-signed certificate",
                details: Array(tried),
                next: [
                    "compare the fingerprint with the certificate that Bridge exports, then: "
                        + "\(command) \(address.addrSpec) --pin sha256:…"
                ])
        }
        return Problem(
            "no-server", exit: .unavailable, message: "no IMAP server was found for \(address.addrSpec)",
            details: Array(tried),
            next: [
                result.provider.map { "\($0.step): \($0.page)" }
                    ?? "\(command) \(address.addrSpec) --imap HOST --smtp HOST"
            ])
    }

    /// The entry in the table of providers for servers that the user named.
    public func provider(of address: EmailAddress) -> Provider? {
        table.provider(ofDomain: address.domain)
    }

    // MARK: The account

    /// Logs in once, over the connection and with the command of the future account.
    public func tryLogin(_ wish: AccountWish, provider: Provider?) async throws {
        try place.makeFolder()
        let workspace = try place.parsed(AccountText(wish: wish).workspace(name: ""))
        guard let account = workspace.accounts.first else { return }
        if case .maildir(let path) = account.source, !FileManager.default.fileExists(atPath: path) {
            throw Problem(
                "no-maildir", exit: .notFound, message: "Maildir \(path) not found",
                next: ["opus init \(wish.address.addrSpec) --maildir FOLDER"])
        }
        try await LoginTrial(provider: provider, logger: options.logger).run(account)
    }

    /// Writes a new opus.yaml with this account, and the starter rules.
    ///
    /// - Returns: The files of the starter rules.
    public func write(_ wish: AccountWish, name: String) throws -> [String] {
        let text = AccountText(wish: wish).workspace(name: name)
        let workspace = try place.parsed(text)
        try place.write(text)
        return try place.installStarterRules(workspace)
    }
}

extension ServerProof.Failure {
    /// Why the candidate was rejected.
    public var words: String {
        switch self {
        case .transport(let error):
            error.description.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? error.description
        case .wrongProtocol: "it does not answer like a mail server"
        case .noStartTLS: "it does not offer STARTTLS"
        }
    }
}
