public import Models

/// An identity of an account: a sender address with its name, signature and Sent mailbox.
public struct Identity: Hashable, Sendable {
    public var address: EmailAddress
    /// nil: the name in `me` is used.
    public var name: String?
    /// nil: that of the account is used.
    public var signature: String?
    /// The mailbox for the copies of mail sent from this address; nil: the account's Sent.
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
    /// The addresses from which it sends; its own is first.
    public var addresses: [EmailAddress] { [address] + identities.map(\.address) }

    /// The names of the mailboxes in which its identities keep their sent mail.
    public var identitySentMailboxes: [String] { identities.compactMap(\.sentMailbox) }

    /// The identity with this address; nil: the settings of the account apply.
    public func identity(_ address: EmailAddress) -> Identity? {
        identities.first { $0.address.comparable == address.comparable }
    }
}
