/// One request: where to, what with, and what may happen to it on the way.
public struct HTTPRequest: Sendable {
    public enum Method: Hashable, Sendable {
        case get
        /// Never sent to a second address: a redirect is an answer like any other.
        case post(contentType: String, body: [UInt8])
    }

    public var address: WebAddress
    public var method: Method
    /// Fields besides those that the client writes itself.
    public var headers: [(name: String, value: String)]
    /// Whether `http:` will do, here and after a redirect from `http:`. The answer is marked then.
    public var allowsPlaintext = false

    public static func get(_ address: WebAddress, accept: String? = nil) -> HTTPRequest {
        HTTPRequest(
            address: address, method: .get, headers: accept.map { [(name: "Accept", value: $0)] } ?? [])
    }

    public static func post(
        _ address: WebAddress, contentType: String, body: [UInt8], accept: String? = nil
    ) -> HTTPRequest {
        HTTPRequest(
            address: address, method: .post(contentType: contentType, body: body),
            headers: accept.map { [(name: "Accept", value: $0)] } ?? [])
    }

    /// The fields of a form, as `application/x-www-form-urlencoded`.
    public static func post(
        _ address: WebAddress, form: [(name: String, value: String)], accept: String? = nil
    ) -> HTTPRequest {
        post(
            address, contentType: "application/x-www-form-urlencoded",
            body: Array(FormEncoding.encode(form).utf8), accept: accept)
    }

    /// The request that the answer redirects to; nil when the answer is the last one.
    func redirected(by response: HTTPResponse) throws(HTTPFailure) -> HTTPRequest? {
        guard method == .get, [301, 302, 303, 307, 308].contains(response.status),
            let location = response.header("Location")
        else { return nil }
        guard let next = address.resolve(location), next.isEncrypted || !address.isEncrypted else {
            throw HTTPFailure(.badRedirect, at: address)
        }
        var request = self
        request.address = next
        if next.origin != address.origin {
            // What the caller said to one server is not for another.
            request.headers.removeAll { $0.name.lowercased() != "accept" }
        }
        return request
    }

    /// Nothing that a caller passes on can begin a line of its own.
    var isSafe: Bool {
        let type: String? =
            switch method {
            case .get: nil
            case .post(let contentType, body: _): contentType
            }
        return (headers.map(\.value) + [type].compactMap(\.self)).allSatisfy(Self.isValue)
            && headers.allSatisfy { Self.isName($0.name) }
    }

    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                case _: false
                }
            }
    }
}
