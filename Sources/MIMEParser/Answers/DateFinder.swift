import Models

/// Finds the dates in an out-of-office reply: `14 March`, `14.03.`, `2026-03-14`, `3月14日`.
///
/// At most one date begins at each token, and a date has at most eight tokens, so the search takes linear time.
struct DateFinder {
    struct Found {
        let tokens: Range<Int>
        let date: CalendarDate
        /// `March 3–14`: the date is the second one.
        var isRange = false
    }

    /// The most days ahead for a date without a year. It is less than a year, so that a day that has just passed does
    /// not count as a day of the next year.
    private static let reach = 300
    /// The most days ahead for any date.
    private static let farthest = 366
    /// `03/04` can be two dates. One of them counts if it is at most this many days ahead, and the other has passed or
    /// is farther away.
    private static let near = 120

    let tokens: [ReturnToken]
    /// The day of the message. Earlier dates have passed.
    let day: CalendarDate
    let order: ReturnWords.NumberOrder?

    func all() -> [Found] {
        var found: [Found] = []
        var index = 0
        while index < tokens.count {
            if let (end, date) = date(at: index) {
                if let date {
                    let isRange = tokens[index..<end].contains { $0.mark.map(Self.dashes.contains) ?? false }
                    found.append(
                        Found(tokens: index..<end, date: date, isRange: isRange && tokens[index].word != nil))
                }
                index = end
            } else {
                index += 1
            }
        }
        return found
    }

    /// The date that begins at this token, and its end. The date is nil if it has passed or can be read in two ways.
    private func date(at index: Int) -> (end: Int, date: CalendarDate?)? {
        guard index < tokens.count else { return nil }
        if let (value, digits) = tokens[index].number {
            return digits == 4
                ? yearFirst(value, at: index)
                : digits <= 2
                    ? named(value, at: index) ?? eastAsian(value, at: index) ?? numeric(value, at: index)
                    : nil
        }
        guard let month = month(at: index) else { return nil }
        return monthFirst(month, at: index)
    }

    // MARK: Forms

    /// `2026-03-14`, `2026. 3. 14.`, `2026年3月14日`, `2026. március 14`.
    private func yearFirst(_ year: Int, at start: Int) -> (end: Int, date: CalendarDate?)? {
        guard (1990...2100).contains(year), start + 1 < tokens.count else { return nil }
        if begins(start + 1, with: ["年", "년"]) {
            guard let month = short(start + 2) else { return nil }
            return eastAsian(month, at: start + 2, year: year)
        }
        guard let mark = tokens[start + 1].mark, Self.separators.contains(mark) else { return nil }
        if let month = month(at: start + 2) { return monthFirst(month, at: start + 2, year: year) }
        guard let month = short(start + 2), isMark(mark, start + 3), let day = short(start + 4) else {
            return nil
        }
        let end = mark == "." && isMark(".", start + 5) ? start + 6 : start + 5
        return (end, checked(year: year, month: month, day: day))
    }

    /// `3月14日`, `3월 14일`.
    private func eastAsian(_ month: Int, at start: Int, year: Int? = nil) -> (end: Int, date: CalendarDate?)?
    {
        guard begins(start + 1, with: ["月", "월"]), let day = short(start + 2),
            begins(start + 3, with: ["日", "号", "號", "일"])
        else { return nil }
        // One word is both the sign of the day and the end of the absence: 日まで.
        return (start + 3, checked(year: year, month: month, day: day))
    }

    /// `14 March`, `14th of March 2026`, `14. März`, `1er avril`, `14 de marzo de 2026`.
    private func named(_ day: Int, at start: Int) -> (end: Int, date: CalendarDate?)? {
        var index = start + 1
        if isMark(".", index) { index += 1 }
        if index < tokens.count, let word = tokens[index].word, tokens[index].isJoined,
            Self.ordinals.contains(word)
        {
            index += 1
        }
        if index < tokens.count, let word = tokens[index].word, Self.links.contains(word) { index += 1 }
        guard let month = month(at: index) else { return nil }
        let (end, year) = year(after: index + 1)
        return (end, checked(year: year, month: month, day: day))
    }

    /// `March 14`, `March 14th, 2026`, `March 3–14`.
    private func monthFirst(_ month: Int, at start: Int, year: Int? = nil) -> (end: Int, date: CalendarDate?)?
    {
        var index = start + 1
        if isMark(".", index) { index += 1 }
        guard var day = short(index) else { return nil }
        index = afterOrdinal(index + 1)
        if index + 1 < tokens.count, let mark = tokens[index].mark, Self.dashes.contains(mark),
            let last = short(index + 1)
        {
            day = last
            index = afterOrdinal(index + 2)
        }
        if let year { return (index, checked(year: year, month: month, day: day)) }
        let (end, later) = self.year(after: index)
        return (end, checked(year: later, month: month, day: day))
    }

