/// What BODYSTRUCTURE or BODY says of a message's parts, as a flat list in the order of the message.
///
/// The section numbers are our own, counted as RFC 3501 §6.4.5 does, so that a part can be fetched by them.
/// Servers read MIME worse than we do: compare with our own parse wherever the whole message is at hand.
/// RFC 3501 §7.4.2.
public struct BodyStructure: Equatable, Sendable {
    /// Never empty; the first is the message itself.
    public internal(set) var parts: [BodyPart]

    public init(parts: [BodyPart]) { self.parts = parts }

    /// The part that carries that number and has content of its own; a multipart inside a message shares its
    /// number with the message and is not found by it.
    public func part(section: String) -> BodyPart? { parts.first { $0.section == section } }

    /// The parts that hold readable text: `text/*` that is not an attachment, in order.
    public var textParts: [BodyPart] {
        parts.filter { $0.type == "text" && $0.disposition?.type != "attachment" }
    }

    /// The parts without children: what is fetched by its section.
    public var leaves: [BodyPart] { parts.filter { $0.children.isEmpty && $0.type != "multipart" } }
}

/// One part of a message as its server describes it.
public struct BodyPart: Equatable, Sendable {
    /// `1.2`; empty for a multipart that is the message itself.
    public var section: String
    /// Where the part's parent and children are in ``BodyStructure/parts``.
    public var parent: Int?
    public var children: [Int] = []
    /// Lower case: `text`, `multipart`; empty where the server left it out.
    public var type: String
    /// Lower case: `plain`.
    public var subtype: String
    public var parameters: [BodyParameter] = []
    /// With its angle brackets.
    public var contentID: [UInt8]?
    public var description: [UInt8]?
    /// Lower case: `base64`; `7bit` where the server says nothing.
    public var encoding = "7bit"
    /// In its encoding, in octets. Never proof of anything.
    public var size: UInt64?
    public var lines: UInt64?
    public var md5: [UInt8]?
    public var disposition: BodyDisposition?
    public var languages: [String] = []
    public var location: [UInt8]?
    /// Of the message inside a `message/rfc822`.
    public var envelope: Envelope?

    public init(section: String, parent: Int? = nil, type: String, subtype: String) {
        self.section = section
        self.parent = parent
        self.type = type
        self.subtype = subtype
    }

    /// The first parameter of that name, which is compared in lower case.
    public func parameter(_ name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }

    /// The name that the part's file was given: of the disposition, else of the content type. Not decoded.
    public var fileName: [UInt8]? {
        disposition?.parameters.first { $0.name == "filename" }?.value ?? parameter("name")
    }

    var isMessage: Bool { type == "message" && (subtype == "rfc822" || subtype == "global") }
}

/// `charset=utf-8`, its value as it came.
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
