import HTTPClient
import Logging

/// A one-click unsubscription: a POST over HTTPS that contains no information about the user.
///
/// Follows no redirects, sends no cookies, and reads only the header of the response. RFC 8058 §3.1.
struct OneClick: Sendable {
    let address: WebAddress
    /// Certificates that are trusted instead of the system's.
    let caFile: String?
    let logger: Logger

    /// The status code of the response.
    func post() async throws(HTTPFailure) -> Int {
        let client = WebClient(
            caFile: caFile, limits: HTTPLimits(deadline: .seconds(45), redirects: 0), readsBody: false,
            logger: logger)
        let request = HTTPRequest.post(
            address, contentType: "application/x-www-form-urlencoded",
            body: Array("List-Unsubscribe=One-Click".utf8))
        return try await client.send(request).status
    }
}
