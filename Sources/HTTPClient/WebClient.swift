public import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import Transport

/// Sends GET and POST requests over HTTPS, with verified certificates and without cookies. Size and time of responses
/// are limited.
///
/// A connection serves one request. `http:` is used only if the request allows it.
public struct WebClient: Sendable {
    /// Certificates to trust instead of the system's.
    public var caFile: String?
    public var limits: HTTPLimits
    /// false: the response is complete with its header, and its body, of any length, is not read.
    public var readsBody = true
    let logger: Logger

    public init(
        caFile: String? = nil, limits: HTTPLimits = HTTPLimits(), readsBody: Bool = true, logger: Logger
    ) {
        self.caFile = caFile
        self.limits = limits
        self.readsBody = readsBody
        self.logger = logger
    }

    /// The response with any status. GET follows redirects; POST does not.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard request.isSafe else { throw HTTPFailure(.unsafeRequest, at: request.address) }
        let raced = await withTaskGroup(of: Result<HTTPResponse, HTTPFailure>?.self) { group in
            group.addTask {
                do throws(HTTPFailure) {
                    return .success(try await follow(request))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // Also ends after the response came.
                try? await Task.sleep(for: limits.deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard !Task.isCancelled else { throw HTTPFailure(.cancelled, at: request.address) }
        guard let raced else { throw HTTPFailure(.timedOut, at: request.address) }
        return try raced.get()
    }

    private func follow(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var request = request
        var isTrusted = true
        for _ in 0...max(0, limits.redirects) {
            guard request.address.isEncrypted || request.allowsPlaintext else {
                throw HTTPFailure(.notEncrypted, at: request.address)
            }
            isTrusted = isTrusted && request.address.isEncrypted
            var response = try await exchange(request)
            response.isTrusted = isTrusted
            guard let next = try request.redirected(by: response) else { return response }
            request = next
        }
        throw HTTPFailure(.tooManyRedirects, at: request.address)
    }

    // MARK: Single requests

    private func exchange(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let answer = NIOLockedValueBox(ResponseHandler.Answer())
        let connection: Connection
        do {
            connection = try await open(request.address)
        } catch {
            throw HTTPFailure(.transport(error), at: request.address)
        }
        do throws(HTTPFailure) {
            let body = try await read(request, from: connection, answer)
            await connection.close()
            guard let head = answer.withLockedValue({ $0.isComplete ? $0.head : nil }) else {
                throw HTTPFailure(.notHTTP, at: request.address)
            }
            return HTTPResponse(
                status: Int(head.status.code), headers: head.headers.map { (name: $0.name, value: $0.value) },
                body: body, address: request.address, isTrusted: false)
        } catch {
            await connection.close()
            throw error
        }
    }

    private func open(_ address: WebAddress) async throws(TransportError) -> Connection {
        let policy = TLSPolicy(serverName: address.host, caFile: caFile)
        let timeouts = Timeouts(
            connect: limits.deadline, tls: limits.deadline, receive: limits.deadline, send: limits.deadline)
        return try await Connection.open(
            Endpoint(host: address.host, port: address.port),
            security: address.isEncrypted ? .tls(policy) : .plaintext, timeouts: timeouts, logger: logger)
    }

    private func read(
        _ request: HTTPRequest, from connection: Connection,
        _ answer: NIOLockedValueBox<ResponseHandler.Answer>
    ) async throws(HTTPFailure) -> [UInt8] {
        let (head, content) = Self.head(of: request)
        var body: [UInt8] = []
        do {
            let readsBody = readsBody
            try await connection.insert {
                ResponseHandler.pipeline(head, body: content, answer: answer, readsBody: readsBody)
            }
            while let bytes = try await connection.receive() {
                body += bytes.readableBytesView
                guard body.count <= limits.body else {
                    throw HTTPFailure(.tooLong(limit: limits.body), at: request.address)
                }
            }
        } catch let error as TransportError {
            // Many servers end a response without a length by closing the connection, without the closing message of
            // TLS. The caller notices a missing part.
            if error.code == .closedByPeer, answer.withLockedValue({ $0.endIfOpen() }) { return body }
            let isMalformed = answer.withLockedValue(\.isMalformed)
            throw HTTPFailure(isMalformed ? .notHTTP : .transport(error), at: request.address)
        } catch let failure as HTTPFailure {
            throw failure
        } catch {
            throw HTTPFailure(.notHTTP, at: request.address)
        }
        return body
    }

    private static func head(of request: HTTPRequest) -> (HTTPRequestHead, [UInt8]) {
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: request.address.authority)
        for (name, value) in request.headers { headers.add(name: name, value: value) }
        var content: [UInt8] = []
        if case .post(let contentType, let body) = request.method {
            headers.add(name: "Content-Type", value: contentType)
            headers.add(name: "Content-Length", value: "\(body.count)")
            content = body
        }
        headers.add(name: "Connection", value: "close")
        let head = HTTPRequestHead(
            version: .http1_1, method: request.method == .get ? .GET : .POST, uri: request.address.target,
            headers: headers)
        return (head, content)
    }
}
