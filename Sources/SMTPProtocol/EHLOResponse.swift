/// The extensions that this program uses. RFC 5321 §4.1.1.1.
public enum EHLOKeyword: String, CaseIterable, Sendable {
    /// RFC 1870.
    case size = "SIZE"
    /// RFC 3207.
    case startTLS = "STARTTLS"
    /// RFC 4954.
    case auth = "AUTH"
    /// RFC 2920.
    case pipelining = "PIPELINING"
    /// RFC 6152.
    case eightBitMIME = "8BITMIME"
    /// RFC 6531.
    case smtpUTF8 = "SMTPUTF8"
    /// RFC 2034.
    case enhancedStatusCodes = "ENHANCEDSTATUSCODES"
    /// RFC 3030.
    case chunking = "CHUNKING"
    /// RFC 3461.
    case dsn = "DSN"
}

/// The extensions that a server offers. True only until STARTTLS: what it said before is forgotten then.
public struct EHLOResponse: Equatable, Sendable {
    private let parameters: [EHLOKeyword: [String]]

    /// Reads the lines after the first, which is the server's own name. Unknown keywords are skipped.
    public init(_ reply: Reply) {
        var parameters: [EHLOKeyword: [String]] = [:]
        for line in reply.lines.dropFirst() {
            let words = Self.words(of: line)
            guard let first = words.first, let keyword = EHLOKeyword(rawValue: first) else { continue }
            parameters[keyword, default: []] += words.dropFirst()
        }
        self.parameters = parameters
    }

    public func offers(_ keyword: EHLOKeyword) -> Bool { parameters[keyword] != nil }

    /// The largest message the server takes; nil when it names no limit. `SIZE 0` means no fixed limit.
    public var maximumSize: Int? {
        guard let text = parameters[.size]?.first, let size = Int(text), size > 0 else { return nil }
        return size
    }

    /// The login mechanisms, in upper case and in the server's order.
    public var authMechanisms: [String] { parameters[.auth] ?? [] }

    /// Quirk `authEquals`: `AUTH=LOGIN PLAIN`, written for clients of before RFC 2554, means `AUTH`.
    private static func words(of line: String) -> [String] {
        var line = line.uppercased()
        if line.hasPrefix("AUTH=") { line = "AUTH " + line.dropFirst(5) }
        return line.split(separator: " ").map(String.init)
    }
}
