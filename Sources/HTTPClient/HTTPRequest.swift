/// One request: its address, its content, and what the client may do with it.
public struct HTTPRequest: Sendable {
    public enum Method: Hashable, Sendable {
        case get
        /// Never sent to a second address: a redirect is returned like any response.
        case post(contentType: String, body: [UInt8])
    }

    public var address: WebAddress
    public var method: Method
    /// Additional fields; the client writes the required ones.
    public var headers: [(name: String, value: String)]
    /// Whether `http:` is allowed, here and in redirects from `http:`. The response is then marked.
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

    /// A request with a form, as `application/x-www-form-urlencoded`.
    public static func post(
        _ address: WebAddress, form: [(name: String, value: String)], accept: String? = nil
    ) -> HTTPRequest {
        post(
            address, contentType: "application/x-www-form-urlencoded",
            body: Array(FormEncoding.encode(form).utf8), accept: accept)
    }

    /// The request that follows a redirect; nil: the response is not a redirect.
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
            // Fields for one server must not go to another.
            request.headers.removeAll { $0.name.lowercased() != "accept" }
        }
        return request
    }

    /// Whether no value of the caller can begin a new line.
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
