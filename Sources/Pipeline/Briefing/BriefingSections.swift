import Models

/// A briefing as tables with headings, for the text and the HTML. Cells are not escaped.
struct BriefingSection: Equatable {
    var title: String
    var columns: [String]
    var rows: [[String]]
    /// The number of rows that were left out.
    var left = 0
    var chart: BarChart?

    /// The maximum number of rows of one section.
    static let mostRows = 50
    /// The maximum length of a cell, in characters.
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
    /// The sections that have something to report, in reading order.
    func sections(_ zone: ZoneClock) -> [BriefingSection] {
        let days = BriefingDays(zone: zone, year: day.year)
        return [
            backSection, answeredSection, dueSection(days), stoppedSection, draftSection,
            waitingSection,
            inboxSection(days),
            table("Bundles", ["Bundle", "Mail"], bundles) {
                [$0.name, "\($0.messages) from \(counted($0.senders, "sender"))"]
            }, ruleSection(days),
            table("Rules that have never matched", ["Rule"], unusedRules) { [$0] },
            table("New senders", ["Name", "Address", "Messages"], newSenders) {
                [$0.name, $0.address, "\($0.messages)"]
            },
            table("Still send after you unsubscribed", ["Sender", "Messages", "Rule"], stillSending) {
                [$0.address, "\($0.messages)", "opus rules new --from \($0.shortID) --then trash"]
            },
            table("Accounts that were not synced", ["Account", "Last sync"], staleAccounts) {
                [$0.account.rawValue, $0.lastSync.map(days.moment) ?? "never"]
            },
            table("Logins that end", ["Account", "End", "Then"], endingLogins) {
                [$0.account.rawValue, days.moment($0.end), "opus account login \($0.account)"]
            },
        ].compactMap(\.self)
    }

    private func table<Item>(
        _ title: String, _ columns: [String], _ items: [Item], _ row: (Item) -> [String]
    ) -> BriefingSection? {
        items.isEmpty ? nil : BriefingSection(title, columns, items.map(row))
    }

    /// A bundle takes one row.
    private var backSection: BriefingSection? {
        let (single, bundles) = BundleNames.grouping(returned)
        let rows =
            single.map { [$0.shortID, $0.from, $0.subject] }
            + bundles.map { ["-", $0.bundle.name, $0.counts] }
        return table("Back today", ["Message", "From", "Subject"], rows) { $0 }
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

    private var answeredSection: BriefingSection? {
        table("Answered, decide", ["Message", "From", "After", "Subject"], answered) { answer in
            let after = answer.days == 0 ? "on the same day" : "after " + counted(answer.days, "day")
            return [
                answer.mail.shortID, answer.mail.from,
                after + (answer.isGuess ? ", a guess" : "") + (answer.isInJunk ? ", in Junk" : ""),
                answer.mail.subject,
            ]
        }
    }

    private var stoppedSection: BriefingSection? {
        table("Mail in the outbox that needs you", ["Mail", "To", "Next", "Subject"], stopped) { mail in
            let next =
                switch mail.state {
                case .needsDecision: "was it sent? opus outbox settle \(mail.id)"
                case .held: "opus outbox retry \(mail.id)"
                case .failed: "refused by the server; opus outbox retry \(mail.id)"
                case .queued, .sending, .unknown, .sent, .discarded: "opus outbox"
                }
            return [mail.id, mail.to, next, mail.subject]
        }
    }

    private var draftSection: BriefingSection? {
        guard !drafts.isEmpty else { return nil }
        let title = counted(drafts.count, "draft") + (drafts.count == 1 ? " waits" : " wait") + " for you"
        let rows = drafts.map { draft in
            let next =
                draft.task.map { "then " + TaskName.short($0) + " waits" }
                ?? draft.wait.map { "then waits: " + $0 }
            let words = [draft.isRefused ? "refused by the server" : nil, next].compactMap(\.self)
            return [draft.id, draft.to, words.joined(separator: ", "), draft.subject]
        }
        return BriefingSection(title, ["Draft", "To", "Task", "Subject"], rows, count: false)
    }

    private var waitingSection: BriefingSection? {
        table("Waiting", ["Task", "Who", "State", "Summary"], waiting) { wait in
            [TaskName.short(wait.id), wait.who, Self.words(wait), wait.summary]
        }
    }

    /// `4 days, ask again`
    private static func words(_ wait: Wait) -> String {
        let age = wait.days.map { $0 == 0 ? "today" : counted($0, "day") } ?? "?"
        var words: [String]
        switch wait.state {
        case .drafted: words = ["not sent yet"]
        case .undelivered: words = ["not delivered to " + wait.undelivered.joined(separator: ", ")]
        case .overdue: words = [age, "ask again"]
        case .sent, .answered, .closed: words = [age]
        }
        if !wait.answered.isEmpty { words.append("answered by " + wait.answered.joined(separator: ", ")) }
        return words.joined(separator: ", ")
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

/// Formats the days and times of a briefing; the year is only in its title.
struct BriefingDays {
    let zone: ZoneClock
    /// Days of another year are shown with it; nil: no day is.
    var year: Int?

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Tue 10 Mar`, or `Tue 9 Dec 2025`
    func day(_ date: CalendarDate) -> String {
        "\(Self.weekdays[date.weekday - 1]) \(date.day) \(Self.months[date.month - 1])"
            + (date.year == year ?? date.year ? "" : " \(date.year)")
    }

    /// `Tue 10 Mar 08:30`
    func moment(_ time: Timestamp) -> String {
        let local = zone.local(time)
        return day(local.date) + " " + local.clock.prefix(5)
    }

    /// `Briefing for Tue 10 Mar 2026`
    func title(_ date: CalendarDate) -> String { "Briefing for \(day(date)) \(date.year)" }
}
