import Models

/// A month (`2026-03`) or a year (`2026`) in a condition: all its days.
struct DatePeriod: Equatable, Sendable {
    let first: CalendarDate
    let last: CalendarDate

    /// nil: the text is neither a month nor a year.
    init?(_ text: String) {
        let parts = text.trimmingBlanks().split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts[0].utf8.count == 4,
            parts.count == 1 || parts[1].utf8.count == 2,
            parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }), let year = Int(parts[0])
        else { return nil }
        let month = parts.count == 2 ? Int(parts[1]) : nil
        let end = month ?? 12
        guard let first = CalendarDate(year: year, month: month ?? 1, day: 1),
            let last = CalendarDate(
                year: year, month: end, day: CalendarDate.length(ofMonth: end, year: year))
        else { return nil }
        (self.first, self.last) = (first, last)
    }
}

extension Comparison {
    /// Compares a day with a period: `<` means before its first day, `>` after its last one.
    func holds(_ day: CalendarDate, _ period: DatePeriod) -> Bool {
        switch self {
        case .less: day < period.first
        case .lessOrEqual: day <= period.last
        case .equal: day >= period.first && day <= period.last
        case .greaterOrEqual: day >= period.first
        case .greater: day > period.last
        }
    }
}
