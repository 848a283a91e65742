/// The phrases of the date grammar with their explanations, for `opus help dates` and docs/dates.md.
public struct DateEntry: Sendable {
    public let phrases: [String]
    public let meaning: String

    init(_ phrases: [String], _ meaning: String) {
        self.phrases = phrases
        self.meaning = meaning
    }
}

enum DateTable {
    static let entries: [DateEntry] = [
        .init(["today", "tomorrow", "yesterday"], "that day"),
        .init(["tonight"], "today at 20:00"),
        .init(["friday", "fri"], "the next Friday; on a Friday, the one in a week"),
        .init(["next friday"], "the Friday of next week; weeks begin on Monday"),
        .init(["next week", "next month"], "Monday of next week; the first of next month"),
        .init(["EOD"], "today at the end of the working day (18:00 unless the workspace says otherwise)"),
        .init(
            ["EOW", "EOM"], "Friday of this week, or of the next one on a weekend; the last day of this month"
        ),
        .init(["+3 days", "3 days", "in 3 days", "3d", "P3D"], "that many days from today"),
        .init(
            ["2 weeks", "+1 month", "1 year"], "likewise; 31 January + 1 month is the last day of February"),
        .init(["+3 business days", "3bd"], "counts Monday to Friday; public holidays are not known"),
        .init(["in 2 hours", "90 minutes", "PT2H"], "from now, in elapsed time"),
        .init(["3 days ago", "-3 days"], "backwards"),
        .init(["3 days before friday", "1 week after 31 March"], "from another date"),
        .init(
            ["2026-03-31", "31 March", "March 31, 2026", "31st of March"],
            "that day; without a year, the next one that is not over"),
        .init(["31/03/2026", "31/03"], "day first or month first, as set in opus.yaml"),
        .init(["31.3.2026"], "always day first"),
        .init(
            ["9am", "09:30", "12:30pm", "noon", "midnight"],
            "today if that time is still to come, else tomorrow"
        ),
        .init(["31 March at noon", "tomorrow 9am", "+3 days 09:00"], "a day and a time"),
        .init(
            ["friday 17:00", "fri 9am"],
            "the next Friday; on a Friday, today if that time is still to come"),
        .init(["2026-03-31T17:00:00+02:00"], "exactly then"),
    ]

    /// The rows of the page.
    static var rows: String {
        entries.map { entry in
            "| " + entry.phrases.map { "`\($0)`" }.joined(separator: ", ") + " | \(entry.meaning) |"
        }.joined(separator: "\n")
    }
}
