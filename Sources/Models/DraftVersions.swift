/// The versions of a draft that opus knows: the SHA-256 of each in a comparable form, in hex.
///
/// opus removes only these from the Drafts mailbox. A version that another program saved later stays.
public struct DraftVersions: Hashable, Codable, Sendable {
    /// Versions that opus put into the mailbox.
    public var own: [String]
    /// Versions that another program wrote and the user then edited with opus. opus moves them to the trash and never
    /// deletes them.
    public var adopted: [String]
    /// The trash to make for adopted versions, if the account has none.
    public var trash: Mailbox?

    public init(own: [String] = [], adopted: [String] = [], trash: Mailbox? = nil) {
        self.own = own
        self.adopted = adopted
        self.trash = trash
    }

    public func contains(_ digest: String) -> Bool { own.contains(digest) || adopted.contains(digest) }

    /// If a draft has more versions, opus keeps the latest ones.
    private static let limit = 100

    public mutating func addOwn(_ digest: String) {
        guard !own.contains(digest) else { return }
        own = own.suffix(Self.limit - 1) + [digest]
    }

    public mutating func adopt(_ digest: String) {
        guard !contains(digest) else { return }
        adopted = adopted.suffix(Self.limit - 1) + [digest]
    }
}
