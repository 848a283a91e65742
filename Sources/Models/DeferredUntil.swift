/// When a deferred message comes back: at a time, or someday, which is when the user says so or an answer comes.
public enum DeferredUntil: Hashable, Sendable {
    case time(Timestamp)
    case someday

    /// nil: it has no date.
    public var time: Timestamp? {
        switch self {
        case .time(let time): time
        case .someday: nil
        }
    }

    /// Whether its time has come.
    public func isOver(at now: Timestamp) -> Bool { time.map { $0 <= now } ?? false }

    /// RFC 3339, or `someday`: as documents and the journal write it.
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

    /// The word that people write instead of a date.
    public static let somedayWord = "someday"
}

/// One text, so that a time reads as it did before there was `someday`.
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
