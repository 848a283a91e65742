import Logging
import TestSupport
import Testing
import Transport

@testable import HTTPClient

@Suite("web client")
struct WebClientTests {
    private let logger = Logger(label: "test")

    private func ask(
        _ answers: [String], ending: ScriptedWebServer.Ending = .close, limits: HTTPLimits = HTTPLimits(),
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> (response: HTTPResponse, requests: [String]) {
        let server = try await ScriptedWebServer.start(answers, ending: ending)
        let address = try #require(WebAddress("http://127.0.0.1:\(server.port)/start?q=1"))
        var request = HTTPRequest.get(address)
        request.allowsPlaintext = true
        change(&request)
        do {
            let response = try await WebClient(limits: limits, logger: logger).send(request)
            await server.stop()
            return (response, server.requests)
        } catch {
            await server.stop()
            throw error
        }
    }

    private func failure(
        _ answers: [String], ending: ScriptedWebServer.Ending = .close, limits: HTTPLimits = HTTPLimits(),
        _ change: (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> HTTPFailure.Code? {
        await #expect(throws: HTTPFailure.self) {
            try await ask(answers, ending: ending, limits: limits, change)
        }?
        .code
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and what nobody announced",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-Trailer: 1\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ])
    func `a response is read completely, however its length is given`(answer: String) async throws {
        let (response, requests) = try await ask([answer])
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == "hello")
        #expect(!response.isTrusted)
        #expect(requests.first?.hasPrefix("GET /start?q=1 HTTP/1.1\r\nHost: 127.0.0.1:") == true)
        #expect(requests.first?.lowercased().contains("cookie") == false)
    }

    @Test func `a response ends at its length, even if the connection stays open`() async throws {
        let (response, _) = try await ask(
            ["HTTP/1.1 204 No Content\r\n\r\n"], ending: .stay, limits: HTTPLimits(deadline: .seconds(20)))
        #expect(response.status == 204)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n" + String(repeating: "x", count: 200_000),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe",
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    ])
    func `without its body, a response of any length is complete`(answer: String) async throws {
        let server = try await ScriptedWebServer.start([answer], ending: .close)
        var request = HTTPRequest.get(try #require(WebAddress("http://127.0.0.1:\(server.port)/")))
        request.allowsPlaintext = true
        let client = WebClient(limits: HTTPLimits(body: 10), readsBody: false, logger: logger)
        let response = try await client.send(request)
        await server.stop()
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
    }

    @Test func `a form is sent as one POST with its length`() async throws {
        let (response, requests) = try await ask([
            "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
        ]) {
            $0 = .post(
                $0.address, form: [("grant_type", "x y"), ("code", "a&b")], accept: "application/json")
            $0.allowsPlaintext = true
        }
        #expect(response.status == 302, "a POST is never sent to a second address")
        #expect(response.header("location") == "/next")
        let request = try #require(requests.first)
        #expect(request.hasSuffix("\r\n\r\ngrant_type=x%20y&code=a%26b"))
        #expect(request.contains("Content-Length: 27\r\n"))
        #expect(request.contains("Accept: application/json\r\n"))
    }

    @Test func `GET follows a limited number of redirects`() async throws {
        let there = "HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
        let (response, requests) = try await ask([there, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"]) {
            $0.headers.append((name: "Authorization", value: "Bearer x"))
        }
        #expect(response.address.target == "/there")
        #expect(requests.count == 2)
        #expect(requests[1].contains("Authorization"), "the same server may know it")
        let code = try await failure(Array(repeating: there, count: 9), limits: HTTPLimits(redirects: 3))
        #expect(code == .tooManyRedirects)
    }

    @Test func `a redirect never leaves encryption, and takes no secret to another server`() throws {
        let secure = try #require(WebAddress("https://x.example/"))
        var request = HTTPRequest.get(secure, accept: "text/xml")
        request.headers.append((name: "Authorization", value: "Bearer x"))
        request.allowsPlaintext = true
        func answer(_ location: String) -> HTTPResponse {
            HTTPResponse(
                status: 302, headers: [(name: "location", value: location)], body: [], address: secure,
                isTrusted: true)
        }
        for location in ["http://x.example/", "ftp://x.example/", "", "https://u@x.example/"]
        where location != "" {
            #expect(throws: HTTPFailure(.badRedirect, at: secure)) {
                try request.redirected(by: answer(location))
            }
        }
        let next = try #require(try request.redirected(by: answer("https://y.example/")))
        #expect(next.headers.map(\.name) == ["Accept"])
    }

    @Test func `a response beyond a limit is an error`() async throws {
        let body = String(repeating: "x", count: 5000)
        let long = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n\(body)"
        #expect(try await failure([long], limits: HTTPLimits(body: 4096)) == .tooLong(limit: 4096))
        let header = "HTTP/1.1 200 OK\r\n" + "X: \(body)\r\n" * 40 + "\r\n"
        #expect(try await failure([header]) == .notHTTP)
        let many = "HTTP/1.1 200 OK\r\n" + "X: y\r\n" * 2000 + "\r\n"
        #expect(try await failure([many]) == .notHTTP)
        let hints = "HTTP/1.1 103 Early Hints\r\n\r\n" * 100
        #expect(try await failure([hints]) == .notHTTP)
    }

    @Test func `a response that arrives in small pieces ends at the deadline`() async throws {
        let start = ContinuousClock.now
        let code = try await failure(
            ["HTTP/1.1 200 OK\r\n\r\n"], ending: .dripping, limits: HTTPLimits(deadline: .milliseconds(500)))
        #expect(code == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n", "* OK IMAP ready\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "",
    ])
    func `a response that is not HTTP, or is cut short, is an error`(answer: String) async throws {
        #expect(try await failure([answer]) == .notHTTP)
    }

    @Test func `plain http and control characters are refused before a connection is made`() async throws {
        #expect(try await failure([]) { $0.allowsPlaintext = false }.map { $0 == .notEncrypted } == true)
        #expect(try await failure([]) { $0.headers = [(name: "X", value: "a\r\nY: b")] } == .unsafeRequest)
        #expect(try await failure([]) { $0.headers = [(name: "X: y\r\nZ", value: "a")] } == .unsafeRequest)
    }

    @Test func `a server that refuses the connection is an error`() async throws {
        let server = try await ScriptedWebServer.start([])
        await server.stop()
        let address = try #require(WebAddress("https://127.0.0.1:\(server.port)/"))
        let failure = await #expect(throws: HTTPFailure.self) {
            try await WebClient(logger: logger).send(.get(address))
        }
        guard case .transport(let error) = failure?.code else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(error.code == .refused)
    }
}

private func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
