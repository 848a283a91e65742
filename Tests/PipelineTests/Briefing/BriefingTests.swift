import Foundation
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// The value of a briefing, and what each writer makes of it.
@Suite("Briefing")
struct BriefingTests {
    private static let zone = ZoneClock(zone: "Europe/Paris")
    private static let day = CalendarDate(daysSinceEpoch: 20_522)
    private static let hostile = "\u{1B}[2J<script>alert(1)</script>\u{202E}&\"'\r\nX: y"

    private static func empty() -> Briefing {
        Briefing(day: day, now: Workplace.tuesday, since: Workplace.tuesday - Workplace.day)
    }

    private static func full() -> Briefing {
        var briefing = empty()
        briefing.returned = [
            .init(id: EmailID(rawValue: "e1"), shortID: "7k2q", from: "Bob", subject: "Offer")
        ]
        briefing.answered = [
            .init(
                mail: .init(id: EmailID(rawValue: "e2"), shortID: "9x", from: "Nora", subject: "Re: Plan"),
                task: TodoID("e"), days: 3, isGuess: true)
        ]
        briefing.due = [
            .init(
                id: TodoID("a"), summary: "Pay the rent", due: Self.day.adding(days: -7), isOverdue: true),
            .init(id: TodoID("b"), summary: "Call", due: Self.day, isOverdue: false),
        ]
        briefing.drafts = [
            .init(id: "d:1a2b", to: "Cleo", subject: "Hello", task: TodoID("c")),
            .init(id: "d:2b", to: "Gil", subject: "Lunch", wait: "3bd"),
        ]
        briefing.waiting = [
            .init(
                id: TodoID("a"), who: "Ida", summary: "Offer", state: .undelivered, days: 1,
                undelivered: ["ida@x.example"]),
            .init(id: TodoID("c"), who: "Dan", summary: "Contract", state: .overdue, days: 12),
            .init(
                id: TodoID("d"), who: "Eve, Fay", summary: "Figures", state: .sent, days: 0, answered: ["Eve"]
            ),
        ]
        briefing.inbox = 4
        briefing.trend = [
            .init(day: Self.day.adding(days: -2), messages: nil),
            .init(day: Self.day.adding(days: -1), messages: 8), .init(day: Self.day, messages: 4),
        ]
        briefing.ruleRuns = [
            .init(
                id: RunID(rawValue: 12), account: AccountID("work"), startedAt: Workplace.tuesday,
                changes: 1, rules: ["later", "pay"])
        ]
        briefing.unusedRules = ["old"]
        briefing.newSenders = [.init(name: "Fay", address: "fay@x.example", messages: 1)]
        briefing.staleAccounts = [.init(account: AccountID("home"), lastSync: nil)]
        return briefing
    }

