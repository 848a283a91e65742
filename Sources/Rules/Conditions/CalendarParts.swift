import Models

/// `month` and `day`: recurring parts of the message's date, in the time zone of the rules.
extension ConditionEntry {
    static let month = ConditionEntry(
        "month", "time", .amount(.month), "the month of the message's date, as a name or a number",
        "month:dec")

    static let day = ConditionEntry(
        "day", "time", .amount(.day), "the day of the month of the message's date", "day<8")
}

extension Amount {
    static let month = Amount(
        unit: .month, values: { [$0.date.month] }, seen: { "\($0.date.month)" })

    static let day = Amount(unit: .count, values: { [$0.date.day] }, seen: { "\($0.date.day)" })
}

extension MessageSight {
    fileprivate var date: CalendarDate { zone.local(facts.date).date }
}
