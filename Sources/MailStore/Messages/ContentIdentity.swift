// Identifies the content of a message: distinguishes two messages with the same header.

public import Models

/// SHA-256 of a body, in hex.
public enum BodyDigest: Hashable, Sendable {
    case whole(String)
    /// Of the fetched part of a long message.
    case part(String)

    private static let partMark = "part:"

    init(packed: String) {
        self =
            packed.hasPrefix(Self.partMark)
            ? .part(String(packed.dropFirst(Self.partMark.count))) : .whole(packed)
    }

    var packed: String {
        switch self {
        case .whole(let digest): digest
        case .part(let digest): Self.partMark + digest
        }
    }
}

/// A message of the account with a given header.
public struct KnownContent: Hashable, Sendable {
    public var id: EmailID
    /// nil: it was stored before opus compared bodies.
    public var body: BodyDigest?
    /// Octets, as reported by the account.
    public var size: Int
    /// The readable body; only if `body` is nil.
    public var text: String?

    public init(id: EmailID, body: BodyDigest?, size: Int, text: String? = nil) {
        self.id = id
        self.body = body
        self.size = size
        self.text = text
    }
}
