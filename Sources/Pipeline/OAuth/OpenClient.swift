import Accounts
import Files
import Foundation
import Glibc
import HTTPClient
import Logging
import Models

/// Registers opus as an open public client if the provider supports it: reads the metadata of the issuer (RFC
/// 8414), then makes a dynamic registration (RFC 7591), as profiled by draft-ietf-mailmaint-oauth-public-05.
///
/// The registration is stored in a file beside the store, so that each account is registered once. It
/// contains no secret.
struct OpenClient: Sendable {
    let account: AccountID
    /// The folder of the store.
    let folder: String
    let logger: Logger

    static let mailScope = "urn:ietf:params:oauth:scope:mail"
    private static let limits = HTTPLimits(body: 128 << 10, deadline: .seconds(30), redirects: 0)

    /// The stored registration.
    struct Registration: Codable, Equatable, Sendable {
        var issuer: String
        var clientID: String?
        var authorizeURL: String?
        var tokenURL: String
        var deviceURL: String?
        var scopes: [String]
    }

    /// The settings, completed from the stored registration if necessary.
    static func known(_ settings: OAuthSettings, _ account: AccountID, folder: String) -> OAuthSettings {
        guard let issuer = settings.issuer, let kept = read(account, folder), kept.issuer == issuer else {
            return settings
        }
        return settings.completed(by: kept)
    }

    /// The settings with everything that a login needs. Reads the issuer's metadata, and registers opus if
    /// the account has no client id yet.
    func register(_ settings: OAuthSettings) async throws -> OAuthSettings {
        guard let issuer = settings.issuer else { return settings }
        let known = Self.known(settings, account, folder: folder)
        if known.clientID != nil, known.tokenURL != nil, known.authorizeURL ?? known.deviceURL != nil {
            return known
        }
        let metadata = try await metadata(of: issuer, settings)
        var registration = try registration(issuer, metadata, settings)
        if settings.clientID == nil {
            registration.clientID = try await newClient(metadata, registration, settings)
        }
        keep(registration)
        return settings.completed(by: registration)
    }

    // MARK: Metadata

    /// RFC 8414 §3.1; OpenID providers publish the same metadata at another path.
    private func metadata(of issuer: String, _ settings: OAuthSettings) async throws -> [String: Any] {
        guard let address = WebAddress(issuer) else {
            throw problem("the issuer is not an https: address", settings)
        }
        let origin = address.origin
        let path = String(issuer.dropFirst(origin.count)).trimmingCharacters(in: ["/"])
        let end = path.isEmpty ? "" : "/" + path
        let places = [
            origin + "/.well-known/oauth-authorization-server" + end,
            origin + end + "/.well-known/openid-configuration",
        ]
        for place in places {
            guard let object = try await ask(place, nil, settings) else { continue }
            // The metadata must be that of the configured issuer. §3.3.
            guard let named = object["issuer"] as? String, Self.same(named, issuer) else {
                throw problem("the metadata at \(place) belong to another issuer", settings)
            }
            return object
        }
        throw problem("\(issuer) publishes no OAuth metadata", settings)
    }

