public import Transport

/// Why a request has no answer. An answer with any status is an answer.
public struct HTTPFailure: Error, Equatable, Sendable {
    public enum Code: Equatable, Sendable {
        case transport(TransportError)
        /// The server was not done in time.
        case timedOut
        case tooLong(limit: Int)
        /// What came is not HTTP, or ended too early.
        case notHTTP
        case tooManyRedirects
        /// The server sends the client to an address that is not encrypted or cannot be read.
        case badRedirect
        /// The address is `http:`, and the request does not allow that.
        case notEncrypted
        /// A field of the request holds a line end or another control character.
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
