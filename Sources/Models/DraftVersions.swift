/// The versions of a draft that opus knows, byte for byte: SHA-256 of each in a comparable form, in hex.
///
/// Only these leave the Drafts mailbox. A version that another program saved since is not among them, and stays.
public struct DraftVersions: Hashable, Codable, Sendable {
    /// Versions that opus put into the mailbox itself.
    public var own: [String]
    /// A version that another program wrote, and that the user continued to edit here. It goes to the trash, and is
    /// never removed for good.
    public var adopted: [String]
    /// The trash of an account that has none yet, to be made for the adopted ones.
    public var trash: Mailbox?

    public init(own: [String] = [], adopted: [String] = [], trash: Mailbox? = nil) {
        self.own = own
        self.adopted = adopted
        self.trash = trash
    }

    public func contains(_ digest: String) -> Bool { own.contains(digest) || adopted.contains(digest) }

    /// A draft that is saved again and again keeps the latest ones.
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
