public import Models

/// The `Date` field, by RFC 5322 §3.3 and the obsolete forms of §4.3, as real programs write it.
///
/// The weekday is not believed, two-digit years are taken as the RFC says, missing seconds are none, zones may
/// be names. What gives no day, month and year is no date.
public enum MailDate {
    public static func read(_ body: ArraySlice<UInt8>) -> Timestamp? {
        var reader = DateReader()
        for token in tokens(of: body) { reader.take(token) }
        return reader.timestamp
    }

    public static func read(_ text: String) -> Timestamp? { read(Array(text.utf8)[...]) }

    /// `Thu, 05 Mar 2026 10:00:00 +0100`. RFC 5322 §3.3.
    public static func write(_ time: Timestamp, offsetSeconds: Int = 0) -> String {
        let minutes = offsetSeconds / 60
        let local = LocalDateTime(secondsSinceEpoch: time.seconds + Int64(minutes * 60))
        let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][(local.date.weekday - 1) % 7]
        let month = months[(local.date.month - 1) % 12]
        let zone = (minutes < 0 ? "-" : "+") + padded(abs(minutes) / 60, 2) + padded(abs(minutes) % 60, 2)
        return "\(weekday), \(padded(local.date.day, 2)) \(month) \(padded(local.date.year, 4)) "
            + "\(local.clock) \(zone)"
    }

    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Words between blanks and commas, without comments. A date has few.
    private static func tokens(of body: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let body = body.prefix(512)
        var tokens: [ArraySlice<UInt8>] = []
        var index = body.startIndex
        while index < body.endIndex, tokens.count < 16 {
            let byte = body[index]
            if byte == ASCII.leftParenthesis {
                index = Comment.end(body, from: index)
            } else if byte.isBlank || byte == ASCII.comma || byte == ASCII.quote {
                index += 1
            } else {
                let start = index
                while index < body.endIndex, !body[index].isBlank, body[index] != ASCII.comma,
                    body[index] != ASCII.leftParenthesis, body[index] != ASCII.quote
                {
                    index += 1
                }
                tokens.append(body[start..<index])
            }
        }
        return tokens
    }
}

/// Takes the words of a date one by one and keeps what each of them says.
private struct DateReader {
    private var day: Int?
    private var month: Int?
    private var year: Int?
    private var secondOfDay: Int?
    private var offset: Int?
    private var isBroken = false

    var timestamp: Timestamp? {
        guard !isBroken, let day, let month, let year,
            let date = CalendarDate(year: year, month: month, day: day)
        else { return nil }
        return Timestamp(seconds: date.daysSinceEpoch * 86_400 + Int64(secondOfDay ?? 0) - Int64(offset ?? 0))
    }

    mutating func take(_ token: ArraySlice<UInt8>) {
        guard let first = token.first else { return }
        if token.contains(ASCII.colon), first.isDigit {
            takeTimeOrStamp(token)
        } else if token.allSatisfy(\.isDigit) {
            takeNumber(token)
        } else if first == UInt8(ascii: "+") || first == ASCII.hyphen {
            takeOffset(token)
        } else if first.isDigit {
            takeJoined(token)
        } else if first.isLetter {
            takeName(token)
        }
    }

    private mutating func takeNumber(_ token: ArraySlice<UInt8>) {
        guard let number = Self.number(token) else { return }
        if day == nil, token.count <= 2 {
            day = number
        } else if year == nil, month != nil {
            setYear(number, digits: token.count)
        }
    }

    /// RFC 5322 §4.3: 00–49 are of this century, 50–99 and three digits count from 1900.
    private mutating func setYear(_ number: Int, digits: Int) {
        switch digits {
        case 1, 2: year = number < 50 ? 2_000 + number : 1_900 + number
        case 3: year = 1_900 + number
        case _: year = number
        }
    }

