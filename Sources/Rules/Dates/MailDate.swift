import Models

/// Finds the date by which a mail requests something: "payable by 31 March", "échéance : 31/03/2026".
///
/// Searches only after a trigger word, never in quoted lines (`>`) or below the line that introduces a quoted
/// or forwarded mail. Phrases are relative to the mail's own date. Limited to the first 64 KiB and 2,000
/// lines.
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
        var used = 0
        var lines = 0
        for line in (text ?? "").split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            used += line.utf8.count
            lines += 1
            guard used <= 65_536, lines <= 2_000, !beginsQuote(line) else { break }
            guard line.first(where: { !$0.isWhitespace }) != ">" else { continue }
            if let date = find(inLine: String(line), clock: clock) { return date }
        }
        return nil
    }

    private static func beginsQuote(_ line: Substring) -> Bool {
        let text = line.trimmingBlanks()
        if text.hasPrefix("-----"), text.hasSuffix("-----") || text.lowercased().contains("original") {
            return true
        }
        let endings = ["wrote:", "schrieb:", "a écrit :", "a écrit:", "escribió:"]
        return text.count <= 200 && endings.contains { text.hasSuffix($0) }
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
            for length in stride(from: min(7, rest.count), through: 1, by: -1) {
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
