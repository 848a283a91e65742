import HTTPClient
import Logging

/// One click on a list's address, without a browser: a POST over HTTPS that says nothing about the user.
///
/// No redirect is followed, no cookie is sent, and no more than 64 KiB is read. RFC 8058 §3.1.
struct OneClick: Sendable {
    static let answerLimit = 64 << 10

    let address: WebAddress
    /// Certificates to trust instead of the system's.
    let caFile: String?
    let logger: Logger

    /// The status of the answer.
    func post() async throws(HTTPFailure) -> Int {
        let client = WebClient(
            caFile: caFile, limits: HTTPLimits(body: Self.answerLimit, deadline: .seconds(45), redirects: 0),
            logger: logger)
        let request = HTTPRequest.post(
            address, contentType: "application/x-www-form-urlencoded",
            body: Array("List-Unsubscribe=One-Click".utf8))
        return try await client.send(request).status
    }
}
