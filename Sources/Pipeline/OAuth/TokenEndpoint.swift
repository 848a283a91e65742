import Accounts
import Crypto
import Foundation
import HTTPClient
import Logging
import Models
import SASL

/// The provider's endpoints for tokens and device codes. RFC 6749 §3.2, RFC 8628 §3.
struct TokenEndpoint: Sendable {
    let account: AccountID
    let settings: OAuthSettings
    let clientSecret: Secret?
    let logger: Logger

    /// The tokens that the provider issued.
    struct Answer: Sendable {
        var access: Secret
        /// nil: the old one stays valid.
        var refresh: Secret?
        /// In seconds.
        var life: Int64
        /// The lifetime of the new refresh token in seconds; nil: the provider did not report it.
        var refreshLife: Int64?

        /// When the new refresh token expires; nil: unknown.
        func refreshEnd(_ settings: OAuthSettings, at now: Timestamp) -> Timestamp? {
            (refreshLife ?? settings.refreshLife).map { Timestamp(seconds: now.seconds + $0) }
        }

        func tokens(after old: Secret?, at now: Timestamp) -> StoredTokens? {
            guard let refresh = refresh ?? old else { return nil }
            return StoredTokens(
                refresh: refresh, access: access, issuedAt: now,
                expiresAt: Timestamp(seconds: now.seconds + life))
        }
    }

    /// A code that the user types on another device.
    struct DeviceCode: Sendable {
        var code: Secret
        var userCode: String
        var address: String
        /// In seconds.
        var life: Int64
        var interval: Int64
    }

    func exchange(code: String, verifier: Secret, redirect: String) async throws -> Answer {
        try await ask([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ("code_verifier", verifier.reveal()),
        ])
    }

    func refresh(_ token: Secret) async throws -> Answer {
        try await ask([("grant_type", "refresh_token"), ("refresh_token", token.reveal())])
    }

    func deviceCode() async throws -> DeviceCode {
        guard let url = settings.deviceURL else {
            throw Problem(
                "no-device-login", exit: .configuration, message: "account \(account) has no device-url",
                place: settings.place.description, next: ["opus account login \(account) --paste"])
        }
        let fields = [("client_id", try clientID()), ("scope", settings.scopes.joined(separator: " "))]
        let object = try await post(url, fields)
        guard let code = object["device_code"] as? String, let user = object["user_code"] as? String,
            let address = (object["verification_uri"] ?? object["verification_url"]) as? String
        else { throw unreadable() }
        return DeviceCode(
            code: Secret(code), userCode: user, address: address,
            life: Self.number(object["expires_in"]) ?? 900,
            interval: min(60, max(1, Self.number(object["interval"]) ?? 5)))
    }

