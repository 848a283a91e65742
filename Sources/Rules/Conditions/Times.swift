import Models

/// Conditions on the times of a message.
extension ConditionEntry {
    static let age = ConditionEntry("age", "time", .age(.age), "time since the message's date", "age>3d")

    static let older = ConditionEntry("older", "time", .age(.older), "older than this", "older:7d")

    static let newer = ConditionEntry("newer", "time", .age(.newer), "newer than this", "newer:2w")

    static let date = ConditionEntry(
        "date", "time", .time(.date), "the message's date (sent, else received)", "date>=2026-01-01")

    static let sent = ConditionEntry("sent", "time", .time(.sent), "the Date field", "sent<2026-03-01")

    static let received = ConditionEntry(
        "received", "time", .time(.received), "when it arrived", "received:today")

    static let weekday = ConditionEntry(
        "weekday", "time", .weekday, "the day of the week of the message's date", "weekday:sat")

    static let time = ConditionEntry(
        "time", "time", .clock, "the time of day of the message's date", "time:08:00-18:00")
}
