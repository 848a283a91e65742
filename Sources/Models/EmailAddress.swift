/// One mailbox address from a header field, decoded. RFC 5322 §3.4.
public struct EmailAddress: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The decoded display name; empty if the address has none. It is text from a stranger.
    public var displayName: String
    public var localPart: String
    /// Lower case; may be empty in broken mail.
    public var domain: String

    public init(displayName: String = "", localPart: String, domain: String) {
        self.displayName = displayName
        self.localPart = localPart
        self.domain = domain.lowercased()
    }

    /// Splits `local@domain` at its last `@`; nil when either side is missing.
    public init?(_ addrSpec: String, displayName: String = "") {
        guard let at = addrSpec.lastIndex(of: "@") else { return nil }
        let local = addrSpec[..<at]
        let domain = addrSpec[addrSpec.index(after: at)...]
        guard !local.isEmpty, !domain.isEmpty else { return nil }
        self.init(displayName: displayName, localPart: String(local), domain: String(domain))
    }

    /// `local@domain`.
    public var addrSpec: String { domain.isEmpty ? localPart : localPart + "@" + domain }

    /// A sender can write anything, such as `N <>` or `<@acme.example>`. No person has such an address.
    public var hasLocalPart: Bool { !localPart.isEmpty }

    /// `addrSpec` folded for comparison: local parts are compared without case, as every provider does.
    public var comparable: String { addrSpec.lowercased() }

    /// What people call the sender: the display name, else the address.
    public var name: String { displayName.isEmpty ? addrSpec : displayName }

    public var description: String { displayName.isEmpty ? addrSpec : "\(displayName) <\(addrSpec)>" }
}

extension EmailAddress {
    /// The address without its tag: `ana@…` for `ana+shop@…`; nil: it has none. RFC 5233 §2.
    public var untagged: EmailAddress? {
        guard let plus = localPart.firstIndex(of: "+"), plus != localPart.startIndex else { return nil }
        return EmailAddress(
            displayName: displayName, localPart: String(localPart[..<plus]), domain: domain)
    }

    /// The address without its tag, as ``comparable``: one person may write from both.
    public var person: String { (untagged ?? self).comparable }

    /// The address with the name that one of these people has, unless it has a name.
    public func named(as people: some Sequence<EmailAddress>) -> EmailAddress {
        guard displayName.isEmpty else { return self }
        return people.first { $0.comparable == comparable } ?? self
    }
}
