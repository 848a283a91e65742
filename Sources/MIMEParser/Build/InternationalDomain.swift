import Foundation
public import Models

/// Domains outside ASCII and their form in mail: `bücher.example` is `xn--bcher-kva.example`. RFC 5891, UTS 46.
///
/// ICU does the mapping, normalisation and Punycode, through `URLComponents`. It refuses domains that no registry
/// accepts.
public enum InternationalDomain {
    /// The domain in A-labels; nil: it has none. ASCII is unchanged.
    public static func toASCII(_ domain: String) -> String? {
        guard !domain.utf8.allSatisfy({ $0 < 0x80 }) else { return domain }
        guard domain.utf8.count <= 1_000, domain.utf8.allSatisfy({ $0 >= 0x80 || isHostByte($0) }) else {
            return nil
        }
        var url = URLComponents()
        url.host = domain
        // ICU returns an invalid domain percent-encoded, and a host has no percent sign.
        guard let host = url.encodedHost, isHost(host) else { return nil }
        return host.lowercased()
    }

    /// The domain in readable form. A part that is not an A-label, or not the canonical one of its text, stays
    /// unchanged.
    ///
    /// For display only. Never use it alone for decisions about trust: Cyrillic letters can look exactly like
    /// `apple.com`.
    public static func toUnicode(_ domain: String) -> String {
        guard domain.utf8.count <= 253, isHost(domain), domain.lowercased().contains("xn--") else {
            return domain
        }
        var url = URLComponents()
        url.encodedHost = domain
        guard let host = url.host, toASCII(host) == domain.lowercased() else { return domain }
        return host
    }

    /// The other ways to write the domain, or the end of one: in A-labels and in readable form. Empty for most domains. A
    /// label with a `*` stays.
    public static func otherSpellings(of domain: String) -> [String] {
        guard hasOtherSpellings(domain) else { return [] }
        let typed = domain.lowercased()
        let labels = typed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let mailed = labels.map { toASCII($0) ?? $0 }
        let spellings = [mailed, mailed.map(toUnicode)].map { $0.joined(separator: ".") }
        // Bytes are compared: a letter has composed and decomposed forms.
        var seen: Set<[UInt8]> = [Array(typed.utf8)]
        return spellings.filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// False for every domain that is only ASCII and has no A-label.
    private static func hasOtherSpellings(_ domain: String) -> Bool {
        var matched = 0
        let mark = Array("xn--".utf8)
        for byte in domain.utf8 {
            if byte >= 0x80 { return true }
            let letter = byte.isLetter ? byte | 0x20 : byte
            matched = letter == mark[matched] ? matched + 1 : letter == mark[0] ? 1 : 0
            if matched == mark.count { return true }
        }
        return false
    }

    private static func isHost(_ text: String) -> Bool {
        text.utf8.count <= 253 && text.utf8.allSatisfy(isHostByte)
            && text.utf8.split(separator: ASCII.dot, omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.count <= 63 }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == ASCII.hyphen || byte == ASCII.dot || byte == ASCII.underscore
    }
}

extension EmailAddress {
    /// The address as it is in mail, with its domain in A-labels: settings and people may have it in readable form.
    public var withMailDomain: EmailAddress {
        guard !domain.utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        return EmailAddress(
            displayName: displayName, localPart: localPart,
            domain: InternationalDomain.toASCII(domain) ?? domain)
    }

    /// ``comparable`` with the domain in A-labels: equal for both spellings of an address.
    public var mailComparable: String { withMailDomain.comparable }

    /// ``person`` with the domain in A-labels.
    public var mailPerson: String { withMailDomain.person }

    /// The same address with the other spellings of its domain.
    public var otherSpellings: [EmailAddress] {
        InternationalDomain.otherSpellings(of: domain).map {
            EmailAddress(displayName: displayName, localPart: localPart, domain: $0)
        }
    }
}

extension Set<String> {
    /// Addresses as `EmailAddress.comparable` become `EmailAddress.mailComparable`.
    public var inMailSpelling: Set<String> {
        guard let first = firstIndex(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) else { return self }
        return Set(self[..<first]).union(
            self[first...].map { EmailAddress($0)?.mailComparable ?? $0 })
    }
}
