import Files
import Foundation
import Glibc
public import Models
public import SASL

/// The stored tokens of an OAuth login.
public struct StoredTokens: Sendable {
    public var refresh: Secret
    /// nil: there is none, or it is not stored.
    public var access: Secret?
    public var issuedAt: Timestamp?
    public var expiresAt: Timestamp?

    public init(
        refresh: Secret, access: Secret? = nil, issuedAt: Timestamp? = nil, expiresAt: Timestamp? = nil
    ) {
        self.refresh = refresh
        self.access = access
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// When the access token should be renewed: after 80 % of its lifetime, and at least five minutes before
    /// its end if the lifetime is longer than ten minutes.
    public var renewAt: Timestamp? {
        guard access != nil, let issuedAt, let expiresAt, expiresAt > issuedAt else { return nil }
        let life = expiresAt.seconds - issuedAt.seconds
        let share = issuedAt.seconds + life * 4 / 5
        return Timestamp(seconds: life > 600 ? min(share, expiresAt.seconds - 300) : share)
    }
}

/// Stores the tokens of one account as configured. A file is replaced as a whole, so the old token stays
/// until the new one is on disk.
public struct TokenVault: Sendable {
    let account: Account
    let settings: OAuthSettings
    /// The folder of the store, which only the user can enter.
    let folder: String
    let environment: [String: String]

    public init?(_ account: Account, folder: String, environment: [String: String]) {
        guard let settings = account.login?.oauth else { return nil }
        self.account = account
        self.settings = settings
        self.folder = folder
        self.environment = environment
    }

    /// Why tokens could not be read or stored: a sentence without secrets, and the next step.
    public struct Failure: Error, Hashable, Sendable {
        public var reason: String
        public var next: String
        /// The keyring has the tokens, but the user has not unlocked it.
        public var isLocked = false
    }

    /// A description of where they are stored.
    public var place: String {
        switch settings.store {
        case .file: "a file that only you can read (mode 0600): \(file)"
        case .secretService: "the keyring (secret-tool, service opus, account \(account.id))"
        case .commands(load: _, let store): "what \(ShellQuoting.quoted(store)) keeps"
        case .credential(let name): "the systemd credential \(name)"
        }
    }

    var file: String { folder + "/oauth-\(account.id).token" }
    /// The file for a new token that could not be stored as configured.
    private var rescue: String { folder + "/oauth-\(account.id).rescued-token" }

    /// nil: the user has not logged in yet.
    public func load() async throws(Failure) -> StoredTokens? {
        if let bytes = Self.read(rescue), let tokens = Self.tokens(bytes) { return tokens }
        switch settings.store {
        case .file: return Self.read(file).flatMap(Self.tokens)
        case .secretService:
            do throws(AccountError) {
                let line = try await command([
                    "secret-tool", "lookup", "service", "opus", "account", account.id.rawValue,
                ])
                .line()
                return Self.tokens(Array(line.reveal().utf8))
            } catch {
                if case .emptyOutput = error.code { return nil }
                // `lookup` exits with 1 both if it finds nothing and if the keyring is locked; `search` also
                // finds locked entries.
                if case .commandFailed = error.code {
                    guard await keyringHasEntry() else { return nil }
                    throw Failure(
                        reason: "the keyring is locked",
                        next: "unlock it, then: opus account check \(account.id)",
                        isLocked: true)
                }
                throw Failure(
                    reason: "the keyring cannot be read: \(error)",
                    next: "install secret-tool, or store: file in opus.yaml")
            }
        case .commands(let load, store: _):
            do throws(AccountError) {
                return StoredTokens(refresh: try await command(load).line())
            } catch {
                if case .emptyOutput = error.code { return nil }
                throw Failure(
                    reason: "the refresh token cannot be read: \(error)",
                    next: "opus account login \(account.id)")
            }
        case .credential(let name):
            guard let root = environment["CREDENTIALS_DIRECTORY"], let bytes = Self.read(root + "/" + name)
            else {
                throw Failure(
                    reason: "systemd credential \(name) not found",
                    next: "LoadCredential=\(name):PATH in the unit of the service")
            }
            return Self.tokens(bytes)
        }
    }

