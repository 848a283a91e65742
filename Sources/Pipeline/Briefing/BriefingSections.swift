import Models

/// A briefing as headed tables: what the text and the HTML have in common. Cells are not escaped.
struct BriefingSection: Equatable {
    var title: String
    var columns: [String]
    var rows: [[String]]
    /// Rows that were left out.
    var left = 0
    var chart: BarChart?

    /// Rows that are shown of one section.
    static let mostRows = 50
    /// Characters of one cell.
    static let longestCell = 120

    init(_ title: String, _ columns: [String], _ rows: [[String]], count: Bool = true) {
        self.title = count ? "\(title) (\(rows.count))" : title
        self.columns = columns
        self.rows = rows.prefix(Self.mostRows).map { $0.map(Self.cut) }
        left = max(0, rows.count - Self.mostRows)
    }

    private static func cut(_ text: String) -> String {
        text.count > longestCell ? text.prefix(longestCell - 1) + "…" : text
    }
}

extension Briefing {
    /// The sections that have something to report, in the order in which they are read.
    func sections(_ zone: ZoneClock) -> [BriefingSection] {
        let days = BriefingDays(zone: zone)
        return [
            mail("Back today", returned), mail("Answered, decide", answered), dueSection(days),
            table("Drafts that wait for you", ["Draft", "To", "Subject"], drafts) {
                [$0.id, $0.to, $0.subject]
            },
            waitingSection, inboxSection(days), ruleSection(days),
            table("Rules that have never matched", ["Rule"], unusedRules) { [$0] },
            table("New senders", ["Name", "Address", "Messages"], newSenders) {
                [$0.name, $0.address, "\($0.messages)"]
            },
            table("Accounts that were not synced", ["Account", "Last sync"], staleAccounts) {
                [$0.account.rawValue, $0.lastSync.map(days.moment) ?? "never"]
            },
        ].compactMap(\.self)
    }

    private func table<Item>(
        _ title: String, _ columns: [String], _ items: [Item], _ row: (Item) -> [String]
    ) -> BriefingSection? {
        items.isEmpty ? nil : BriefingSection(title, columns, items.map(row))
    }

    private func mail(_ title: String, _ mails: [Mail]) -> BriefingSection? {
        table(title, ["Message", "From", "Subject"], mails) { [$0.shortID, $0.from, $0.subject] }
    }

    private func dueSection(_ days: BriefingDays) -> BriefingSection? {
        table("Due", ["Task", "Due", "Summary"], due) { task in
            let today = task.isOverdue ? "overdue today" : "today"
            return [
                TaskName.short(task.id), task.due < day ? "overdue since " + days.day(task.due) : today,
                task.summary,
            ]
        }
    }

    private var waitingSection: BriefingSection? {
        table("Waiting", ["Task", "Who", "Since", "Summary"], waiting) { wait in
            let age = wait.days.map { $0 == 0 ? "today" : counted($0, "day") } ?? "?"
            return [
                TaskName.short(wait.id), wait.who, age + (wait.isOverdue ? ", ask again" : ""), wait.summary,
            ]
        }
    }

    private func inboxSection(_ days: BriefingDays) -> BriefingSection? {
        let isKnown = trend.dropLast().contains { ($0.messages ?? 0) > 0 }
        guard inbox > 0 || isKnown else { return nil }
        let known = trend.filter { $0.messages != nil }
        var section = BriefingSection(
            "Inbox: " + counted(inbox, "message"), ["Day", "Messages"],
            known.map { [days.day($0.day), "\($0.messages ?? 0)"] }, count: false)
        section.chart = BarChart(
            title: "Messages in the inbox, \(counted(trend.count, "day"))",
            bars: trend.map { BarChart.Bar(label: "\($0.day.day)", value: $0.messages) })
        return section
    }

    private func ruleSection(_ days: BriefingDays) -> BriefingSection? {
        table("Changes by rules", ["Run", "When", "Changes", "Rules", "Undo"], ruleRuns) { run in
            [
                run.id.description, days.moment(run.startedAt), counted(run.changes, "change"),
                run.rules.joined(separator: ", "), "opus undo \(run.id)",
            ]
        }
    }
}

/// Days and times of a briefing in words; the year is in its title.
struct BriefingDays {
    let zone: ZoneClock

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Tue 10 Mar`
    func day(_ date: CalendarDate) -> String {
        "\(Self.weekdays[date.weekday - 1]) \(date.day) \(Self.months[date.month - 1])"
    }

    /// `Tue 10 Mar 08:30`
    func moment(_ time: Timestamp) -> String {
        let local = zone.local(time)
        return day(local.date) + " " + local.clock.prefix(5)
    }

    /// `Briefing for Tue 10 Mar 2026`
    func title(_ date: CalendarDate) -> String { "Briefing for \(day(date)) \(date.year)" }
}
