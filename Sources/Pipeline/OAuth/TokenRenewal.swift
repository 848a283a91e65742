import Accounts
import Glibc
import Logging
import Models
import SASL

/// Access tokens of accounts that use OAuth: stored tokens while they are valid, otherwise renewed ones. Only
/// one process renews the token of an account at a time.
struct TokenRenewal: Sendable {
    /// The folder of the store.
    let folder: String
    let environment: [String: String]
    let logger: Logger
    let now: @Sendable () -> Timestamp

    /// The credentials, and how long they may be reused.
    func issue(_ account: Account, _ settings: OAuthSettings) async throws -> IssuedCredentials {
        guard let vault = TokenVault(account, folder: folder, environment: environment),
            let login = account.login
        else { throw notLoggedIn(account) }
        let lock = try await TokenLock.take(folder + "/oauth-\(account.id).lock")
        defer { lock.release() }
        // Read while holding the lock: another process may have renewed the token meanwhile.
        guard let kept = try await loaded(vault, account) else { throw notLoggedIn(account) }
        let tokens: StoredTokens
        if let renewAt = kept.renewAt, now() < renewAt {
            tokens = kept
        } else {
            tokens = try await renewed(kept, vault, account, settings)
        }
        guard let access = tokens.access else { throw notLoggedIn(account) }
        let left = tokens.renewAt.map { max(0, $0.seconds - now().seconds) }
        return IssuedCredentials(
            credentials: SASLCredentials(user: login.user, proof: .token(access), mechanism: login.mechanism),
            life: left.map { .seconds($0) + Credentials.margin })
    }

    /// The server refused the access token: the next call renews it, unless another process has already done
    /// so.
    func forget(_ account: Account, refused: Secret) async {
        guard let vault = TokenVault(account, folder: folder, environment: environment),
            let lock = try? await TokenLock.take(folder + "/oauth-\(account.id).lock")
        else { return }
        defer { lock.release() }
        guard let kept = try? await vault.load(), kept.access?.reveal() == refused.reveal() else {
            return
        }
        try? await vault.save(StoredTokens(refresh: kept.refresh))
    }

    private func loaded(_ vault: TokenVault, _ account: Account) async throws -> StoredTokens? {
        do throws(TokenVault.Failure) {
            return try await vault.load()
        } catch {
            throw Self.problem(error, account)
        }
    }

    private func renewed(
        _ kept: StoredTokens, _ vault: TokenVault, _ account: Account, _ settings: OAuthSettings
    ) async throws -> StoredTokens {
        let answer: TokenEndpoint.Answer
        do {
            let secret = try await vault.clientSecret()
            answer = try await TokenEndpoint(
                account: account.id, settings: OpenClient.known(settings, account.id, folder: folder),
                clientSecret: secret, logger: logger
            ).refresh(kept.refresh)
        } catch let refusal as TokenEndpoint.Refusal {
            throw refusal.problem(account.id)
        } catch let failure as TokenVault.Failure {
            throw Self.problem(failure, account)
        }
        guard let tokens = answer.tokens(after: kept.refresh, at: now()) else { throw notLoggedIn(account) }
        if answer.refresh != nil {
            LoginEnd(account.id, folder: folder).note(answer.refreshEnd(settings, at: now()))
        }
        do throws(TokenVault.Failure) {
            // Saved before the old tokens are discarded.
            try await vault.save(tokens)
        } catch {
            logger.error(
                "a new refresh token could not be stored",
                metadata: ["account": "\(account.id)", "reason": "\(error.reason)"])
        }
        return tokens
    }

    private func notLoggedIn(_ account: Account) -> Problem {
        Problem(
            "not-logged-in", exit: .loginRefused, message: "account \(account.id) has not logged in yet",
            place: account.login?.place.description, next: ["opus account login \(account.id)"])
    }

    static func problem(_ failure: TokenVault.Failure, _ account: Account) -> Problem {
        guard !failure.isLocked else {
            // Not a temporary failure: otherwise `opus watch` would query the keyring repeatedly.
            return Problem(
                "keyring-locked", exit: .loginRefused, message: "account \(account.id): \(failure.reason)",
                place: account.login?.place.description, next: [failure.next])
        }
        return Problem(
            "token-store", exit: .configuration, message: failure.reason,
            place: account.login?.place.description, next: [failure.next])
    }
}

/// A lock between processes. It is released when its process ends.
struct TokenLock: Sendable {
    private let descriptor: Int32

    /// Longer than one renewal takes.
    private static let patience = Duration.seconds(60)

    static func take(_ path: String) async throws -> TokenLock {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Problem(
                "token-store", exit: .cannotCreate,
                message: "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        let end = ContinuousClock.now + patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard ContinuousClock.now < end, !Task.isCancelled else {
                close(descriptor)
                throw Problem(
                    "token-busy", exit: .temporary,
                    message: "another opus is renewing the login of this account",
                    next: ["the same command again"])
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return TokenLock(descriptor: descriptor)
    }

    func release() { close(descriptor) }
}