    /// `10:00`, `10:00:00`, `10:00:00.123`, or `2026-03-05T10:00:00Z` as a whole.
    private mutating func takeTimeOrStamp(_ token: ArraySlice<UInt8>) {
        if let stamp = Timestamp(rfc3339: token.text) {
            let local = LocalDateTime(secondsSinceEpoch: stamp.seconds)
            (day, month, year) = (local.date.day, local.date.month, local.date.year)
            (secondOfDay, offset) = (local.secondOfDay, 0)
            return
        }
        guard secondOfDay == nil else { return }
        var rest = token
        // The zone may be glued to the time: `10:00:00+0100`, `10:00:00Z`.
        if let zone = rest.firstIndex(where: { !$0.isDigit && $0 != ASCII.colon && $0 != ASCII.dot }) {
            let glued = rest[zone...]
            rest = rest[..<zone]
            if glued.first?.isLetter ?? false { takeName(glued) } else { takeOffset(glued) }
        }
        let fields = rest.split(separator: ASCII.colon).map { $0.prefix { $0 != ASCII.dot } }.map(Self.number)
        guard fields.count >= 2, let hour = fields[0], let minute = fields[1], hour < 24, minute < 60 else {
            isBroken = true
            return
        }
        let second = fields.count > 2 ? fields[2] ?? 0 : 0
        guard second <= 60 else {
            isBroken = true
            return
        }
        secondOfDay = hour * 3_600 + minute * 60 + second
    }

    /// `+0100`, `-05:30`, `+1`. Beyond what the earth has, it says nothing.
    private mutating func takeOffset(_ token: ArraySlice<UInt8>) {
        let digits = token.dropFirst().filter(\.isDigit)[...]
        guard offset == nil, let number = Self.number(digits) else { return }
        let hours = digits.count <= 2 ? number : number / 100
        let minutes = digits.count <= 2 ? 0 : number % 100
        guard hours <= 14, minutes < 60 else { return }
        let value = hours * 3_600 + minutes * 60
        offset = token.first == ASCII.hyphen ? -value : value
    }

    /// `05-Mar-2026`, `5th`, `2026-03-05`.
    private mutating func takeJoined(_ token: ArraySlice<UInt8>) {
        let pieces = token.split(whereSeparator: {
            $0 == ASCII.hyphen || $0 == ASCII.slash || $0 == ASCII.dot
        })
        if pieces.count == 3, pieces[0].count == 4, let isoMonth = Self.number(pieces[1]) {
            (year, month, day) = (Self.number(pieces[0]), isoMonth, Self.number(pieces[2]))
        } else if pieces.count == 3 {
            for piece in pieces { take(piece) }
        } else if day == nil {
            takeNumber(token.prefix(while: \.isDigit))
        }
    }

    private mutating func takeName(_ token: ArraySlice<UInt8>) {
        if month == nil, token.count >= 3,
            let found = MailDate.months.firstIndex(where: {
                $0.utf8.map(\.lowercasedASCII).elementsEqual(token.prefix(3).map(\.lowercasedASCII))
            }), token.allSatisfy({ $0.isLetter || $0 == ASCII.dot })
        {
            month = found + 1
            return
        }
        if token.isWord("pm"), let time = secondOfDay, time < 43_200 { secondOfDay = time + 43_200 }
        if token.isWord("am"), let time = secondOfDay, time >= 43_200 { secondOfDay = time - 43_200 }
        // `GMT+0100`: the number counts.
        if let sign = token.firstIndex(where: { $0 == UInt8(ascii: "+") || $0 == ASCII.hyphen }),
            token[(sign + 1)...].first?.isDigit ?? false
        {
            takeOffset(token[sign...])
        } else if secondOfDay != nil, offset == nil {
            offset = Self.zones.first { token.isWord($0.0) }.map { $0.1 * 60 }
        }
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 6, digits.allSatisfy(\.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Minutes east. RFC 5322 §4.3; other names and the military letters say nothing and count as UTC.
    private static let zones: [(StaticString, Int)] = [
        ("gmt", 0), ("ut", 0), ("utc", 0), ("z", 0), ("est", -300), ("edt", -240), ("cst", -360),
        ("cdt", -300), ("mst", -420), ("mdt", -360), ("pst", -480), ("pdt", -420), ("akst", -540),
        ("akdt", -480), ("hst", -600), ("wet", 0), ("west", 60), ("bst", 60), ("cet", 60), ("met", 60),
        ("cest", 120), ("mest", 120), ("eet", 120), ("eest", 180), ("msk", 180), ("jst", 540), ("kst", 540),
        ("aest", 600), ("aedt", 660), ("nzst", 720), ("nzdt", 780),
    ]
}
