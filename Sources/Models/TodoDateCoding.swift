/// `DUE` and `DTSTART` as one string of JSON: `2026-03-31`, `2026-03-31T15:00:00Z`, `2026-03-31T17:00:00`, or with a
/// zone `2026-03-31T17:00:00[Europe/Paris]` (the suffix of RFC 9557).
extension TodoDate {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let date = TodoDate(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(text) is not a date"))
        }
        self = date
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    public var text: String {
        switch self {
        case .date(let day): day.description
        case .instant(let time): time.rfc3339
        case .local(let local, let zone): "\(local.date)T\(local.clock)" + (zone.map { "[\($0)]" } ?? "")
        }
    }

    /// Reads the form of ``text``.
    public init?(_ text: String) {
        if let day = CalendarDate(text) {
            self = .date(day)
        } else if let time = Timestamp(rfc3339: text) {
            self = .instant(time)
        } else {
            let parts = text.split(separator: "[", maxSplits: 1, omittingEmptySubsequences: false)
            let zone = parts.count == 2 && parts[1].last == "]" ? String(parts[1].dropLast()) : nil
            guard parts.count == 1 || zone != nil, let reading = Timestamp(rfc3339: parts[0] + "Z") else {
                return nil
            }
            self = .local(LocalDateTime(secondsSinceEpoch: reading.seconds), zone: zone)
        }
    }
}
