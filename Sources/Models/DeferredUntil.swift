/// When a deferred message comes back: at a time, or `someday`: when the user or an answer brings it back.
public enum DeferredUntil: Hashable, Sendable {
    case time(Timestamp)
    case someday

    /// nil: it is deferred until someday.
    public var time: Timestamp? {
        switch self {
        case .time(let time): time
        case .someday: nil
        }
    }

    /// Whether the message is due to come back.
    public func isOver(at now: Timestamp) -> Bool { time.map { $0 <= now } ?? false }

    /// The text in documents and in the journal: an RFC 3339 time, or `someday`.
    public var word: String {
        switch self {
        case .time(let time): time.rfc3339
        case .someday: Self.somedayWord
        }
    }

    public init?(word: String) {
        if word == Self.somedayWord {
            self = .someday
        } else if let time = Timestamp(rfc3339: word) {
            self = .time(time)
        } else {
            return nil
        }
    }

    /// The word that people write in place of a date.
    public static let somedayWord = "someday"
}

/// One string of JSON, so that a time has the same form as in versions without `someday`.
extension DeferredUntil: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = DeferredUntil(word: text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(text) is neither an RFC 3339 time nor someday"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(word)
    }
}