    private static func same(_ one: String, _ other: String) -> Bool {
        func trimmed(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
        return trimmed(one) == trimmed(other)
    }

    private func registration(
        _ issuer: String, _ metadata: [String: Any], _ settings: OAuthSettings
    ) throws -> Registration {
        let methods = metadata["code_challenge_methods_supported"] as? [String]
        guard methods?.contains("S256") ?? false else {
            throw problem(
                "the provider does not offer PKCE with S256, so the login would not be safe", settings)
        }
        let token = settings.tokenURL ?? address("token_endpoint", metadata)
        guard let token else {
            throw problem("the metadata of \(issuer) contain no token endpoint", settings)
        }
        let offered = metadata["scopes_supported"] as? [String] ?? []
        let wanted = [Self.mailScope, "offline_access"].filter { offered.isEmpty || offered.contains($0) }
        return Registration(
            issuer: issuer, clientID: settings.clientID,
            authorizeURL: settings.authorizeURL ?? address("authorization_endpoint", metadata),
            tokenURL: token,
            deviceURL: settings.deviceURL ?? address("device_authorization_endpoint", metadata),
            scopes: settings.scopes.isEmpty ? wanted : settings.scopes)
    }

    /// An HTTPS address, or an address on this machine.
    private func address(_ key: String, _ metadata: [String: Any]) -> String? {
        guard let text = metadata[key] as? String, text.utf8.count <= 2_000, let address = WebAddress(text),
            address.isEncrypted || address.isOnThisMachine
        else { return nil }
        return text
    }

    // MARK: Registration

    private func newClient(
        _ metadata: [String: Any], _ registration: Registration, _ settings: OAuthSettings
    ) async throws -> String {
        guard let place = address("registration_endpoint", metadata) else {
            throw Problem(
                "no-open-clients", exit: .configuration,
                message: "\(registration.issuer) does not register open clients",
                place: settings.place.description,
                next: ["register a client id with the provider, and set login.oauth.client-id"])
        }
        // The port of a loopback address is chosen at each login. RFC 8252 §7.3.
        let wish: [String: Any] = [
            "client_name": "Magnum Opus", "application_type": "native", "software_id": Self.softwareID,
            "redirect_uris": ["http://127.0.0.1/", settings.pasteRedirect],
            "token_endpoint_auth_method": "none", "response_types": ["code"],
            "grant_types": ["authorization_code", "refresh_token"],
            "scope": registration.scopes.joined(separator: " "),
        ]
        guard let answer = try await ask(place, wish, settings), let id = answer["client_id"] as? String,
            !id.isEmpty, id.utf8.count <= 1_000, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw problem("the provider did not register opus", settings) }
        return id
    }

    /// The same for all installations. RFC 7591 §2.
    private static let softwareID = "4f6f9cfa-6d0a-5f3e-9a7c-0d6f70757321"

    /// The JSON object at an address; nil: the server has none there.
    private func ask(
        _ place: String, _ body: [String: Any]?, _ settings: OAuthSettings
    ) async throws -> [String: Any]? {
        guard let address = WebAddress(place) else { return nil }
        var request = HTTPRequest.get(address, accept: "application/json")
        if let body {
            request = .post(
                address, contentType: "application/json",
                body: Array(try JSONSerialization.data(withJSONObject: body, options: [.sortedKeys])),
                accept: "application/json")
        }
        request.allowsPlaintext = !address.isEncrypted && address.isOnThisMachine
        let response: HTTPResponse
        do {
            response = try await WebClient(caFile: settings.caFile, limits: Self.limits, logger: logger)
                .send(request)
        } catch {
            throw Problem(
                "unreachable", exit: .unavailable,
                message: "the provider's login server cannot be reached: \(error)",
                place: "account \(account)", next: ["check the network, then the same command again"])
        }
        let object = (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any]
        if body != nil, let error = object?["error"] as? String {
            let words = object?["error_description"] as? String ?? ""
            throw TokenEndpoint.Refusal(
                error: TokenEndpoint.harmless(error), words: TokenEndpoint.harmless(words))
        }
        return response.isSuccess ? object : nil
    }

    private func problem(_ message: String, _ settings: OAuthSettings) -> Problem {
        Problem(
            "bad-issuer", exit: .unavailable, message: message, place: settings.place.description,
            next: ["check login.oauth.issuer, or set client-id, authorize-url and token-url"])
    }

    // MARK: Storage

    private static func path(_ account: AccountID, _ folder: String) -> String {
        folder + "/oauth-\(account).client"
    }

    private static func read(_ account: AccountID, _ folder: String) -> Registration? {
        guard let text = Workspace.text(of: path(account, folder)) else { return nil }
        return try? JSONDecoder().decode(Registration.self, from: Data(text.utf8))
    }

    private func keep(_ registration: Registration) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(registration) else { return }
        let path = Self.path(account, folder)
        // If this fails, opus registers again at the next login.
        try? ReplacedFile.write(Array(data), to: path, through: path + ".new", mode: 0o600)
    }
}

extension WebAddress {
    fileprivate var isOnThisMachine: Bool { ["127.0.0.1", "localhost"].contains(host) }
}

extension OAuthSettings {
    fileprivate func completed(by kept: OpenClient.Registration) -> OAuthSettings {
        var settings = self
        settings.clientID = clientID ?? kept.clientID
        settings.authorizeURL = authorizeURL ?? kept.authorizeURL
        settings.tokenURL = tokenURL ?? kept.tokenURL
        settings.deviceURL = deviceURL ?? kept.deviceURL
        if scopes.isEmpty { settings.scopes = kept.scopes }
        return settings
    }
}
