/// One section of a message: `BODY.PEEK[1.2]<0.4096>`. RFC 3501 §6.4.5.
public struct SectionRequest: Hashable, Sendable {
    /// The piece of the part to fetch.
    public enum Kind: Hashable, Sendable {
        /// The content of the part; for an empty section, of the whole message.
        case content
        /// The header of the message, or of the message inside that part.
        case header
        /// The MIME header of the part.
        case mime
        case text
        case headerFields([String])
    }

    /// `1.2`; empty for the message itself.
    public var section: String
    public var kind: Kind
    /// The first octet and the number of octets; nil: all.
    public var offset: Int?
    public var count: Int

    /// - Parameters:
    ///   - section: The number of a part, as in ``BodyPart/section``.
    ///   - kind: The piece of the part.
    ///   - offset: The first octet of a partial fetch; nil: the whole section.
    ///   - count: The most octets. A longer answer is discarded and reported as omitted.
    public init(_ section: String, _ kind: Kind = .content, offset: Int? = nil, count: Int) {
        self.section = section
        self.kind = kind
        self.offset = offset
        self.count = max(1, count)
    }

    /// The name of the section in the answer, in upper case: `1.2.MIME`, `HEADER.FIELDS (FROM TO)`.
    public var name: String {
        let suffix =
            switch kind {
            case .content: ""
            case .header: "HEADER"
            case .mime: "MIME"
            case .text: "TEXT"
            case .headerFields(let names): "HEADER.FIELDS (" + names.joined(separator: " ") + ")"
            }
        return (section.isEmpty || suffix.isEmpty ? section + suffix : section + "." + suffix).utf8
            .uppercasedWord
    }

    /// As it travels.
    func text() throws(EncodingError) -> String {
        let numbers = section.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isPath = numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isDigit) && $0.first != 0x30 }
        guard section.isEmpty || isPath, section.utf8.count <= 200 else { throw .invalidSection(section) }
        if case .mime = kind, section.isEmpty { throw .invalidSection(name) }
        if case .headerFields(let names) = kind {
            guard !names.isEmpty else { throw .invalidSection(name) }
            for field in names where !Self.isFieldName(field) { throw .invalidFieldName(field) }
        }
        return "BODY.PEEK[\(name)]" + (offset.map { "<\(max(0, $0)).\(count)>" } ?? "")
    }

    static func isFieldName(_ field: String) -> Bool {
        !field.isEmpty && field.utf8.count <= 100
            && field.utf8.allSatisfy { $0.isAtomCharacter && $0 != .colon && $0 != .closeBracket }
    }
}
