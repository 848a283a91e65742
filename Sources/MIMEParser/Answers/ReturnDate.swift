import Models

/// The last day of an absence according to an out-of-office reply.
///
/// A date counts only in a sentence about the absence or the return, and the first such sentence decides. Dates that
/// can be read in two ways, have passed, or are more than a year ahead do not count.
struct ReturnDate {
    /// The number of characters to read. The absence is at the top of the text.
    static let textLimit = 4_000

    private let tokens: [ReturnToken]
    private let meanings: [ReturnMeaning]
    private let isOfAbsence: Bool
    private let dates: [DateFinder.Found]
    private let day: CalendarDate

    init(_ text: String, day: CalendarDate) {
        self.day = day
        tokens = ReturnToken.all(of: String(text.prefix(Self.textLimit)).lowercased())
        let read = ReturnMeanings(tokens)
        meanings = read.tokens
        isOfAbsence = read.isOfAbsence
        dates = DateFinder(tokens: tokens, day: day, order: read.order).all()
    }

    /// nil: the text names no date.
    var value: CalendarDate? {
        guard isOfAbsence else { return nil }
        for sentence in sentences {
            if let date = date(in: sentence) { return date }
        }
        return nil
    }

    // MARK: Sentences

    private var sentences: [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        let inDates = dates.reduce(into: Set<Int>()) { $0.formUnion($1.tokens) }
        for index in tokens.indices where !inDates.contains(index) && endsSentence(index) {
            if start < index { ranges.append(start..<index) }
            start = index + 1
        }
        if start < tokens.count { ranges.append(start..<tokens.count) }
        return ranges
    }

    private func endsSentence(_ index: Int) -> Bool {
        switch tokens[index].kind {
        case .gap: return true
        case .mark(let mark):
            // The dot of `14.` does not end a sentence.
            if mark == "." { return index == 0 || tokens[index - 1].number == nil }
            return "!?。！？;".contains(mark)
        case .word, .number: return false
        }
    }

    private func date(in sentence: Range<Int>) -> CalendarDate? {
        let found = dates.filter { sentence.contains($0.tokens.lowerBound) }
        let all = sentence.reduce(into: ReturnMeaning()) { $0.formUnion(meanings[$1]) }
        if found.isEmpty { return weekday(in: sentence, all) }
        if let last = found.first(where: { isLastDay($0, in: sentence) }) { return last.date }
        if all.contains(.back), let back = sentence.first(where: { meanings[$0].contains(.back) }) {
            return (found.first { $0.tokens.lowerBound > back } ?? found.last)?.date
        }
        guard all.contains(.away) else { return nil }
        return found.last { !isFirstDay($0, in: sentence) }?.date
    }

    // MARK: Days

    /// Behind `until`, with at most a few words between, or in front of a word that means it.
    private func isLastDay(_ found: DateFinder.Found, in sentence: Range<Int>) -> Bool {
        let end = found.tokens.upperBound
        let behind = (end..<min(end + 3, sentence.upperBound)).contains {
            meanings[$0].contains(.untilBehind)
        }
        return behind || before(found, in: sentence).contains { meanings[$0].contains(.until) }
    }

    /// Behind `from`, and not the second of two days.
    private func isFirstDay(_ found: DateFinder.Found, in sentence: Range<Int>) -> Bool {
        if found.isRange { return false }
        let before = before(found, in: sentence)
        if let last = before.last, meanings[last].contains(.to) || isDash(last) { return false }
        return before.contains { meanings[$0].contains(.since) }
    }

    private func isDash(_ index: Int) -> Bool { tokens[index].mark.map { "-–—~〜～".contains($0) } ?? false }

    /// The few tokens in front of a date, not beyond the date before it.
    private func before(_ found: DateFinder.Found, in sentence: Range<Int>) -> Range<Int> {
        let start = found.tokens.lowerBound
        let previous = dates.last { $0.tokens.upperBound <= start }?.tokens.upperBound ?? 0
        return max(sentence.lowerBound, previous, start - 6)..<start
    }

    /// `back on Monday`, `until Friday`, `zurück morgen`: the next such day, where the word for it is near.
    private func weekday(in sentence: Range<Int>, _ all: ReturnMeaning) -> CalendarDate? {
        let cues: ReturnMeaning = [.back, .until, .untilBehind]
        guard !all.isDisjoint(with: cues) else { return nil }
        for index in sentence {
            guard let word = tokens[index].word else { continue }
            let isTomorrow = meanings[index].contains(.tomorrow)
            let weekday = isTomorrow ? nil : ReturnLexicon.standard.weekday(word)
            guard isTomorrow || weekday != nil, isNear(index, cues, in: sentence) else { continue }
            return weekday.map { day.adding(days: ($0 - day.weekday + 6) % 7 + 1) } ?? day.adding(days: 1)
        }
        return nil
    }

    private func isNear(_ index: Int, _ cues: ReturnMeaning, in sentence: Range<Int>) -> Bool {
        (max(sentence.lowerBound, index - 6)..<min(sentence.upperBound, index + 7)).contains {
            !meanings[$0].isDisjoint(with: cues)
        }
    }
}
