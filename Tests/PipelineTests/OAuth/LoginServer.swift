import Foundation
import Glibc
import HTTPClient
import Logging
import Models
import TestSupport

@testable import Pipeline

/// The login server of a provider, on 127.0.0.1: each path gives the next of its answers, and the last one again and
/// again. It keeps the requests.
final class LoginServer: Sendable {
    struct Answer: Sendable {
        var status = 200
        var body: String

        static func refusal(_ error: String, _ words: String = "") -> Answer {
            Answer(status: 400, body: #"{"error":"\#(error)","error_description":"\#(words)"}"#)
        }
    }

    struct Request: Sendable {
        var path: String
        var body: String

        /// A field of the form.
        func field(_ name: String) -> String? { LoginServer.field(name, in: body) }
    }

    let port: Int
    private let listener: Int32
    private let answers: Locked<[String: [Answer]]>
    private let received = Locked<[Request]>([])

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { received.value }

    init(_ answers: [String: [Answer]] = [:]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw Problem("test", exit: .bug, message: "no port is free") }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.answers = Locked(answers)
        Thread.detachNewThread { [self] in serve() }
    }

    /// What the path gives from now on.
    func answer(_ path: String, _ new: Answer...) { answers.change { $0[path] = new } }

    func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                break
            }
            serve(client)
            close(client)
        }
        close(listener)
    }

    private func serve(_ client: Int32) {
        var text = ""
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        var head: Range<String.Index>?
        while true {
            let count = recv(client, &piece, piece.count, 0)
            guard count > 0 else { return }
            text += String(decoding: piece.prefix(count), as: UTF8.self)
            head = head ?? text.range(of: "\r\n\r\n")
            guard let head else { continue }
            let field = text[..<head.lowerBound].components(separatedBy: "\r\n").first {
                $0.lowercased().hasPrefix("content-length:")
            }
            let length = field.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0
            if text[head.upperBound...].utf8.count >= length { break }
        }
        guard let head else { return }
        let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        received.change { $0.append(Request(path: path, body: String(text[head.upperBound...]))) }
        var answer = Answer(status: 404, body: "not here")
        answers.change { answers in
            guard let first = answers[path]?.first else { return }
            answer = first
            if (answers[path]?.count ?? 0) > 1 { answers[path]?.removeFirst() }
        }
        let bytes = Array(
            ("HTTP/1.1 \(answer.status) X\r\nContent-Length: \(answer.body.utf8.count)\r\n"
                + "Connection: close\r\n\r\n" + answer.body).utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    // MARK: Forms and browsers

    /// A field of a form or of the query of an address.
    static func field(_ name: String, in text: String) -> String? {
        let query = text.split(separator: "?", maxSplits: 1).last ?? ""
        let pair = query.split(separator: "&").first { $0.hasPrefix(name + "=") }
        return pair.flatMap { String($0.dropFirst(name.count + 1)).removingPercentEncoding }
    }

    /// The end of a login in the browser: the redirect of the address that opus showed, with these parameters.
    static func browse(_ shown: String, _ parameters: String) async {
        guard let redirect = field("redirect_uri", in: shown), let state = field("state", in: shown),
            let address = WebAddress("\(redirect)?state=\(state)&\(parameters)")
        else { return }
        var request = HTTPRequest.get(address)
        request.allowsPlaintext = true
        _ = try? await WebClient(logger: Logger(label: "test")).send(request)
    }
}

extension Workplace {
    static let cloud = AccountID("cloud")

    /// Adds the account `cloud`, which logs in with OAuth.
    func addCloud(_ oauth: String) throws {
        try configure("  - name: cloud")
        try configure("    address: ana@cloud.example")
        try configure("    imap: { host: 127.0.0.1, port: 1, security: none }")
        try configure("    login: { user: ana@cloud.example, oauth: { \(oauth) } }")
    }

    /// The same, with a client id of the user's own at this server.
    func addCloud(at server: LoginServer, _ more: String = "") throws {
        try addCloud(
            "client-id: c1, authorize-url: '\(server.url)/authorize', token-url: '\(server.url)/token', "
                + "device-url: '\(server.url)/device', scope: [mail, offline_access]" + more)
    }

    /// The file of its tokens; nil: it has not logged in.
    func tokens() -> String? { try? read(".opus/oauth-cloud.token") }
}
