/// A file inside the body of a part, without a section of its own: in a winmail.dat, or as a
/// uuencode or yEnc block in a text. Its address is the section of the part, a colon, and its number from 1: `2:1`.
public struct HeldFile: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable, CaseIterable {
        case tnef
        case uuencode
        case yenc
    }

    /// What was wrong with it. The readable part is in ``HeldFile/bytes`` anyway.
    public enum Damage: String, Hashable, Sendable, CaseIterable {
        /// The block or the stream stopped before its end.
        case missingEnd
        /// Lines inside the block were not of its encoding and were left out.
        case badLine
        /// Not as many bytes as the file says it has.
        case wrongSize
        case wrongChecksum
    }

    /// As the sender named it; no safe file name.
    public var name: String
    /// `type/subtype`, lower case.
    public var contentType: String
    public var bytes: [UInt8]
    public var source: Source
    /// Of a file in a winmail.dat, when the HTML of the message refers to it.
    public var contentID: String?
    public var damage: Set<Damage>

    public init(
        name: String, contentType: String = "application/octet-stream", bytes: [UInt8], source: Source,
        contentID: String? = nil, damage: Set<Damage> = []
    ) {
        self.name = name
        self.contentType = contentType
        self.bytes = bytes
        self.source = source
        self.contentID = contentID
        self.damage = damage
    }

    /// More files of one part are not listed.
    static let limit = 256
    /// Bytes of a name.
    static let nameLimit = 1_024
}
