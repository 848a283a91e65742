import Accounts
import Foundation
import Logging
import Models
import TestSupport
import Testing

@testable import Pipeline

/// Providers with which opus registers by itself: which of their metadata it trusts, and that it registers once.
@Suite("Registration with a provider", .timeLimit(.minutes(2)))
struct OpenClientTests {
    private static let place = "/.well-known/oauth-authorization-server"
    private let server: LoginServer
    private let work: Workplace

    init() throws {
        server = try LoginServer(["/register": [.init(status: 201, body: #"{"client_id":"new-1"}"#)]])
        work = try Workplace()
        try work.addCloud("issuer: '\(server.url)'")
        try work.options().loadWorkspace().makeStoreFolder()
    }

    private func metadata(_ change: (inout [String: Any]) -> Void = { _ in }) throws -> LoginServer.Answer {
        var fields: [String: Any] = [
            "issuer": server.url + "/", "authorization_endpoint": server.url + "/authorize",
            "token_endpoint": server.url + "/token", "registration_endpoint": server.url + "/register",
            "code_challenge_methods_supported": ["plain", "S256"],
            "scopes_supported": ["openid", OpenClient.mailScope],
        ]
        change(&fields)
        return .init(
            body: String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self))
    }

    private func settings(_ work: Workplace? = nil) throws -> OAuthSettings {
        let accounts = try (work ?? self.work).options().loadWorkspace().accounts
        return try #require(accounts.first { $0.id == Workplace.cloud }?.login?.oauth)
    }

    private func register(_ settings: OAuthSettings) async throws -> OAuthSettings {
        try await OpenClient(
            account: Workplace.cloud, folder: work.root + "/.opus", logger: Logger(label: "test")
        ).register(settings)
    }

    /// The message of the refusal.
    private func refusal(_ change: (inout [String: Any]) -> Void) async throws -> String {
        server.answer(Self.place, try metadata(change))
        let problem = await #expect(throws: Problem.self) { _ = try await register(settings()) }
        return problem?.message ?? ""
    }

    @Test(
        "opus registers once, requests only scopes that the provider offers, and then uses its registration")
    func once() async throws {
        defer { server.stop() }
        server.answer(Self.place, try metadata())
        let first = try await register(settings())
        #expect(first.clientID == "new-1" && first.tokenURL == server.url + "/token")
        #expect(first.scopes == [OpenClient.mailScope], "offline_access is not offered")
        let wish = try #require(server.requests.last?.body)
        #expect(wish.contains(#""token_endpoint_auth_method":"none""#))
        #expect(wish.contains("127.0.0.1") && !wish.contains("ana@"), "nothing about the user is sent")
        #expect(try await register(settings()) == first && server.requests.count == 2)
        #expect(
            try OpenClient.known(settings(), Workplace.cloud, folder: work.root + "/.opus").clientID
                == "new-1")
    }

    @Test("a registration with another issuer is not used")
    func otherIssuer() async throws {
        defer { server.stop() }
        server.answer(Self.place, try metadata())
        _ = try await register(settings())
        let other = try Workplace()
        try other.addCloud("issuer: 'https://other.example'")
        let known = OpenClient.known(try settings(other), Workplace.cloud, folder: work.root + "/.opus")
        #expect(known.clientID == nil && known.tokenURL == nil)
    }

    @Test(
        "metadata of another issuer, without PKCE or without a token address are refused, and nothing is registered"
    )
    func unsafe() async throws {
        defer { server.stop() }
        #expect(try await refusal { $0["issuer"] = "https://other.example" }.contains("another issuer"))
        #expect(try await refusal { $0["code_challenge_methods_supported"] = ["plain"] }.contains("PKCE"))
        #expect(try await refusal { $0["code_challenge_methods_supported"] = nil }.contains("PKCE"))
        #expect(try await refusal { $0["token_endpoint"] = nil }.contains("token endpoint"))
        #expect(
            try await refusal { $0["token_endpoint"] = "http://elsewhere.example/t" }.contains(
                "token endpoint"),
            "a token is never sent without encryption")
        #expect(try await refusal { $0["registration_endpoint"] = nil }.contains("does not register"))
        #expect(!server.requests.contains { $0.path == "/register" })
    }

    @Test("the metadata are found at the path of OpenID, and a server without metadata is named")
    func places() async throws {
        defer { server.stop() }
        server.answer("/.well-known/openid-configuration", try metadata())
        #expect(try await register(settings()).clientID == "new-1")
        #expect(server.requests.first?.path == Self.place)
        let empty = try LoginServer()
        defer { empty.stop() }
        let other = try Workplace()
        try other.addCloud("issuer: '\(empty.url)/tenant/'")
        let problem = await #expect(throws: Problem.self) { _ = try await register(settings(other)) }
        #expect(problem?.message.contains("publishes no OAuth metadata") == true)
        #expect(
            empty.requests.map(\.path) == [
                Self.place + "/tenant", "/tenant/.well-known/openid-configuration",
            ])
    }

    @Test("a refused registration and an unusable client id keep nothing")
    func refusedRegistration() async throws {
        defer { server.stop() }
        server.answer(Self.place, try metadata())
        server.answer("/register", .refusal("invalid_redirect_uri", "no"))
        let refusal = await #expect(throws: TokenEndpoint.Refusal.self) { _ = try await register(settings()) }
        #expect(refusal?.error == "invalid_redirect_uri")
        for id in ["", "a b", #"a\r\nb"#, String(repeating: "x", count: 1_001)] {
            server.answer("/register", .init(body: #"{"client_id":"\#(id)"}"#))
            await #expect(throws: Problem.self) { _ = try await register(settings()) }
        }
        #expect(
            try OpenClient.known(settings(), Workplace.cloud, folder: work.root + "/.opus").clientID == nil)
    }

    @Test("settings of the user win over the metadata")
    func ownSettings() async throws {
        defer { server.stop() }
        server.answer(Self.place, try metadata())
        let own = try Workplace()
        try own.addCloud("issuer: '\(server.url)', client-id: mine, scope: [imap]")
        let settings = try await register(settings(own))
        #expect(settings.clientID == "mine" && settings.scopes == ["imap"])
        #expect(settings.authorizeURL == server.url + "/authorize")
        #expect(!server.requests.contains { $0.path == "/register" })
    }
}