    /// Whether the keyring has an entry for the account. A search does not unlock it and opens no prompt.
    private func keyringHasEntry() async -> Bool {
        let words = ["secret-tool", "search", "service", "opus", "account", account.id.rawValue]
        return (try? await command(words).line()) != nil
    }

    /// Stores the tokens. If that fails, the refresh token is saved in a file beside the store, so that it is
    /// not lost.
    public func save(_ tokens: StoredTokens) async throws(Failure) {
        do throws(Failure) {
            try await keep(tokens)
            unlink(rescue)
        } catch {
            try Self.write(tokens, to: rescue)
            throw Failure(
                reason: error.reason + "; the new token is in \(rescue) (mode 0600) and is used from there",
                next: error.next)
        }
    }

    private func keep(_ tokens: StoredTokens) async throws(Failure) {
        switch settings.store {
        case .file: try Self.write(tokens, to: file)
        case .secretService:
            let words = [
                "secret-tool", "store", "--label=opus \(account.id)", "service", "opus", "account",
                account.id.rawValue,
            ]
            try await tell(words, Secret(Self.text(tokens)), next: "unlock the keyring")
        case .commands(load: _, let store):
            try await tell(store, tokens.refresh, next: "run \(ShellQuoting.quoted(store)) in a terminal")
        case .credential(let name):
            guard let old = try await load(), old.refresh.reveal() == tokens.refresh.reveal() else {
                throw Failure(
                    reason:
                        "the provider gave a new refresh token, and the systemd credential \(name) cannot be written",
                    next: "load-command and store-command in opus.yaml, in place of credential")
            }
        }
    }

    private func tell(_ words: [String], _ input: Secret, next: String) async throws(Failure) {
        do throws(AccountError) {
            try await command(words, input: input).succeed()
        } catch {
            throw Failure(reason: "the refresh token cannot be kept: \(error)", next: next)
        }
    }

    private func command(_ words: [String], input: Secret? = nil) -> SecretCommand {
        SecretCommand(
            words, input: input, folder: account.login?.folder ?? folder, place: settings.place.description)
    }

    /// The output of the command for the client secret; nil: the client has none.
    public func clientSecret() async throws(Failure) -> Secret? {
        guard let words = settings.clientSecretCommand else { return nil }
        do throws(AccountError) {
            return try await command(words).line()
        } catch {
            throw Failure(reason: "\(error)", next: "correct client-secret-command at \(settings.place)")
        }
    }

    // MARK: Text

    private static func text(_ tokens: StoredTokens) -> String {
        var fields: [String: Any] = ["refresh_token": tokens.refresh.reveal()]
        if let access = tokens.access { fields["access_token"] = access.reveal() }
        if let issued = tokens.issuedAt { fields["issued_at"] = issued.seconds }
        if let expires = tokens.expiresAt { fields["expires_at"] = expires.seconds }
        let data = try? JSONSerialization.data(
            withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// From the stored record, or from a plain refresh token.
    private static func tokens(_ bytes: [UInt8]) -> StoredTokens? {
        if let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] {
            guard let refresh = object["refresh_token"] as? String, !refresh.isEmpty else { return nil }
            let time = { (key: String) in (object[key] as? Int).map { Timestamp(seconds: Int64($0)) } }
            return StoredTokens(
                refresh: Secret(refresh), access: (object["access_token"] as? String).map { Secret($0) },
                issuedAt: time("issued_at"), expiresAt: time("expires_at"))
        }
        let line = String(
            decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        return line.isEmpty ? nil : StoredTokens(refresh: Secret(line))
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard case .text(let text) = Disk.read(path, limit: 64 << 10) else { return nil }
        return Array(text.utf8)
    }

    private static func write(_ tokens: StoredTokens, to path: String) throws(Failure) {
        do throws(FileFailure) {
            try ReplacedFile.write(
                Array((text(tokens) + "\n").utf8), to: path, through: path + ".new", mode: 0o600)
        } catch {
            throw Failure(
                reason:
                    "\(path) cannot be written: \(strerror(error.number).map { String(cString: $0) } ?? "error")",
                next: "check the permissions and the space of its folder")
        }
    }
}