    /// Polls until the user has entered the code. RFC 8628 §3.5.
    func wait(for code: DeviceCode) async throws -> Answer {
        let end = ContinuousClock.now + .seconds(min(code.life, 3_600))
        var interval = code.interval
        while ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(interval))
            do {
                return try await ask([
                    ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                    ("device_code", code.code.reveal()),
                ])
            } catch let refusal as Refusal where refusal.error == "authorization_pending" {
                continue
            } catch let refusal as Refusal where refusal.error == "slow_down" {
                interval += 5
            }
        }
        throw Refusal(error: "expired_token", words: "").problem(account)
    }

    // MARK: Requests

    /// The error that the endpoint returned. RFC 6749 §5.2.
    struct Refusal: Error, Sendable {
        let error: String
        let words: String

        func problem(_ account: AccountID) -> Problem {
            let said = words.isEmpty ? error : "\(error): \(words)"
            guard let known = LoginRefusal(said, account: account) else {
                return Problem(
                    "login-refused", exit: .loginRefused, message: "the provider refused the login: \(said)",
                    place: "account \(account)", next: ["opus account login \(account)"])
            }
            let details = ["the provider said: \(said)"]
            guard error == "invalid_grant" else {
                return Problem(
                    "login-refused", exit: .loginRefused, message: known.sentence,
                    place: "account \(account)", details: details, next: [known.step])
            }
            return Problem(
                "login-expired", exit: .loginRefused, message: known.sentence, place: "account \(account)",
                details: details, next: [known.step])
        }
    }

    private func ask(_ fields: [(String, String)]) async throws -> Answer {
        var fields = fields + [("client_id", try clientID())]
        if let clientSecret { fields.append(("client_secret", clientSecret.reveal())) }
        guard let url = settings.tokenURL else { throw notRegistered() }
        let object = try await post(url, fields)
        guard let access = object["access_token"] as? String, !access.isEmpty else { throw unreadable() }
        let refresh = (object["refresh_token"] as? String).flatMap { $0.isEmpty ? nil : Secret($0) }
        return Answer(
            access: Secret(access), refresh: refresh,
            life: max(1, min(Self.number(object["expires_in"]) ?? 3_600, 366 * 86_400)),
            // Keycloak sends `0` for a token that does not expire; Google uses another field name.
            refreshLife: ["refresh_token_expires_in", "refresh_expires_in"].lazy
                .compactMap { Self.number(object[$0]) }.first { $0 > 0 && $0 <= 3_660 * 86_400 })
    }

    private func clientID() throws -> String {
        guard let id = settings.clientID else { throw notRegistered() }
        return id
    }

    private func notRegistered() -> Problem {
        Problem(
            "not-logged-in", exit: .loginRefused, message: "account \(account) has not logged in yet",
            place: settings.place.description, next: ["opus account login \(account)"])
    }

    /// While the user confirms a login on another device: ask less often. RFC 8628 §3.5.
    static let slowDown = "slow_down"
    /// Errors that say nothing about the login, whatever the status. RFC 6749 §4.1.2.1.
    private static let passing: Set<String> = ["temporarily_unavailable", "server_error", "internal_failure"]

    private static let secretFields: Set<String> = [
        "refresh_token", "code", "code_verifier", "device_code", "client_secret",
    ]

    private func post(_ url: String, _ fields: [(String, String)]) async throws -> [String: Any] {
        guard let address = WebAddress(url) else {
            throw Problem(
                "bad-url", exit: .configuration, message: "\(url) is not an address",
                place: settings.place.description)
        }
        var request = HTTPRequest.post(
            address, form: fields.map { (name: $0.0, value: $0.1) }, accept: "application/json")
        // The settings allow this only for addresses on this machine.
        request.allowsPlaintext = !address.isEncrypted && url.hasPrefix("http://")
        let response: HTTPResponse
        do {
            response = try await WebClient(
                caFile: settings.caFile, limits: HTTPLimits(body: 256 << 10, deadline: .seconds(30)),
                logger: logger
            ).send(request)
        } catch {
            throw Problem(
                "unreachable", exit: .unavailable,
                message: "the provider's login server cannot be reached: \(error)",
                place: "account \(account)", next: ["check the network, then the same command again"])
        }
        let object = (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any]
        // Some providers name an error while they are busy. One that limits the rate refuses no login.
        let isBusy = response.status >= 500 || [408, 429].contains(response.status)
        if let error = object?["error"] as? String, !isBusy || error == Self.slowDown,
            !Self.passing.contains(error)
        {
            let words = (object?["error_description"] as? String) ?? ""
            // Some providers repeat what they were sent.
            let secrets = fields.filter { Self.secretFields.contains($0.0) }.map { Secret($0.1) }
            let said = [error, words].map { secrets.reduce($0) { $1.hidden(in: $0) } }
            throw Refusal(error: Self.harmless(said[0]), words: Self.harmless(said[1]))
        }
        if response.isSuccess, let object { return object }
        // With any other answer, this is not a token endpoint.
        guard isBusy || (object?["error"] as? String).map(Self.passing.contains) == true else {
            throw unreadable()
        }
        throw Problem(
            "server-busy", exit: .temporary,
            message: "the provider's login server answered with status \(response.status)",
            place: "account \(account)", next: ["try again later"])
    }

    private func unreadable() -> Problem {
        Problem(
            "bad-answer", exit: .unavailable,
            message: "the answer of the provider's login server cannot be read",
            place: "account \(account)", next: ["check token-url at \(settings.place)"])
    }

    private static func number(_ value: Any?) -> Int64? {
        (value as? Int).map(Int64.init) ?? (value as? String).flatMap(Int64.init)
    }

    /// Untrusted text, shortened and without control characters.
    static func harmless(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(300).filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
