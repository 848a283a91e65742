import Models

/// The JSON form of a description: its keys, and errors with their place.
///
/// An address is `"Ana <ana@example.org>"` or `{"name": "Ana", "address": "ana@example.org"}`; the zone of the date is
/// the sender's zone; bytes are `"base64"` or `"text"`.
extension ComposeDescription: Decodable {
    private enum Key: String, CodingKey, CaseIterable {
        case from, sender, replyTo, to, cc, bcc, subject, date, messageID, seed, inReplyTo, references
        case autoSubmitted, headers, text, html, flowed, inline, attachments, messages, draft
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.strictContainer(Key.self)
        func list<Value: Decodable>(_ key: Key, of type: Value.Type) throws -> [Value] {
            try values.decodeIfPresent([Value].self, forKey: key) ?? []
        }
        self.init(from: try values.decode(Mailbox.self, forKey: .from).address)
        sender = try values.decodeIfPresent(Mailbox.self, forKey: .sender)?.address
        replyTo = try list(.replyTo, of: Mailbox.self).map(\.address)
        to = try list(.to, of: Mailbox.self).map(\.address)
        cc = try list(.cc, of: Mailbox.self).map(\.address)
        bcc = try list(.bcc, of: Mailbox.self).map(\.address)
        subject = try values.decodeIfPresent(String.self, forKey: .subject) ?? ""
        if let moment = try values.decodeIfPresent(Moment.self, forKey: .date) {
            (date, zoneOffsetSeconds) = (moment.time, moment.offset)
        }
        messageID = try values.decodeIfPresent(BareID.self, forKey: .messageID)?.id
        seed = try values.decodeIfPresent(String.self, forKey: .seed) ?? ""
        inReplyTo = try values.decodeIfPresent(BareID.self, forKey: .inReplyTo)?.id
        references = try list(.references, of: BareID.self).map(\.id)
        autoSubmitted = try values.decodeIfPresent(
            MessageBuilder.AutoSubmitted.self, forKey: .autoSubmitted)
        headers = try list(.headers, of: Field.self).map(\.field)
        text = try values.decodeIfPresent(String.self, forKey: .text) ?? ""
        html = try values.decodeIfPresent(String.self, forKey: .html)
        isFlowed = try values.decodeIfPresent(Bool.self, forKey: .flowed) ?? true
        inline = try list(.inline, of: File.self)
        attachments = try list(.attachments, of: File.self)
        messages = try list(.messages, of: Content.self)
        isDraft = try values.decodeIfPresent(Bool.self, forKey: .draft) ?? false
    }
}

extension ComposeDescription.File: Decodable {
    private enum Key: String, CodingKey, CaseIterable { case name, contentType, contentID, base64, text }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.strictContainer(Key.self)
        self.init(
            name: try values.decodeIfPresent(String.self, forKey: .name) ?? "",
            contentType: try values.decodeIfPresent(String.self, forKey: .contentType)
                ?? "application/octet-stream",
            content: .init(
                base64: try values.decodeIfPresent(String.self, forKey: .base64),
                text: try values.decodeIfPresent(String.self, forKey: .text)),
            contentID: try values.decodeIfPresent(String.self, forKey: .contentID))
    }
}

extension ComposeDescription.Content: Decodable {
    private enum Key: String, CodingKey, CaseIterable { case base64, text }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.strictContainer(Key.self)
        self.init(
            base64: try values.decodeIfPresent(String.self, forKey: .base64),
            text: try values.decodeIfPresent(String.self, forKey: .text))
    }
}

// MARK: Values

private struct Mailbox: Decodable {
    var address: EmailAddress

    private enum Key: String, CodingKey, CaseIterable { case name, address }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            let found = AddressList.read(text)
            guard let only = found.first, found.count == 1, !only.domain.isEmpty else {
                throw decoder.problem(
                    "\"\(text)\" is not one mail address: write it as Ana <ana@example.org>")
            }
            address = only
            return
        }
        let values = try decoder.strictContainer(Key.self)
        let spec = try values.decode(String.self, forKey: .address)
        let name = try values.decodeIfPresent(String.self, forKey: .name) ?? ""
        guard let read = EmailAddress(spec, displayName: name) else {
            throw decoder.problem("\"\(spec)\" is not a mail address: write it as ana@example.org")
        }
        address = read
    }
}

/// An RFC 3339 time with its zone.
private struct Moment: Decodable {
    var time: Timestamp
    var offset: Int

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let time = Timestamp(rfc3339: text), let local = Timestamp(rfc3339: text.prefix(19) + "Z")
        else {
            throw decoder.problem("\"\(text)\" is not a time: write it as 2026-03-05T10:00:00+01:00")
        }
        self.time = time
        offset = Int(local - time)
    }
}

/// A message id with or without its brackets.
private struct BareID: Decodable {
    var id: MessageID

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let isBracketed = text.utf8.first == ASCII.less && text.utf8.last == ASCII.greater
        id = MessageID(isBracketed ? String(text.dropFirst().dropLast()) : text)
    }
}

private struct Field: Decodable {
    var field: HeaderField

    private enum Key: String, CodingKey, CaseIterable { case name, body }

    init(from decoder: any Decoder) throws {
        let values = try decoder.strictContainer(Key.self)
        field = HeaderField(
            name: try values.decode(String.self, forKey: .name),
            body: try values.decode(String.self, forKey: .body))
    }
}

// MARK: Problems

extension BuilderError {
    /// What a decoder of JSON refused, with its place: `attachments[2].name`.
    public init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(
                .missing, field: Self.path(context.codingPath + [key]),
                value: "a description needs it")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            self.init(
                .badDescription, field: Self.path(context.codingPath), value: context.debugDescription)
        @unknown default:
            self.init(.badDescription, field: "", value: "the description has the wrong form")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return path + "[\(index)]" }
            return path.isEmpty ? key.stringValue : path + "." + key.stringValue
        }
    }
}

extension Decoder {
    fileprivate func problem(_ words: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: words))
    }

    /// The container, once every key of it is one that is known: a mistyped one would lose what it holds.
    fileprivate func strictContainer<Key: CodingKey & CaseIterable>(
        _ type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let known = Key.allCases.map(\.stringValue)
        let strangers = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            .filter { !known.contains($0) }
        if let stranger = strangers.sorted().first {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath + [AnyKey(stringValue: stranger)],
                    debugDescription: "no such key; there are \(known.joined(separator: ", "))"))
        }
        return try container(keyedBy: Key.self)
    }
}

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