    /// `14.03.`, `14.03.2026`, `14/3/26`, `14-03-2026`.
    private func numeric(_ first: Int, at start: Int) -> (end: Int, date: CalendarDate?)? {
        if start > 0, tokens[start].isJoined, let mark = tokens[start - 1].mark,
            Self.separators.contains(mark)
        {
            return nil
        }
        guard start + 2 < tokens.count, let mark = tokens[start + 1].mark, Self.separators.contains(mark),
            tokens[start + 1].isJoined, let second = short(start + 2),
            tokens[start + 2].isJoined || mark == "."
        else { return nil }
        var end = start + 3
        var year: Int?
        if isMark(mark, end) {
            if let (value, digits) = number(end + 1), digits == 4 || (digits == 2 && tokens[end + 1].isJoined)
            {
                year = digits == 2 ? 2_000 + value : value
                end += 2
            } else if mark == "." {
                end += 1
            }
        }
        let hasFullStop = end == start + 4
        switch mark {
        case ".":
            guard year != nil || hasFullStop || tokens[start + 2].number?.digits == 2 else { return nil }
            return (
                end,
                order == .monthFirst
                    ? checked(year: year, month: first, day: second)
                    : checked(year: year, month: second, day: first)
            )
        case "-":
            return year == nil ? nil : (end, slashed(first, second, year))
        case _:
            return (end, slashed(first, second, year))
        }
    }

    /// `03/04`: which number is the day follows from the calendar, or from the language. If neither decides, the
    /// nearer of the two dates is taken, if the other is too far in the future.
    private func slashed(_ first: Int, _ second: Int, _ year: Int?) -> CalendarDate? {
        let dayFirst = checked(year: year, month: second, day: first)
        let monthFirst = checked(year: year, month: first, day: second)
        if second > 12 { return monthFirst }
        if first > 12 || first == second { return dayFirst }
        switch order {
        case .dayFirst: return dayFirst
        case .monthFirst: return monthFirst
        case nil: break
        }
        let near = [dayFirst, monthFirst].compactMap { $0 }.filter { $0 <= day.adding(days: Self.near) }
        return near.count == 1 ? near.first : nil
    }

    // MARK: Values

    /// The day, if the calendar has it and it is neither past nor far ahead.
    private func checked(year: Int?, month: Int, day number: Int) -> CalendarDate? {
        if let year {
            let date = CalendarDate(year: year, month: month, day: number)
            return date.flatMap { $0 >= day && $0 <= day.adding(days: Self.farthest) ? $0 : nil }
        }
        return [day.year, day.year + 1].compactMap { CalendarDate(year: $0, month: month, day: number) }
            .first { $0 >= day && $0 <= day.adding(days: Self.reach) }
    }

    private func number(_ index: Int) -> (value: Int, digits: Int)? {
        tokens.indices.contains(index) ? tokens[index].number : nil
    }

    /// A number of one or two digits.
    private func short(_ index: Int) -> Int? { number(index).flatMap { $0.digits <= 2 ? $0.value : nil } }

    private func isMark(_ mark: Character, _ index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].mark == mark
    }

    private func begins(_ index: Int, with words: [String]) -> Bool {
        guard tokens.indices.contains(index), let word = tokens[index].word else { return false }
        return words.contains { word.hasPrefix($0) }
    }

    private func month(at index: Int) -> Int? {
        guard tokens.indices.contains(index), let word = tokens[index].word else { return nil }
        return MonthName.month(of: Array(word.utf8)[...])
    }

    private func afterOrdinal(_ index: Int) -> Int {
        guard tokens.indices.contains(index), tokens[index].isJoined, let word = tokens[index].word,
            Self.ordinals.contains(word)
        else { return index }
        return index + 1
    }

    /// The year behind a day and month, with what links it: `, 2026`, `de 2026`.
    private func year(after index: Int) -> (end: Int, year: Int?) {
        var next = index
        if isMark(",", next) || isMark(".", next) { next += 1 }
        if tokens.indices.contains(next), let word = tokens[next].word, Self.links.contains(word) {
            next += 1
        }
        guard let (value, digits) = number(next), digits == 4, (1990...2100).contains(value) else {
            return (index, nil)
        }
        return (next + 1, value)
    }

    private static let separators: Set<Character> = [".", "/", "-"]
    private static let dashes: Set<Character> = ["-", "–", "—"]
    private static let ordinals: Set<String> = [
        "st", "nd", "rd", "th", "er", "e", "º", "ª", "o", "de", "ste", "η",
    ]
    private static let links: Set<String> = ["of", "de", "del", "di", "den", "d"]
}
