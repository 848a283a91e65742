import MIMEParser
import Models

/// Finds the date by which a mail requests something: "payable by 31 March", "échéance : 31/03/2026".
///
/// Searches only after a trigger word, and only in the sender's own text: not in quotes, forwarded mail or signatures.
/// Phrases are relative to the mail's own date. Limited to the first 64 KiB and 2,000 lines.
enum MailDate {
    /// Triggers of two words are joined by a space.
    private static let triggers: Set<String> = [
        "by", "before", "due", "until", "deadline", "avant", "échéance", "echeance", "d'ici", "d’ici", "bis",
        "fällig", "faellig", "spätestens", "antes", "vence", "vencimiento",
    ]

    /// Words that may be between the trigger and its date.
    private static let fillers: Set<String> = [
        "on", "is", "the", "date", "by", "before", "until", "of", "at", "no", "later", "than", "payment",
        "le", "la", "au", "du", "de", "au", "plus", "tard", "am", "zum", "dem", "den", "der", "el", "del",
        "al",
        "día", "dia", "end", ":", "-",
    ]

    static func find(subject: String, text: String?, clock: DateClock) -> TodoDate? {
        var clock = clock
        clock.anyLanguage = true
        if let date = find(inLine: subject, clock: clock) { return date }
        let beginning = String((text ?? "").prefix(mostCharacters))
        let lines = lines(of: TextZones.ownText(of: beginning))
        for (index, line) in lines.enumerated() {
            if let date = find(inLine: line, clock: clock) { return date }
            guard index + 1 < lines.count, goesOn(in: lines[index + 1]) else { continue }
            let rest = lines[index + 1].split(maxSplits: longestPhrase, whereSeparator: \.isWhitespace)
                .prefix(longestPhrase)
            if let date = find(inLine: line + " " + rest.joined(separator: " "), clock: clock) { return date }
        }
        return nil
    }

    private static let mostCharacters = 65_536
    private static let mostLines = 2_000
    /// A shorter line was not wrapped: the next one begins something new.
    private static let shortestWrapped = 45
    /// The words of the longest date.
    private static let longestPhrase = 7

