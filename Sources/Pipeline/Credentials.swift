import Accounts
import Models
import SASL

/// What each account's `password-command` or `token-command` printed, so that several connections ask once.
///
/// A password is good for the session. A token is good for some minutes only, and a new connection hours later must
/// not come with one that has run out. Whoever was refused asks again.
actor Credentials {
    /// Shorter than any access token lives.
    static let tokenLife = Duration.seconds(240)

    private struct Kept {
        var credentials: SASLCredentials
        var until: ContinuousClock.Instant?
    }

    private var kept: [AccountID: Kept] = [:]
    private var running: [AccountID: Task<SASLCredentials, any Error>] = [:]

    func credentials(of account: Account) async throws -> SASLCredentials {
        if let known = kept[account.id], known.until.map({ $0 > .now }) ?? true { return known.credentials }
        if let task = running[account.id] { return try await task.value }
        let task = Task { try await account.credentials() as SASLCredentials }
        running[account.id] = task
        defer { running[account.id] = nil }
        let credentials = try await task.value
        let isToken = account.login?.proof == .token
        kept[account.id] = Kept(
            credentials: credentials, until: isToken ? ContinuousClock.now + Self.tokenLife : nil)
        return credentials
    }

    /// The server did not take it.
    func forget(_ account: AccountID) { kept[account] = nil }
}
