// Which content a message has: enough to distinguish two messages with the same header.

public import Models

/// SHA-256 of a body, hex.
public enum BodyDigest: Hashable, Sendable {
    case whole(String)
    /// Of the part of a long message that is fetched.
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

/// A message of the account that has a certain header.
public struct KnownContent: Hashable, Sendable {
    public var id: EmailID
    /// nil: it came before bodies were compared.
    public var body: BodyDigest?
    /// Octets, as the account reported them.
    public var size: Int
    /// The readable body; only where `body` is nil.
    public var text: String?

    public init(id: EmailID, body: BodyDigest?, size: Int, text: String? = nil) {
        self.id = id
        self.body = body
        self.size = size
        self.text = text
    }
}
