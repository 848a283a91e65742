import Accounts
import Crypto
import Foundation
import Models
import TestSupport
import Testing

@testable import Pipeline

/// `opus account login`: what the user sees and types, what the provider gets, and what is kept.
@Suite("Logins with OAuth", .timeLimit(.minutes(2)))
struct AccountLoginTests {
    private static let tokens = #"{"access_token":"a1","refresh_token":"r1","expires_in":3600}"#

    private func server() throws -> LoginServer { try LoginServer(["/token": [.init(body: Self.tokens)]]) }

    /// A login by pasting; `answers` makes the typed lines from the address that was shown.
    private func paste(
        _ work: Workplace, _ answers: @escaping @Sendable (String) -> [String]
    ) async throws -> (lines: [String], problem: Problem?) {
        let lines = Locked<[String]>([])
        let asked = Locked(0)
        let screen = AccountLogin.Screen(show: { line in lines.change { $0.append(line) } }) { _ in
            let number = asked.value
            asked.change { $0 += 1 }
            let typed = answers(lines.value.first { $0.hasPrefix("  http") } ?? "")
            return number < typed.count ? typed[number] : nil
        }
        var problem: Problem?
        try await work.with { session in
            do {
                _ = try await session.logins.logIn("cloud", by: .paste, screen)
            } catch let found as Problem {
                problem = found
            }
        }
        return (lines.value, problem)
    }

    private static func state(_ shown: String) -> String { LoginServer.field("state", in: shown) ?? "" }

    @Test(
        "a login in the browser proves with PKCE that it is the one that began, and only the user can read its tokens"
    )
    func loopback() async throws {
        let server = try server()
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server, ", parameters: { prompt: consent, state: mine }")
        let shown = Locked("")
        let screen = AccountLogin.Screen(
            show: { line in
                guard line.hasPrefix("  http") else { return }
                shown.change { $0 = line }
                Task { await LoginServer.browse(line, "code=abc") }
            }, ask: { _ in nil })
        try await work.with { session in
            let done = try await session.logins.logIn("cloud", by: .loopback, screen)
            #expect(done.account == Workplace.cloud && done.place.hasSuffix("oauth-cloud.token"))
        }
        let address = shown.value
        #expect(address.hasPrefix("  \(server.url)/authorize?response_type=code&client_id=c1&"))
        #expect(LoginServer.field("scope", in: address) == "mail offline_access")
        #expect(LoginServer.field("login_hint", in: address) == "ana@cloud.example")
        #expect(LoginServer.field("prompt", in: address) == "consent")
        #expect(address.components(separatedBy: "state=").count == 2, "a parameter cannot replace the state")
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1 && request.field("code") == "abc")
        #expect(request.field("redirect_uri") == LoginServer.field("redirect_uri", in: address))
        let verifier = try #require(request.field("code_verifier"))
        let hash = Data(SHA256.hash(Array(verifier.utf8))).base64EncodedString()
        let challenge = hash.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(LoginServer.field("code_challenge", in: address) == challenge && verifier.utf8.count >= 43)
        #expect(try #require(work.tokens()).contains("\"refresh_token\":\"r1\""))
        let mode = try FileManager.default.attributesOfItem(atPath: work.root + "/.opus/oauth-cloud.token")
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test("two logins share neither state nor verifier")
    func unique() async throws {
        let server = try server()
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server)
        var states: Set<String> = []
        for _ in 0..<2 {
            let (lines, problem) = try await paste(work) { [Self.pasted($0, "code=abc")] }
            #expect(problem == nil)
            states.insert(Self.state(lines.first { $0.hasPrefix("  http") } ?? ""))
        }
        #expect(states.count == 2 && states.allSatisfy { $0.utf8.count >= 43 })
        #expect(Set(server.requests.map { $0.field("code_verifier") }).count == 2)
    }

    private static func pasted(_ shown: String, _ parameters: String) -> String {
        "https://localhost/?state=\(state(shown))&\(parameters)"
    }

    @Test("a wrong paste is explained, and the right one after it logs in")
    func pasteAgain() async throws {
        let server = try server()
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server)
        let (lines, problem) = try await paste(work) {
            ["https://localhost/", "https://localhost/?state=other&code=stolen", Self.pasted($0, "code=abc")]
        }
        #expect(problem == nil)
        #expect(
            lines.suffix(2) == [
                "This address has no code in it.", "This address belongs to another login.",
            ])
        #expect(server.requests.map { $0.field("code") } == ["abc"], "a code of another login is not used")
    }

    @Test("without the right address, nothing is sent to the provider and nothing is kept")
    func noPaste() async throws {
        let server = try server()
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server)
        for typed in [[], ["a", "b", "c", "d"]] {
            let (lines, problem) = try await paste(work) { _ in typed }
            #expect(problem?.code == "no-answer" && problem?.exit == .usage)
            #expect(lines.count { $0.contains("no code") } == min(typed.count, 3))
        }
        #expect(server.requests.isEmpty && work.tokens() == nil)
    }

    @Test("a login that the user declines is a refusal, and the tokens of the last login stay")
    func declined() async throws {
        let server = try server()
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server)
        _ = try await paste(work) { [Self.pasted($0, "code=abc")] }
        let before = try #require(work.tokens())
        let (_, problem) = try await paste(work) { [Self.pasted($0, "error=access_denied")] }
        #expect(problem?.code == "login-refused" && problem?.exit == .loginRefused)
        #expect(work.tokens() == before && server.requests.count == 1)
    }

    @Test("a provider that gives no refresh token is refused, with the setting that helps")
    func noRefreshToken() async throws {
        let server = try LoginServer(["/token": [.init(body: #"{"access_token":"a1"}"#)]])
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server)
        let (_, problem) = try await paste(work) { [Self.pasted($0, "code=abc")] }
        #expect(problem?.code == "no-refresh-token")
        #expect(problem?.next.contains { $0.contains("offline_access") } == true)
        #expect(work.tokens() == nil)
    }

    @Test("an account without OAuth, and a way that the provider does not offer, are named")
    func impossible() async throws {
        let work = try Workplace()
        try work.addCloud(
            "client-id: c1, token-url: 'http://127.0.0.1:1/t', device-url: 'http://127.0.0.1:1/d'")
        let screen = AccountLogin.Screen(show: { _ in }, ask: { _ in nil })
        let code: (String, AccountLogin.Way) async throws -> String? = { name, way in
            var code: String?
            try await work.with { session in
                do {
                    _ = try await session.logins.logIn(name, by: way, screen)
                } catch let problem as Problem {
                    code = problem.code
                }
            }
            return code
        }
        #expect(try await code("work", .loopback) == "no-oauth")
        #expect(try await code("cloud", .loopback) == "no-browser-login")
    }

    @Test("the end of a login is known from its settings, and reported three days before")
    func end() async throws {
        let server = try server()
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server, ", refresh-life: 7d")
        _ = try await paste(work) { [Self.pasted($0, "code=abc")] }
        let end = Workplace.tuesday + 7 * Workplace.day
        for (days, expected) in [(0, []), (3, []), (4, [end]), (9, [end])] as [(Int64, [Timestamp])] {
            try await work.with(at: Workplace.tuesday + days * Workplace.day) { session in
                let ids = try session.accounts.ids(named: nil)
                #expect(session.loginEnds.ending(of: ids).map(\.end) == expected, "after \(days) days")
                #expect(session.loginEnds.ending(of: [Workplace.account]).isEmpty)
                #expect(try session.briefings.briefing().endingLogins.map(\.end) == expected)
            }
        }
    }
}
