import Accounts
import Logging
import Models
import SASL
import TestSupport
import Testing

@testable import Pipeline

/// Requests to the token endpoint of a provider, and what its answers mean.
@Suite("The token endpoint", .timeLimit(.minutes(2)))
struct TokenEndpointTests {
    private func asking<Result>(
        _ answers: [String: [LoginServer.Answer]], secret: String? = nil,
        _ body: (TokenEndpoint, LoginServer) async throws -> Result
    ) async throws -> Result {
        let server = try LoginServer(answers)
        defer { server.stop() }
        let work = try Workplace()
        try work.addCloud(at: server)
        let account = try work.options().loadWorkspace().accounts.first { $0.id == Workplace.cloud }
        let settings = try #require(account?.login?.oauth)
        return try await body(
            TokenEndpoint(
                account: Workplace.cloud, settings: settings, clientSecret: secret.map { Secret($0) },
                logger: Logger(label: "test")), server)
    }

    private func refreshed(_ answer: LoginServer.Answer) async throws -> TokenEndpoint.Answer {
        try await asking(["/token": [answer]]) { endpoint, _ in try await endpoint.refresh(Secret("r1")) }
    }

    @Test(
        "the lifetimes of tokens may be numbers or text, and have limits",
        arguments: [
            (#""expires_in":120"#, 120, nil), (#""expires_in":"7200""#, 7_200, nil), ("", 3_600, nil),
            (#""expires_in":0"#, 1, nil), (#""expires_in":99999999999"#, 366 * 86_400, nil),
            (#""expires_in":60,"refresh_expires_in":0"#, 60, nil),
            (#""expires_in":60,"refresh_expires_in":"1800""#, 60, 1_800),
            (#""expires_in":60,"refresh_token_expires_in":604800,"refresh_expires_in":1"#, 60, 604_800),
        ] as [(String, Int64, Int64?)])
    func lifetimes(_ fields: String, _ life: Int64, _ refreshLife: Int64?) async throws {
        let end = fields.isEmpty ? "" : "," + fields
        let answer = try await refreshed(.init(body: #"{"access_token":"a"\#(end)}"#))
        #expect(answer.life == life && answer.refreshLife == refreshLife)
        #expect(answer.refresh == nil, "the old refresh token stays valid")
    }

    @Test(
        "a provider that is busy is tried again later, and any other page is a wrong address",
        arguments: [
            (503, "", "server-busy"), (429, "{}", "server-busy"), (408, "", "server-busy"),
            (404, "not here", "bad-answer"), (200, "<html>", "bad-answer"), (200, "[]", "bad-answer"),
            (200, #"{"access_token":""}"#, "bad-answer"), (200, #"{"token":"a"}"#, "bad-answer"),
        ])
    func unusable(_ status: Int, _ body: String, _ code: String) async throws {
        let problem = await #expect(throws: Problem.self) {
            _ = try await refreshed(.init(status: status, body: body))
        }
        #expect(problem?.code == code)
        #expect(problem?.exit == (code == "server-busy" ? .temporary : .unavailable))
    }

    @Test("an error of the provider is a refusal, even with status 200, and its text is shortened")
    func refused() async throws {
        let long = String(repeating: "x", count: 1_000)
        for status in [400, 200] {
            var answer = LoginServer.Answer.refusal("invalid_grant", long)
            answer.status = status
            let refusal = await #expect(throws: TokenEndpoint.Refusal.self) {
                _ = try await refreshed(answer)
            }
            #expect(refusal?.error == "invalid_grant" && refusal?.words.count == 300)
        }
    }

    @Test("tokens and secrets that the provider repeats are not in the error")
    func repeated() async throws {
        let refusal = await #expect(throws: TokenEndpoint.Refusal.self) {
            try await asking(
                ["/token": [.refusal("invalid_grant", "token refresh-1 of hush-hush was revoked")]],
                secret: "hush-hush"
            ) { endpoint, _ in _ = try await endpoint.refresh(Secret("refresh-1")) }
        }
        #expect(refusal?.words == "token ••• of ••• was revoked")
    }

    @Test("a client secret is sent only if the account has one")
    func clientSecret() async throws {
        for secret in [nil, "s&1"] {
            try await asking(["/token": [.init(body: #"{"access_token":"a"}"#)]], secret: secret) {
                endpoint, server in
                _ = try await endpoint.refresh(Secret("r+1"))
                let request = try #require(server.requests.first)
                #expect(request.field("client_secret") == secret && request.field("client_id") == "c1")
                #expect(request.field("grant_type") == "refresh_token")
                #expect(request.field("refresh_token") == "r+1")
            }
        }
    }

    @Test("a code for another device is read in the words of each provider, and its pause has limits")
    func deviceCode() async throws {
        let answers: [(String, String, Int64)] = [
            (#""verification_uri":"https://x.example/d","interval":0"#, "https://x.example/d", 1),
            (#""verification_url":"https://g.example/d","interval":3600"#, "https://g.example/d", 60),
            (#""verification_uri":"https://x.example/d""#, "https://x.example/d", 5),
        ]
        for (fields, address, interval) in answers {
            let body = #"{"device_code":"d1","user_code":"WDJB",\#(fields)}"#
            let code = try await asking(["/device": [.init(body: body)]]) { endpoint, server in
                let code = try await endpoint.deviceCode()
                #expect(server.requests.first?.field("scope") == "mail offline_access")
                return code
            }
            #expect(code.userCode == "WDJB" && code.address == address && code.interval == interval)
            #expect(code.life == 900)
        }
        let problem = await #expect(throws: Problem.self) {
            _ = try await asking(["/device": [.init(body: #"{"user_code":"WDJB"}"#)]]) { endpoint, _ in
                try await endpoint.deviceCode()
            }
        }
        #expect(problem?.code == "bad-answer")
    }

    private static func code(life: Int64) -> TokenEndpoint.DeviceCode {
        .init(code: Secret("d1"), userCode: "WDJB", address: "https://x.example", life: life, interval: 0)
    }

    @Test("opus asks until the user has typed the code on the other device, and a refusal ends it")
    func device() async throws {
        let pending = LoginServer.Answer.refusal("authorization_pending")
        try await asking(["/token": [pending, pending, .init(body: #"{"access_token":"a9"}"#)]]) {
            endpoint, server in
            let answer = try await endpoint.wait(for: Self.code(life: 60))
            #expect(answer.access.reveal() == "a9" && server.requests.count == 3)
            #expect(server.requests.allSatisfy { $0.field("device_code") == "d1" })
        }
        let refusal = await #expect(throws: TokenEndpoint.Refusal.self) {
            _ = try await asking(["/token": [pending, .refusal("access_denied")]]) { endpoint, _ in
                try await endpoint.wait(for: Self.code(life: 60))
            }
        }
        #expect(refusal?.error == "access_denied")
    }

    @Test("a code that was not typed in time has expired")
    func expiredCode() async throws {
        let problem = await #expect(throws: Problem.self) {
            _ = try await asking([:]) { endpoint, _ in try await endpoint.wait(for: Self.code(life: 0)) }
        }
        #expect(problem?.exit == .loginRefused)
        #expect(problem?.message == "the code for the other device has expired")
    }
}
