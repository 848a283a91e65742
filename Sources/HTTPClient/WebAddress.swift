/// The parts of an `https:` or `http:` address, checked so that no part can end a line of a request.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    public let isEncrypted: Bool
    public let host: String
    public let port: Int
    /// Path and query, unchanged.
    public let target: String

    private static let longest = 8 << 10

    /// nil: another scheme, an address with a user, or not an address.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest,
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
        else { return nil }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "https" || scheme == "http", text.dropFirst(scheme.count).hasPrefix("://") else {
            return nil
        }
        let rest = text.dropFirst(scheme.count + "://".count).prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@"), !authority.contains("[") else { return nil }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first?.lowercased(), parts.count <= 2, Self.isHost(name) else { return nil }
        let usual = scheme == "https" ? 443 : 80
        guard let port = parts.count == 2 ? Int(parts[1]) : usual, (1...65_535).contains(port) else {
            return nil
        }
        isEncrypted = scheme == "https"
        host = name
        self.port = port
        let path = rest[end...]
        target = path.isEmpty ? "/" : path.first == "?" ? "/" + path : String(path)
    }

    private static func isHost(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 253
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                case _: false
                }
            }
    }

    /// What a `Location` field names, seen from here. RFC 3986 §5, without the dots of a path.
    public func resolve(_ reference: String) -> WebAddress? {
        if reference.hasPrefix("//") { return WebAddress((isEncrypted ? "https:" : "http:") + reference) }
        if let colon = reference.firstIndex(of: ":"),
            reference[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        {
            return WebAddress(reference)
        }
        if reference.hasPrefix("/") { return WebAddress(origin + reference) }
        let path = target.prefix { $0 != "?" }
        if reference.hasPrefix("?") { return WebAddress(origin + path + reference) }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return WebAddress(origin + folder + reference)
    }

    /// Scheme, host and port.
    public var origin: String { (isEncrypted ? "https://" : "http://") + authority }

    /// What the `Host` field says.
    var authority: String { port == (isEncrypted ? 443 : 80) ? host : "\(host):\(port)" }

    public var description: String { origin + target }
}
