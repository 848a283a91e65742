import Accounts
import Models
import SASL

/// Caches the output of each account's `password-command` or `token-command`, so that several connections run
/// it once.
///
/// A password is valid for the session. A token is valid as long as its command reports, or otherwise for
/// some minutes, so that a later connection does not use an expired one. If the server refuses a cached
/// password or token, it is fetched again, once.
actor Credentials {
    /// Shorter than the lifetime of most access tokens.
    static let tokenLife = Duration.seconds(240)
    /// A token is not used in its last seconds: it could expire before it reaches the server.
    static let margin = Duration.seconds(30)
    /// A password that was cached for this long may have been changed meanwhile.
    static let passwordLife = Duration.seconds(300)

    private struct Kept {
        var credentials: SASLCredentials
        var since: ContinuousClock.Instant
        var until: ContinuousClock.Instant?
        /// How often it was used.
        var uses = 0
    }

    /// A login that the server for sending refused. It is not tried again before `until`, because servers lock an account
    /// after repeated failed logins.
    private struct RefusedSending {
        var secret: Secret
        var reason: String
        var until: ContinuousClock.Instant
    }
    private static let refusalLife = Duration.seconds(3_600)

    /// For accounts that use OAuth; nil: there are none.
    private let renewal: TokenRenewal?

    init(renewal: TokenRenewal? = nil) { self.renewal = renewal }

    private var kept: [AccountID: Kept] = [:]
    /// When a refused OAuth token was last renewed.
    private var lastRenewals: [AccountID: ContinuousClock.Instant] = [:]
    /// The credentials that a server refused, until it accepts others.
    private var refusals: [AccountID: Secret] = [:]
    private var refusedSending: [AccountID: RefusedSending] = [:]
    private var running: [AccountID: Task<IssuedCredentials, any Error>] = [:]

    func credentials(of account: Account) async throws -> SASLCredentials {
        if let known = kept[account.id], known.until.map({ $0 > .now }) ?? true {
            kept[account.id]?.uses += 1
            return known.credentials
        }
        if let task = running[account.id] { return try await task.value.credentials }
        let renewal = renewal
        let task = Task {
            if let oauth = account.login?.oauth, let renewal {
                return try await renewal.issue(account, oauth)
            }
            return try await account.issueCredentials() as IssuedCredentials
        }
        running[account.id] = task
        defer { running[account.id] = nil }
        let issued = try await task.value
        let isToken = account.login?.proof == .token
        let life = isToken ? issued.life.map { max(.zero, $0 - Self.margin) } ?? Self.tokenLife : nil
        kept[account.id] = Kept(
            credentials: issued.credentials, since: .now, until: life.map { ContinuousClock.now + $0 },
            uses: 1)
        return issued.credentials
    }

    /// Whether the next connection runs the account's command.
    func needsCommand(_ account: AccountID) -> Bool {
        guard let known = kept[account] else { return true }
        return known.until.map { $0 <= .now } ?? false
    }

    /// Called after the server refused these credentials. Returns new ones if the refused ones were cached and
    /// the command now prints others, or if an OAuth token could be renewed. Otherwise returns nil, because
    /// servers lock an account after repeated failed logins.
    func renewed(_ account: Account, after refused: SASLCredentials) async throws -> SASLCredentials? {
        guard let known = kept[account.id] else { return nil }
        let isOther = known.credentials.secret.reveal() != refused.secret.reveal()
        if isOther { return known.credentials }
        kept[account.id] = nil
        let isToken = account.login?.proof == .token
        let age = ContinuousClock.now - known.since
        if account.login?.oauth != nil, let renewal {
            // A token of an earlier run may have been revoked; a token that was just renewed is refused for
            // another reason.
            if let last = lastRenewals[account.id], ContinuousClock.now - last < Self.passwordLife {
                return nil
            }
            lastRenewals[account.id] = .now
            await renewal.forget(account, refused: refused.secret)
        } else {
            guard known.uses > 1, isToken || age > Self.passwordLife else { return nil }
        }
        let fresh = try await credentials(of: account)
        return fresh.secret.reveal() == refused.secret.reveal() ? nil : fresh
    }

    func noteRefusal(_ account: AccountID, _ credentials: SASLCredentials) {
        refusals[account] = credentials.secret
    }

    func noteRefusedSending(_ account: AccountID, _ credentials: SASLCredentials, because reason: String) {
        refusedSending[account] = RefusedSending(
            secret: credentials.secret, reason: reason, until: .now + Self.refusalLife)
    }

    /// Why the server for sending refused this login a short time ago; nil: it may be tried.
    func refusedSending(_ account: AccountID, _ credentials: SASLCredentials) -> String? {
        guard let last = refusedSending[account], last.until > .now,
            last.secret.reveal() == credentials.secret.reveal()
        else { return nil }
        return last.reason
    }

    /// Whether the command now prints another password than the last refused one. Tokens differ each time, so
    /// a new token proves nothing.
    func hasOther(_ account: Account) async -> Bool {
        guard let refused = refusals[account.id], let login = account.login, login.oauth == nil,
            login.proof == .password
        else { return false }
        kept[account.id] = nil
        guard let fresh = try? await credentials(of: account) else { return false }
        return fresh.secret.reveal() != refused.reveal()
    }

    /// Forgets cached credentials that the server refused.
    func forget(_ account: AccountID) { kept[account] = nil }
}
