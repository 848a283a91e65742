/// A file inside the body of a part, without a section number in IMAP: in a winmail.dat, in the content of an S/MIME
/// signature, or a uuencode or yEnc block in a text. Its address is the section of the part, a colon, and its number from 1: `2:1`.
public struct HeldFile: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable, CaseIterable {
        case tnef
        case smime
        case uuencode
        case yenc
    }

    /// A defect of the file. ``HeldFile/bytes`` contains what could be read.
    public enum Damage: String, Hashable, Sendable, CaseIterable {
        /// The block or the stream ends too early.
        case missingEnd
        /// Lines in the block are not in its encoding, and were omitted.
        case badLine
        /// The file states another number of bytes.
        case wrongSize
        case wrongChecksum
    }

    /// The sender's file name. It is not safe as a file name.
    public var name: String
    /// `type/subtype`, lower case.
    public var contentType: String
    public var bytes: [UInt8]
    public var source: Source
    /// Set for a file in a winmail.dat if the HTML of the message refers to it.
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

    /// The most files listed of one part.
    static let limit = 256
    /// The most bytes of a name.
    static let nameLimit = 1_024
}
