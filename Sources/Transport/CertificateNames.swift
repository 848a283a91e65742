import NIOSSL

/// The names in a certificate, and the check that one of them is the server's. RFC 9525 §6.3, §6.5.
///
/// Only subject alternative names count, never the common name. A `*` counts only as a whole first label before at
/// least two others: a certificate for `*` or `*.org` would be valid for everyone.
struct CertificateNames {
    private static let maximumShown = 5
    private static let maximumLength = 100

    private let names: [[UInt8]]

    init(_ names: [[UInt8]]) { self.names = names }

    init(_ certificate: NIOSSLCertificate) {
        names = certificate._subjectAlternativeNames().compactMap { name in
            name.nameType == .dnsName ? Array(name.contents) : nil
        }
    }

    func cover(_ server: String) -> Bool {
        let host = Self.labels(Array(server.utf8))
        return names.contains { Self.matches(Self.labels($0), host) }
    }

    /// A few of the names, for people, with everything escaped that could harm a terminal.
    var wording: String {
        guard !names.isEmpty else { return "it names no server; a common name alone is not enough" }
        let shown = names.prefix(Self.maximumShown).map(Self.printable).joined(separator: ", ")
        let more = names.count - Self.maximumShown
        return "it is for \(shown)" + (more > 0 ? " and \(more) more" : "")
    }

    private static func matches(_ pattern: [[UInt8]], _ host: [[UInt8]]) -> Bool {
        guard pattern.count == host.count, !host.contains([]) else { return false }
        guard pattern.first == [UInt8(ascii: "*")] else { return pattern == host }
        return pattern.count > 2 && pattern.dropFirst() == host.dropFirst()
    }

    /// In lower case; one dot at the end does not count.
    private static func labels(_ name: [UInt8]) -> [[UInt8]] {
        let dot = UInt8(ascii: ".")
        let whole = name.last == dot ? name.dropLast() : name[...]
        return whole.split(separator: dot, omittingEmptySubsequences: false).map { label in
            label.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
    }

    private static func printable(_ name: [UInt8]) -> String {
        let known = name.prefix(maximumLength).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: known, as: UTF8.self)
    }
}