    @Test("the text has a section for each topic with news, and no others")
    func text() {
        let names = ["a", "b", "c", "d"].map { TaskName.short(TodoID($0)) }
        #expect(
            Self.full().text(Self.zone) == """
                Briefing for Tue 10 Mar 2026

                Back today (1)
                  7k2q  Bob  Offer

                Answered, decide (1)
                  9x  Nora  after 3 days, a guess  Re: Plan

                Due (2)
                  \(names[0])  overdue since Tue 3 Mar  Pay the rent
                  \(names[1])  today                    Call

                2 drafts wait for you
                  d:1a2b  Cleo  then \(names[2]) waits  Hello
                  d:2b    Gil   then waits: 3bd    Lunch

                Waiting (3)
                  \(names[0])  Ida       not delivered to ida@x.example  Offer
                  \(names[2])  Dan       12 days, ask again              Contract
                  \(names[3])  Eve, Fay  today, answered by Eve          Figures

                Inbox: 4 messages
                  – 8 4

                Changes by rules (1)
                  r:0012  Tue 10 Mar 08:30  1 change  later, pay  opus undo r:0012

                Rules that have never matched (1)
                  old

                New senders (1)
                  Fay  fay@x.example  1

                Accounts that were not synced (1)
                  home  never

                """)
        var one = Self.empty()
        one.due = [
            .init(id: TodoID("a"), summary: "Rent", due: Self.day.adding(days: -91), isOverdue: true)
        ]
        #expect(one.text(Self.zone).contains("overdue since Tue 9 Dec 2025"))
        one = Self.empty()
        one.inbox = 1
        one.trend = [.init(day: Self.day, messages: 1)]
        #expect(one.text(Self.zone) == "Briefing for Tue 10 Mar 2026\n\nInbox: 1 message\n  1\n")
    }

    @Test("an empty briefing is one line")
    func nothing() {
        #expect(Self.empty().isEmpty)
        #expect(Self.empty().text(Self.zone) == "Briefing for Tue 10 Mar 2026: nothing to report.\n")
        #expect(Self.empty().html(Self.zone).contains("<p>Nothing to report.</p>"))
    }

    @Test("the chart has a title, a description and a bar for each known day, and loads nothing")
    func chart() {
        let chart = BarChart(
            title: "A & B", bars: [.init(label: "9", value: nil), .init(label: "10", value: 8)])
        #expect(
            chart.svg(id: "c") == """
                <svg role="img" aria-labelledby="c-title c-desc" viewBox="0 0 66 112" width="66" height="112" \
                fill="currentColor" font-family="sans-serif" font-size="11" text-anchor="middle">
                <title id="c-title">A &amp; B</title>
                <desc id="c-desc">9: not known, 10: 8</desc>
                <text x="18" y="108">9</text>
                <rect x="36" y="16" width="24" height="80" opacity="0.6"/>\
                <text x="48" y="13">8</text><text x="48" y="108">10</text>
                </svg>
                """)
    }

    @Test("the page is valid, has a table for each section, and loads nothing")
    func page() throws {
        let page = Self.full().html(Self.zone)
        #expect(page.contains("<h2>Due (2)</h2>\n<table>\n<thead><tr><th scope=\"col\">Task</th>"))
        #expect(page.contains("<td>overdue since Tue 3 Mar</td><td>Pay the rent</td></tr>"))
        #expect(page.components(separatedBy: "<svg").count == 2)
        #expect(page.components(separatedBy: "<table>").count == 11)
        for word in ["<script", "http:", "https:", "src=", "url(", "@import", "<link"] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test("untrusted text is escaped: no markup, no escape sequences and no extra lines")
    func hostile() {
        var briefing = Self.full()
        briefing.returned[0].subject = Self.hostile
        briefing.waiting[0].who = Self.hostile
        briefing.newSenders[0].name = Self.hostile
        briefing.drafts[0].to = Self.hostile
        let text = briefing.text(Self.zone)
        #expect(text.split(separator: "\n").count == Self.full().text(Self.zone).split(separator: "\n").count)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isHarmfulOnTerminal })
        let page = briefing.html(Self.zone)
        #expect(page.contains("␛[2J&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}&amp;&quot;&#39;"))
        #expect(!page.contains("<script") && !page.unicodeScalars.contains("\u{202E}"))
    }

    @Test("long lists and long words are cut, and the number of omitted entries is given")
    func limits() {
        var briefing = Self.empty()
        briefing.unusedRules = (1...60).map { "rule-\($0)" } + [String(repeating: "x", count: 500)]
        let text = briefing.text(Self.zone)
        #expect(text.contains("Rules that have never matched (61)\n"))
        #expect(text.hasSuffix("  rule-50\n  … and 11 more\n"))
        briefing.unusedRules = [String(repeating: "x", count: 500)]
        #expect(briefing.text(Self.zone).contains("\n  " + String(repeating: "x", count: 119) + "…\n"))
        #expect(briefing.html(Self.zone).contains("x…</td>"))
    }

    @Test("a day without a count has the count of the day before, and accounts are added")
    func trend() {
        let days = (0..<4).map { Self.day.adding(days: $0) }
        let noted = [[days[1]: 5, days[3]: 2], [days[2]: 10]]
        let trend = InboxTrend.days(days, noted, from: days[0])
        #expect(trend.map(\.messages) == [nil, 5, 15, 12])
    }
}

/// A briefing of a workspace.
@Suite("Briefing of a workspace")
struct BriefingsTests {
    private let account = AccountID("work")

    @Test("the first briefing reports the inbox, and a last sync that is too old")
    func plain() async throws {
        let work = try Workplace()
        try work.deliver("Hello")
        try await work.with { session in
            let before = try session.briefings.briefing()
            #expect(before.staleAccounts == [.init(account: account, lastSync: nil)])
            _ = try await session.sync.account(account)
            let briefing = try session.briefings.briefing()
            #expect(briefing.inbox == 1 && briefing.staleAccounts.isEmpty)
            #expect(briefing.trend.count == 14 && briefing.trend.last?.messages == 1)
            #expect(briefing.trend.dropLast().allSatisfy { $0.messages == nil })
            #expect(briefing.newSenders.map(\.messages) == [1])
            let later = try session.briefings.briefing(of: briefing.day.adding(days: 2))
            #expect(later.staleAccounts.map(\.account) == [account] && later.newSenders.isEmpty)
        }
        // In a quiet week nothing changes, but each sync counts.
        try await work.with(at: Workplace.tuesday + 7 * 86_400) { session in
            _ = try await session.sync.account(account)
            #expect(try session.briefings.briefing().staleAccounts.isEmpty)
        }
    }

    @Test("changes by rules are listed with their run until they are undone, and due tasks by day")
    func rules() async throws {
        let work = try Workplace()
        try work.deliver("invoice 1", "Lunch")
        try await work.run()
        try await work.with { session in
            let briefing = try session.briefings.briefing()
            let run = try #require(briefing.ruleRuns.first)
            #expect(briefing.ruleRuns.count == 1 && run.rules == ["pay"] && run.changes == 2)
            #expect(briefing.inbox == 1)
        }
    }

    @Test("the briefing is put into the inbox once a day, however often it is requested")
    func mailed() async throws {
        let work = try Workplace()
        try work.deliver("Hello")
        try await work.with { session in
            _ = try await session.sync.account(account)
            for expected in [1, 0] {
                let briefing = try session.briefings.briefing()
                let report = try await session.briefingMailing.deliver(briefing, account: nil)
                #expect(report.queued == expected && report.drain.failures.isEmpty)
            }
        }
        #expect(try work.client.list(.inbox).count == 2)
        try await work.with { session in
            let facts = try session.store.messages.facts(.role(account, .inbox))
            let briefing = facts.first { $0.subject.hasPrefix("Briefing") }
            #expect(briefing?.subject == "Briefing for Tue 10 Mar 2026")
            #expect(try session.briefings.briefing().newSenders.count == 1, "one's own mail is not news")
        }
    }
}
