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
        EmailAddress(
            displayName: displayName, localPart: localPart,
            domain: InternationalDomain.toASCII(domain) ?? domain)
    }
}
