/// The parts of a message according to BODYSTRUCTURE or BODY, as a flat list in the order of the message. RFC 3501
/// §7.4.2.
///
/// opus counts the section numbers itself, as in RFC 3501 §6.4.5, so that they can be fetched. Many servers parse MIME
/// badly: if you have the whole message, compare with opus's own parser.
public struct BodyStructure: Equatable, Sendable {
    /// Never empty; the first part is the message itself.
    public internal(set) var parts: [BodyPart]

    public init(parts: [BodyPart]) { self.parts = parts }

    /// The part with this number and its own content. A multipart inside a message shares the number of the message, so
    /// this function does not find it.
    public func part(section: String) -> BodyPart? { parts.first { $0.section == section } }

    /// The readable text parts: `text/*` without attachments, in order.
    public var textParts: [BodyPart] {
        parts.filter { $0.type == "text" && $0.disposition?.type != "attachment" }
    }

    /// The parts without children, which can be fetched by section.
    public var leaves: [BodyPart] { parts.filter { $0.children.isEmpty && $0.type != "multipart" } }
}

/// One part of a message, as its server describes it.
public struct BodyPart: Equatable, Sendable {
    /// The number, such as `1.2`; empty for a multipart that is the message itself.
    public var section: String
    /// The indexes of the parent and the children in ``BodyStructure/parts``.
    public var parent: Int?
    public var children: [Int] = []
    /// Lower case: `text`, `multipart`; empty: the server omitted it.
    public var type: String
    /// Lower case: `plain`.
    public var subtype: String
    public var parameters: [BodyParameter] = []
    /// The Content-ID, with its angle brackets.
    public var contentID: [UInt8]?
    public var description: [UInt8]?
    /// Lower case: `base64`; `7bit`: the default.
    public var encoding = "7bit"
    /// The size in octets, encoded. Some servers send a wrong one, so it proves nothing.
    public var size: UInt64?
    public var lines: UInt64?
    public var md5: [UInt8]?
    public var disposition: BodyDisposition?
    public var languages: [String] = []
    public var location: [UInt8]?
    /// The envelope of the message inside a `message/rfc822`.
    public var envelope: Envelope?

    public init(section: String, parent: Int? = nil, type: String, subtype: String) {
        self.section = section
        self.parent = parent
        self.type = type
        self.subtype = subtype
    }

    /// The first parameter of this name, given in lower case.
    public func parameter(_ name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }

    /// The file name of the part: from the disposition, otherwise from the content type. It is not decoded.
    public var fileName: [UInt8]? {
        disposition?.parameters.first { $0.name == "filename" }?.value ?? parameter("name")
    }

    var isMessage: Bool { type == "message" && (subtype == "rfc822" || subtype == "global") }
}

/// A parameter such as `charset=utf-8`; the value is unchanged.
public struct BodyParameter: Equatable, Sendable {
    /// Lower case.
    public var name: String
    public var value: [UInt8]

    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// Content-Disposition. RFC 2183.
public struct BodyDisposition: Equatable, Sendable {
    /// Lower case: `attachment`.
    public var type: String
    public var parameters: [BodyParameter]

    public init(type: String, parameters: [BodyParameter] = []) {
        self.type = type
        self.parameters = parameters
    }
}
