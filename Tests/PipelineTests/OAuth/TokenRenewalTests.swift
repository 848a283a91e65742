import Accounts
import Foundation
import Logging
import Models
import SASL
import TestSupport
import Testing

@testable import Pipeline

/// Access tokens: when they are renewed, and what happens to the refresh token meanwhile.
@Suite("Renewed tokens", .timeLimit(.minutes(2)))
struct TokenRenewalTests {
    private let server: LoginServer
    private let work: Workplace

    init() throws {
        server = try LoginServer(["/token": [.init(body: Self.answer(access: "a2", refresh: "r2"))]])
        work = try Workplace()
        try work.addCloud(at: server)
    }

    private static func answer(access: String, refresh: String?) -> String {
        let refresh = refresh.map { #","refresh_token":"\#($0)""# } ?? ""
        return #"{"access_token":"\#(access)","expires_in":3600\#(refresh)}"#
    }

    /// The tokens of a login of an hour ago, or of now.
    private func logIn(access: String? = "a1", ago: Int64 = 0) throws {
        let issued = Workplace.tuesday.seconds - ago
        let access = access.map { #""access_token":"\#($0)","# } ?? ""
        try work.write(
            #"{\#(access)"expires_at":\#(issued + 3_600),"issued_at":\#(issued),"refresh_token":"r1"}"#,
            to: ".opus/oauth-cloud.token")
    }

    private var renewal: TokenRenewal {
        TokenRenewal(
            folder: work.root + "/.opus", environment: [:], logger: Logger(label: "test"),
            now: { Workplace.tuesday })
    }

    private func account() throws -> (Account, OAuthSettings) {
        let found = try work.options().loadWorkspace().accounts.first { $0.id == Workplace.cloud }
        let account = try #require(found)
        return (account, try #require(account.login?.oauth))
    }

    private func issued() async throws -> String {
        let (account, settings) = try account()
        return try await renewal.issue(account, settings).credentials.secret.reveal()
    }

    @Test("a valid access token is used without a request, until a fifth of its lifetime is left")
    func valid() async throws {
        defer { server.stop() }
        try logIn(ago: 2_800)
        #expect(try await issued() == "a1" && server.requests.isEmpty)
        try logIn(ago: 2_900)
        #expect(try await issued() == "a2" && server.requests.map { $0.field("refresh_token") } == ["r1"])
    }

    @Test("a new refresh token replaces the old one, and the old one stays if the provider gives none")
    func rotation() async throws {
        defer { server.stop() }
        try logIn(ago: 3_600)
        _ = try await issued()
        #expect(try #require(work.tokens()).contains(#""refresh_token":"r2""#))
        server.answer("/token", .init(body: Self.answer(access: "a3", refresh: nil)))
        let (account, _) = try account()
        await renewal.forget(account, refused: Secret("a2"))
        #expect(try await issued() == "a3")
        #expect(server.requests.map { $0.field("refresh_token") } == ["r1", "r2"])
        #expect(try #require(work.tokens()).contains(#""refresh_token":"r2""#))
    }

    @Test("connections that begin at the same time renew the token once")
    func once() async throws {
        defer { server.stop() }
        try logIn(ago: 3_600)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<4 { group.addTask { try await issued() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == ["a2", "a2", "a2", "a2"] && server.requests.count == 1)
    }

    @Test("a token that the server refused is renewed, but not one that another process has renewed")
    func refused() async throws {
        defer { server.stop() }
        try logIn()
        let (account, _) = try account()
        await renewal.forget(account, refused: Secret("another"))
        #expect(try await issued() == "a1" && server.requests.isEmpty)
        await renewal.forget(account, refused: Secret("a1"))
        #expect(try await issued() == "a2" && server.requests.count == 1)
    }

    @Test("a login that has expired or cannot be renewed now keeps its tokens")
    func failures() async throws {
        defer { server.stop() }
        try logIn(ago: 3_600)
        let before = work.tokens()
        server.answer("/token", .refusal("invalid_grant", "expired"), .init(status: 503, body: ""))
        var problem = await #expect(throws: Problem.self) { _ = try await issued() }
        #expect(problem?.code == "login-expired" && problem?.next == ["opus account login cloud"])
        problem = await #expect(throws: Problem.self) { _ = try await issued() }
        #expect(problem?.code == "server-busy" && work.tokens() == before)
    }

    @Test("without a login, the next step is to log in, and nothing is requested")
    func noLogin() async throws {
        defer { server.stop() }
        try work.options().loadWorkspace().makeStoreFolder()
        let problem = await #expect(throws: Problem.self) { _ = try await issued() }
        #expect(problem?.code == "not-logged-in" && problem?.next == ["opus account login cloud"])
        #expect(server.requests.isEmpty)
    }

    @Test("credentials may be reused until the token is due for renewal")
    func life() async throws {
        defer { server.stop() }
        try logIn()
        let (account, settings) = try account()
        let issued = try await renewal.issue(account, settings)
        #expect(issued.life == .seconds(2_880) + Credentials.margin)
        #expect(issued.credentials.user == "ana@cloud.example")
    }
}