    /// The lines of a text, without the breaks that a mail program put inside a sentence.
    private static func lines(of text: String) -> [String] {
        var joined: [String] = []
        var isOpen = false
        for line in text.split(
            maxSplits: mostLines, omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .prefix(mostLines) {
            let words = line.trimmingBlanks()
            if isOpen, goesOn(in: words), !joined.isEmpty {
                joined[joined.count - 1] += " " + words
            } else {
                joined.append(String(words))
            }
            isOpen = words.count >= shortestWrapped && !(words.last.map { ".!?:;".contains($0) } ?? true)
        }
        return joined
    }

    /// Whether a sentence may continue in this line.
    private static func goesOn(in line: some StringProtocol) -> Bool {
        line.first.map { $0.isLetter || $0.isNumber } ?? false
    }

    private static func find(inLine line: String, clock: DateClock) -> TodoDate? {
        let words = line.split(maxSplits: 2_000, whereSeparator: \.isWhitespace)
            .flatMap { split(String($0)) }
        for index in words.indices {
            let word = bare(words[index].lowercased())
            guard triggers.contains(word) else { continue }
            if let date = date(in: words[(index + 1)...], clock: clock) { return date }
        }
        return nil
    }

    /// Splits `due:31/03` and `d'ici`, but never at the colon of `17:00`.
    private static func split(_ word: String) -> [String] {
        guard word.count <= 60 else { return [] }
        guard let colon = word.firstIndex(of: ":") else { return [word] }
        let (before, after) = (word[..<colon], word[word.index(after: colon)...])
        guard before.contains(where: \.isLetter), !after.isEmpty else { return [word] }
        return [String(before), String(after)]
    }

    private static func bare(_ word: String) -> String {
        var rest = word[...]
        while let last = rest.last, ".,;:!?)»\"'".contains(last), !isDottedDate(rest) {
            rest = rest.dropLast()
        }
        while let first = rest.first, "(«\"'".contains(first) { rest = rest.dropFirst() }
        return String(rest)
    }

    /// `31.3.`: the last dot is part of the date.
    private static func isDottedDate(_ word: Substring) -> Bool {
        word.last == "." && word.first?.isNumber ?? false && word.dropLast().contains(".")
    }

    private static func date(in words: ArraySlice<String>, clock: DateClock) -> TodoDate? {
        var rest = words
        for _ in 0..<4 {
            guard let word = rest.first else { return nil }
            if isWeekday(word) {
                if let date = namedDay(in: rest.dropFirst(), clock: clock) { return date }
                guard !isName(rest) else { return nil }
            }
            guard !isDistance(rest) else { return nil }
            if let date = dayAfterTime(in: rest, clock: clock) { return date }
            for length in stride(from: min(longestPhrase, rest.count), through: 1, by: -1) {
                let phrase = rest.prefix(length).map(bare).joined(separator: " ")
                // The longest phrase counts: "31 March 1999" does not mean 31 March of this year.
                guard let date = DatePhrase.resolve(phrase, clock: clock) else { continue }
                return plausible(date, phrase, clock: clock)
            }
            guard fillers.contains(bare(word.lowercased())) || bare(word).isEmpty else { return nil }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// `EOD Friday`, `5 pm on 20 March`: the time counts on that day, and `EOD` does not mean today.
    private static func dayAfterTime(in words: ArraySlice<String>, clock: DateClock) -> TodoDate? {
        guard let word = words.first, word.last != "." else { return nil }
        var rest = words.dropFirst()
        var text = bare(word.lowercased())
        if let half = rest.first.map({ bare($0.lowercased()) }), half == "am" || half == "pm" {
            text += half
            rest = rest.dropFirst()
        }
        let isTime = text.contains(":") || text.hasSuffix("am") || text.hasSuffix("pm")
        let time = text == "eod" ? clock.workdayEnd : isTime ? DateTimeOfDay.parse(text) : nil
        guard let time, case .date(let day)? = date(in: rest, clock: clock) else { return nil }
        return clock.instant(day, secondOfDay: time)
    }

    /// The date after a weekday: `Friday, 20 March 2026`. It counts, and not the next day of that name.
    private static func namedDay(in words: ArraySlice<String>, clock: DateClock) -> TodoDate? {
        let rest = words.drop { articles.contains(bare($0.lowercased())) }
        guard !isDistance(rest), rest.prefix(2).contains(where: { $0.contains(where: \.isNumber) }) else {
            return nil
        }
        for length in stride(from: min(longestPhrase, rest.count), through: 1, by: -1) {
            let phrase = rest.prefix(length).map(bare).joined(separator: " ")
            if case .date? = DatePhrase.resolve(phrase, clock: clock) {
                return DatePhrase.resolve(phrase, clock: clock).flatMap {
                    plausible($0, phrase, clock: clock)
                }
            }
        }
        return nil
    }

    private static let articles: Set<String> = ["the", "den", "dem", "le", "el", "on", "of", ""]

    private static func isWeekday(_ word: String) -> Bool {
        DateWords.weekday(bare(word.lowercased()), anyLanguage: true) != nil
    }

    /// `Sun Microsystems`, `Mon Tran`: the short form of a weekday before another word with a capital letter.
    private static func isName(_ words: ArraySlice<String>) -> Bool {
        guard let word = words.first, word.count <= 3, word.allSatisfy(\.isLetter),
            let next = words.dropFirst().first
        else { return false }
        return next.first?.isUppercase ?? false
    }

    /// `3 days`, `a week`, `3D`: `delayed by 3 days` says how long, not when. A ratio such as `1:1` is not a time either.
    private static func isDistance(_ words: ArraySlice<String>) -> Bool {
        guard let word = words.first else { return false }
        let first = bare(word.lowercased())
        let digits = first.prefix(while: \.isNumber)
        if !digits.isEmpty {
            let tail = first.dropFirst(digits.count)
            if tail.first == ":" { return tail.count == 2 }
            if !tail.isEmpty { return DateWords.unit(String(tail)) != nil }
        } else if !["a", "an", "one"].contains(first) {
            return false
        }
        let next = words.dropFirst().prefix(2).map { bare($0.lowercased()) }
        return next.first.map { DateWords.unit($0) != nil || $0 == "business" || $0 == "working" } ?? false
    }

    /// Whether the date is between two months before the mail and three years after it.
    private static func plausible(_ date: TodoDate, _ phrase: String, clock: DateClock) -> TodoDate? {
        let day: CalendarDate
        switch date {
        case .date(let found): day = found
        case .instant(let time): day = clock.zone.local(time).date
        case .local(let reading, zone: _): day = reading.date
        }
        let distance = day.daysSinceEpoch - clock.today.daysSinceEpoch
        guard (-60...1_100).contains(distance) else { return nil }
        // "due 1 March" in a mail of 10 March means the past day, not next year's.
        if distance > 305, case .date = date, !phrase.contains(String(day.year)),
            let past = CalendarDate(year: day.year - 1, month: day.month, day: day.day),
            clock.today.daysSinceEpoch - past.daysSinceEpoch <= 60
        {
            return .date(past)
        }
        return date
    }
}
