import Accounts
import Crypto
import Foundation
import HTTPClient
import Logging
public import Models
import SASL

/// Logs in to an account with OAuth 2.0, with a browser on this machine, a pasted address, or a code on
/// another device.
///
/// Each authorization has its own `state` and PKCE verifier (S256, RFC 7636).
public struct AccountLogin: Sendable {
    let accounts: AccountAccess
    let folder: String
    let environment: [String: String]
    let logger: Logger
    let now: @Sendable () -> Timestamp

    public enum Way: Sendable {
        /// A browser on this machine is redirected to 127.0.0.1.
        case loopback
        /// The user pastes the address to which the browser was redirected.
        case paste
        case device
    }

    /// Output and input of the login.
    public struct Screen: Sendable {
        /// Shows a line.
        let show: @Sendable (String) -> Void
        /// Reads a line that the user types; nil at the end of the input.
        let ask: @Sendable (String) -> String?

        public init(show: @escaping @Sendable (String) -> Void, ask: @escaping @Sendable (String) -> String?)
        {
            self.show = show
            self.ask = ask
        }
    }

    public struct Done: Sendable {
        public var account: AccountID
        /// Where the tokens are stored.
        public var place: String
    }

    /// The maximum time for the login in the browser.
    static let patience = Duration.seconds(600)

    /// - Throws: ``Problem`` if the account does not use OAuth, the provider refuses, or the tokens cannot be
    ///   stored.
    public func logIn(_ name: String, by way: Way, _ screen: Screen) async throws -> Done {
        guard let id = try accounts.ids(named: name).first else { throw noOAuth(name) }
        let account = try accounts.require(id)
        guard let written = account.login?.oauth,
            let vault = TokenVault(account, folder: folder, environment: environment)
        else { throw noOAuth(name) }
        do {
            let settings = try await OpenClient(account: id, folder: folder, logger: logger).register(written)
            let endpoint = TokenEndpoint(
                account: id, settings: settings, clientSecret: try await vault.clientSecret(), logger: logger)
            let answer =
                switch way {
                case .loopback: try await byLoopback(account, settings, endpoint, screen)
                case .paste: try await byPaste(account, settings, endpoint, screen)
                case .device: try await byDevice(endpoint, screen)
                }
            let lock = try await TokenLock.take(folder + "/oauth-\(id).lock")
            defer { lock.release() }
            guard let tokens = answer.tokens(after: nil, at: now()) else {
                throw Problem(
                    "no-refresh-token", exit: .configuration,
                    message: "the provider gave no refresh token, so the login would end within the hour",
                    place: settings.place.description,
                    next: [
                        "scope: offline_access (Microsoft)",
                        "parameters: { access_type: offline, prompt: consent } (Google)",
                    ])
            }
            try await vault.save(tokens)
            WatchPeer(storeFolder: folder).noteLogin(id)
            LoginEnd(id, folder: folder).note(answer.refreshEnd(settings, at: now()))
            return Done(account: id, place: vault.place)
        } catch let refusal as TokenEndpoint.Refusal {
            throw refusal.problem(id)
        } catch let failure as TokenVault.Failure {
            throw TokenRenewal.problem(failure, account)
        }
    }

    private func noOAuth(_ name: String) -> Problem {
        Problem(
            "no-oauth", exit: .configuration, message: "account \(name) has no login: { oauth: … }",
            next: ["opus help config", "opus account check \(name)"])
    }

    // MARK: Kinds of login

    private func byLoopback(
        _ account: Account, _ settings: OAuthSettings, _ endpoint: TokenEndpoint, _ screen: Screen
    ) async throws -> TokenEndpoint.Answer {
        let listener = try LoopbackListener()
        defer { listener.close() }
        let redirect = "http://127.0.0.1:\(listener.port)/"
        let attempt = try Attempt(account, settings, redirect)
        screen.show("Open this address in a browser on this machine:")
        screen.show("  " + attempt.address)
        guard let answer = await listener.answer(state: attempt.state, within: Self.patience) else {
            throw Problem(
                "no-answer", exit: .temporary, message: "the browser did not return within 10 minutes",
                next: ["opus account login \(account.id) --paste (for another machine)"])
        }
        return try await finish(answer, attempt, endpoint)
    }

    private func byPaste(
        _ account: Account, _ settings: OAuthSettings, _ endpoint: TokenEndpoint, _ screen: Screen
    ) async throws -> TokenEndpoint.Answer {
        let attempt = try Attempt(account, settings, settings.pasteRedirect)
        screen.show("Open this address in any browser:")
        screen.show("  " + attempt.address)
        screen.show("At the end the browser shows a page that it cannot open. Copy its whole address.")
        for _ in 0..<3 {
            guard let typed = screen.ask("Paste the address:") else { break }
            guard let answer = RedirectAnswer(typed) else {
                screen.show("This address has no code in it.")
                continue
            }
            guard answer.state == attempt.state else {
                screen.show("This address belongs to another login.")
                continue
            }
            return try await finish(answer, attempt, endpoint)
        }
        throw Problem(
            "no-answer", exit: .usage, message: "the address of this login was not pasted",
            next: ["opus account login \(account.id) --paste"])
    }

    private func byDevice(_ endpoint: TokenEndpoint, _ screen: Screen) async throws -> TokenEndpoint.Answer {
        let code = try await endpoint.deviceCode()
        screen.show("On any device, open \(code.address) and type the code \(code.userCode)")
        return try await endpoint.wait(for: code)
    }

    private func finish(
        _ answer: RedirectAnswer, _ attempt: Attempt, _ endpoint: TokenEndpoint
    ) async throws -> TokenEndpoint.Answer {
        guard let code = answer.code else {
            throw TokenEndpoint.Refusal(error: answer.error, words: answer.words)
        }
        return try await endpoint.exchange(code: code, verifier: attempt.verifier, redirect: attempt.redirect)
    }
}

/// One authorization request.
private struct Attempt {
    let address: String
    let redirect: String
    let state: String
    let verifier: Secret

    init(_ account: Account, _ settings: OAuthSettings, _ redirect: String) throws(Problem) {
        guard let url = settings.authorizeURL, let client = settings.clientID else {
            throw Problem(
                "no-browser-login", exit: .configuration,
                message: "account \(account.id) has no authorize-url",
                place: settings.place.description, next: ["opus account login \(account.id) --device"])
        }
        self.redirect = redirect
        state = Self.random()
        let verifier = Self.random()
        self.verifier = Secret(verifier)
        var fields: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirect),
            ("scope", settings.scopes.joined(separator: " ")), ("state", state),
            ("code_challenge", Self.base64URL(SHA256.hash(Array(verifier.utf8)))),
            ("code_challenge_method", "S256"),
            ("login_hint", account.login?.user ?? account.address.addrSpec),
        ]
        let own = Set(fields.map(\.name))
        fields += settings.parameters.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value) }
        address = url + (url.contains("?") ? "&" : "?") + FormEncoding.encode(fields)
    }

    /// 256 bits.
    private static func random() -> String { base64URL(RandomBytes.make(count: 32)) }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                case _: character
                }
            })
    }
}
