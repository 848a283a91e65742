public import Accounts
public import Models

/// An event of a watch about a decision, for a program or the desktop. Text of mail is separate, so that it
/// can be left out.
public struct WatchNews: Hashable, Sendable {
    public var event: WatchSettings.Event
    /// nil: the event is about tasks.
    public var account: AccountID?
    /// The number of messages, tasks or steps.
    public var count: Int
    /// Short ids of the messages, if known.
    public var messages: [String] = []
    /// Contains text of senders.
    public var text: [String] = []

    private init(
        _ event: WatchSettings.Event, _ account: AccountID?, count: Int, messages: [String] = [],
        text: [String] = []
    ) {
        self.event = event
        self.account = account
        self.count = count
        self.messages = messages
        self.text = text
    }

    /// The news in an event of the watch. New mail alone is not news, only decisions are.
    public static func of(_ event: WatchedEvent) -> [WatchNews] {
        switch event {
        case .account(let id, let event): of(event, id)
        case .tasks(let event): of(event)
        case .ended(let id, let problem): [WatchNews(.failed, id, count: 1, text: [problem.message])]
        }
    }

    private static func of(_ event: WatchEvent, _ id: AccountID) -> [WatchNews] {
        switch event {
        case .notices(let lines): [WatchNews(.notify, id, count: lines.count, text: lines)]
        case .applied(let run): notices(of: run, id) + failures(of: run, id)
        case .delivered(let run, let mail): returned(mail, id) + notices(of: run, id) + failures(of: run, id)
        case .ordered(let report): report.runs.flatMap { failures(of: $0, id) }
        case .held(let plan): [WatchNews(.failed, id, count: 1, text: [plan.reason])]
        case .kept(let reasons): [WatchNews(.failed, id, count: reasons.count, text: reasons)]
        case .brokenRules(let problem): [WatchNews(.failed, id, count: 1, text: [problem.message])]
        case .synced, .listening, .lost, .newRules, .state, .silent: []
        }
    }

    private static func notices(of run: RunReport, _ id: AccountID) -> [WatchNews] {
        run.notices.isEmpty ? [] : [WatchNews(.notify, id, count: run.notices.count, text: run.notices)]
    }

    private static func returned(_ mail: [ReturnedMail], _ id: AccountID?) -> [WatchNews] {
        guard !mail.isEmpty else { return [] }
        return [
            WatchNews(
                .returned, id, count: mail.count, messages: mail.map(\.shortID),
                text: mail.map { "\($0.from): \($0.subject)" })
        ]
    }

    private static func failures(of run: RunReport, _ id: AccountID?) -> [WatchNews] {
        let failed = run.drain.rejected + run.drain.undecided
        guard !failed.isEmpty else { return [] }
        return [WatchNews(.failed, id, count: failed.count, text: failed.compactMap(\.reason))]
    }

    private static func of(_ event: TaskWatchEvent) -> [WatchNews] {
        switch event {
        case .stopped(let problem), .syncFailed(let problem):
            return [WatchNews(.failed, nil, count: 1, text: [problem.message])]
        case .syncRecovered: return []
        case .followed(let report):
            var news = report.runs.flatMap { failures(of: $0, $0.account) }
            // Each is reported once.
            if report.isBraked, !report.held.isEmpty {
                news.append(WatchNews(.failed, nil, count: 1, text: report.held))
            }
            news += returned(report.returned, nil)
            if !report.answered.isEmpty {
                news.append(
                    WatchNews(.answered, nil, count: report.answered.count, text: report.answered))
            }
            if !report.overdue.isEmpty {
                news.append(WatchNews(.overdue, nil, count: report.overdue.count, text: report.overdue))
            }
            return news
        }
    }

    /// `notify`, `returned`, `answered`, `overdue` or `failed`.
    public var name: String { event.rawValue }

    /// For users, without text of mail.
    public var summary: String {
        switch event {
        case .notify: counted(count, "message") + " to notice"
        case .returned: counted(count, "deferred message") + (count == 1 ? " is back" : " are back")
        case .answered: counted(count, "question") + (count == 1 ? " is answered" : " are answered")
        case .overdue: counted(count, "answer") + (count == 1 ? " is late" : " are late")
        case .failed: "something needs you (opus status)"
        }
    }
}
