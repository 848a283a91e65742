import Models

/// Reads a date in one pass and records the meaning of each number and word.
struct DateReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var comments = CommentReader()

    private var day: Int?
    private var month: Int?
    private var year: Int?
    /// Whether a month came before every number: it may have been a weekday, as in `mar, 5 mai 2026`.
    private var isMonthFirst = false
    private var clock: (hour: Int, second: Int)?
    private var isAfternoon: Bool?
    private var zone = DateZone()
    /// Whether the date is invalid or ambiguous.
    private var isBroken = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Whether the reader can use these bytes directly: ASCII without encoded words.
    static func isReadable(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 < 0x80 && $0 != ASCII.question }
    }

    mutating func read() -> (time: Timestamp, offsetSeconds: Int?)? {
        while index < bytes.endIndex, !isBroken {
            let byte = bytes[index]
            if byte.isDigit {
                readNumber()
            } else if Self.isWordByte(byte) {
                readWord()
            } else if byte == ASCII.leftParenthesis {
                readComment()
            } else if byte == ASCII.hyphen || byte == UInt8(ascii: "+"), isDigit(at: index + 1),
                isGlued ? clock != nil && year != nil : clock != nil || year != nil
            {
                readOffset()
            } else {
                index += 1
            }
        }
        guard !isBroken, let day, let month, let year,
            let date = CalendarDate(year: year, month: month, day: day)
        else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + Int64(secondOfDay - (zone.offset ?? 0))
        return (Timestamp(seconds: seconds), zone.offset)
    }

    private var secondOfDay: Int {
        guard let clock else { return 0 }
        guard let isAfternoon, (1...12).contains(clock.hour) else { return clock.hour * 3_600 + clock.second }
        return (clock.hour % 12 + (isAfternoon ? 12 : 0)) * 3_600 + clock.second
    }

    // MARK: Bytes

    private static func isWordByte(_ byte: UInt8) -> Bool { byte.isLetter || byte >= 0x80 }

    private func byte(at place: Int) -> UInt8 { place < bytes.endIndex ? bytes[place] : 0 }

    private func isDigit(at place: Int) -> Bool { byte(at: place).isDigit }

    /// Whether the byte before belongs to a word or number.
    private var isGlued: Bool {
        guard index > bytes.startIndex else { return false }
        let before = bytes[index - 1]
        return before.isDigit || Self.isWordByte(before)
    }

    private mutating func skipBlanks() {
        while index < bytes.endIndex, bytes[index].isBlank { index += 1 }
    }

    /// A run of digits; what no date has is 0 of many digits.
    private mutating func digits() -> (value: Int, count: Int) {
        let start = index
        var value = 0
        while isDigit(at: index) {
            if index - start < 9 { value = value * 10 + Int(bytes[index] - 0x30) }
            index += 1
        }
        return (value, index - start)
    }

    // MARK: Numbers

    private mutating func readNumber() {
        let number = digits()
        let next = byte(at: index)
        switch next {
        case ASCII.colon:
            // `05/Mar/2026:10:00:00`
            if number.count == 4, month != nil, year == nil {
                year = number.value
                index += 1
            } else if clock == nil {
                readClock(hour: number)
            }
        case ASCII.hyphen, ASCII.slash, ASCII.dot:
            if isDigit(at: index + 1) { readNumbers(number, separator: next) } else { take(number) }
        case _ where number.count == 8 && next | 0x20 == UInt8(ascii: "t") && isDigit(at: index + 1):
            set(year: number.value / 10_000, month: number.value / 100 % 100, day: number.value % 100)
            index += 1
            let time = digits()
            setClock(hour: time.value / 10_000, minute: time.value / 100 % 100, second: time.value % 100)
            isBroken = isBroken || time.count != 6
        case _:
            if next < 0x80 || !readMarked(number.value) { take(number) }
        }
    }

    private mutating func take(_ number: (value: Int, count: Int)) {
        switch number.count {
        case 1, 2:
            if day == nil {
                day = number.value
            } else if year == nil, month != nil {
                // RFC 5322 §4.3: 00–49 are of this century, 50–99 and three digits count from 1900.
                year = number.value < 50 ? 2_000 + number.value : 1_900 + number.value
            }
        case 3: if day != nil, month != nil, year == nil { year = 1_900 + number.value }
        case 4: if year == nil { year = number.value }
        case _: break
        }
    }

    /// `2026-03-05`, `05.03.2026`, `10.00.00`: numbers joined by one sign.
    private mutating func readNumbers(_ first: (value: Int, count: Int), separator: UInt8) {
        index += 1
        let second = digits()
        let third: (value: Int, count: Int)
        if byte(at: index) == separator, isDigit(at: index + 1) {
            index += 1
            third = digits()
        } else {
            third = (0, 0)
        }
        let isClock = separator == ASCII.dot && month != nil && clock == nil && second.count == 2
        if first.count <= 2, third.count <= 2, isClock {
            setClock(hour: first.value, minute: second.value, second: third.value)
        } else if third.count > 0, day == nil {
            readDate(first, second.value, third, separator: separator)
        }
    }

    /// With dots the day comes first everywhere; with other signs it depends on the country, and only a number
    /// above 12 tells. A year of two digits could be any of the three.
    private mutating func readDate(
        _ first: (value: Int, count: Int), _ second: Int, _ third: (value: Int, count: Int), separator: UInt8
    ) {
        if first.count == 4 {
            set(year: first.value, month: second, day: third.value)
            if byte(at: index) | 0x20 == UInt8(ascii: "t"), isDigit(at: index + 1) { index += 1 }
        } else if third.count != 4 {
            isBroken = true
        } else if separator == ASCII.dot || first.value > 12 || first.value == second {
            set(year: third.value, month: second, day: first.value)
        } else if second > 12 {
            set(year: third.value, month: first.value, day: second)
        } else {
            isBroken = true
        }
    }

    private mutating func set(year: Int, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        isMonthFirst = false
    }

    /// `2026年3月5日`, `2026년 3월 5일`.
    private mutating func readMarked(_ value: Int) -> Bool {
        let rest = bytes[index...]
        if rest.hasPrefix("年") || rest.hasPrefix("년") {
            year = value
        } else if rest.hasPrefix("月") || rest.hasPrefix("월") {
            month = value
        } else if rest.hasPrefix("日") || rest.hasPrefix("일") {
            day = value
        } else {
            return false
        }
        index += 3
        return true
    }

    // MARK: Time

    /// `10:00`, `10:00:00`, `9: 5: 3`, `10:00:00.123`, with or without a zone glued to it.
    private mutating func readClock(hour: (value: Int, count: Int)) {
        index += 1
        skipBlanks()
        let minute = digits()
        var second = (value: 0, count: 1)
        if byte(at: index) == ASCII.colon {
            index += 1
            skipBlanks()
            second = digits()
        }
        isBroken = hour.count > 2 || minute.count == 0 || minute.count > 2 || second.count > 2
        setClock(hour: hour.value, minute: minute.value, second: second.value)
        let isFraction =
            byte(at: index) == ASCII.dot || byte(at: index) == ASCII.colon
            || (byte(at: index) == ASCII.comma && isDigit(at: index + 2) && isDigit(at: index + 3))
        if isFraction, isDigit(at: index + 1) {
            index += 1
            _ = digits()
        }
        if byte(at: index) == ASCII.hyphen || byte(at: index) == UInt8(ascii: "+") { readOffset() }
    }

    /// `24:00` ends a day, and a leap second ends a minute; both are the beginning of the next.
    private mutating func setClock(hour: Int, minute: Int, second: Int) {
        guard hour < 24 || (hour == 24 && minute == 0 && second == 0), minute < 60, second <= 60 else {
            isBroken = true
            return
        }
        clock = (hour, minute * 60 + second)
    }

    /// `+0100`, `-05:30`, `+1`. Beyond what the earth has, it says nothing.
    private mutating func readOffset() {
        let isWest = bytes[index] == ASCII.hyphen
        index += 1
        guard isDigit(at: index) else { return }
        var number = digits()
        let sign = byte(at: index)
        if number.count <= 2, sign == ASCII.colon || sign == ASCII.dot, isDigit(at: index + 1) {
            index += 1
            number = (number.value * 100 + digits().value, 4)
        }
        zone.take(number: number.count <= 2 ? number.value * 100 : number.value, isWest: isWest)
    }

    // MARK: Words

    private mutating func readWord() {
        let start = index
        while index < bytes.endIndex, Self.isWordByte(bytes[index]) { index += 1 }
        let word = bytes[start..<index]
        if clock == nil, month == nil || isMonthFirst, let found = MonthName.month(of: word) {
            isMonthFirst = day == nil && year == nil
            month = found
        } else if readMonthAfterTime(word) || readHalfOfDay(word) {
            return
        } else if clock != nil {
            let isZone = zone.take(name: word)
            // `GMT+1`: the number counts.
            let sign = byte(at: index)
            if isZone, sign == ASCII.hyphen || sign == UInt8(ascii: "+") { readOffset() }
        }
    }

    /// `10:00:00 5 Mar 2026`
    private mutating func readMonthAfterTime(_ word: ArraySlice<UInt8>) -> Bool {
        guard month == nil, let found = MonthName.month(of: word) else { return false }
        month = found
        return true
    }

    /// `AM`, `p.m.`, `下午`
    private mutating func readHalfOfDay(_ word: ArraySlice<UInt8>) -> Bool {
        if let half = Self.halves.first(where: { word.isWord($0.word) }), half.isBeforeTime || clock != nil {
            isAfternoon = half.isAfternoon
            return true
        }
        guard clock != nil, word.isWord("a") || word.isWord("p"), byte(at: index) == ASCII.dot else {
            return false
        }
        let dot = index
        index += 1
        skipBlanks()
        guard byte(at: index) | 0x20 == UInt8(ascii: "m"), !byte(at: index + 1).isLetter else {
            index = dot
            return false
        }
        index += 1
        isAfternoon = word.isWord("p")
        return true
    }

    private static let halves: [(word: StaticString, isAfternoon: Bool, isBeforeTime: Bool)] = [
        ("am", false, false), ("pm", true, false), ("上午", false, true), ("下午", true, true),
        ("午前", false, true), ("午後", true, true), ("오전", false, true), ("오후", true, true),
    ]

    /// A comment may name the zone that the field forgot: `10:00:00 (CET)`.
    private mutating func readComment() {
        guard let end = comments.end(bytes, from: index) else {
            index += 1
            return
        }
        if clock != nil { zone.take(comment: bytes[(index + 1)..<(end - 1)].trimmed) }
        index = end
    }
}
