public import Models

/// An identity of an account: an address to write from, with its name, signature and Sent mailbox.
public struct Identity: Hashable, Sendable {
    public var address: EmailAddress
    /// nil: that of `me`.
    public var name: String?
    /// nil: that of the account.
    public var signature: String?
    /// The mailbox that takes the copies of mail sent from this address; nil: the account's Sent.
    public var sentMailbox: String?
    public var place: SourcePlace

    public init(
        address: EmailAddress, name: String? = nil, signature: String? = nil, sentMailbox: String? = nil,
        place: SourcePlace
    ) {
        self.address = address
        self.name = name
        self.signature = signature
        self.sentMailbox = sentMailbox
        self.place = place
    }
}

extension Account {
    /// The addresses that it writes from, its own one first.
    public var addresses: [EmailAddress] { [address] + identities.map(\.address) }

    /// The identity with this address; nil: the account's own settings hold.
    public func identity(_ address: EmailAddress) -> Identity? {
        identities.first { $0.address.comparable == address.comparable }
    }
}
