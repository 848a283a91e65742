public import Transport

/// Why a request failed. A response with any status is not a failure.
public struct HTTPFailure: Error, Equatable, Sendable {
    public enum Code: Equatable, Sendable {
        case transport(TransportError)
        /// The response was not complete in time.
        case timedOut
        case tooLong(limit: Int)
        /// The response is not HTTP, or ended too early.
        case notHTTP
        case tooManyRedirects
        /// The redirect leads to an address that is not encrypted or is invalid.
        case badRedirect
        /// The address is `http:`, which the request does not allow.
        case notEncrypted
        /// A field of the request contains a line end or another control character.
        case unsafeRequest
        case cancelled
    }

    public var code: Code
    public var address: WebAddress

    public init(_ code: Code, at address: WebAddress) {
        self.code = code
        self.address = address
    }
}

extension HTTPFailure: CustomStringConvertible {
    public var description: String {
        switch code {
        case .transport(let error): error.description
        case .timedOut: "\(address.host) did not answer the web request in time"
        case .tooLong(let limit): "the answer of \(address.host) is longer than \(limit / 1024) KiB"
        case .notHTTP: "\(address.host) did not answer like a web server"
        case .tooManyRedirects: "\(address.host) redirects the request too often"
        case .badRedirect: "\(address.host) redirects the request to an address that is not encrypted"
        case .notEncrypted: "\(address.origin) is not encrypted"
        case .unsafeRequest: "the request to \(address.host) holds a control character"
        case .cancelled: "cancelled"
        }
    }
}
