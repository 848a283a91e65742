import Models
public import Pipeline

/// `opus.briefing/1`
public struct BriefingDocument: Encodable, Sendable {
    struct Mail: Encodable, Sendable {
        var id: String
        var from: String
        var subject: String

        init(_ mail: Briefing.Mail) {
            id = mail.id.rawValue
            from = mail.from
            subject = mail.subject
        }
    }

    struct Answer: Encodable, Sendable {
        var id: String
        var from: String
        var subject: String
        var task: String
        var days: Int
        var isGuess: Bool
        /// It is in Junk; nil: it is not.
        var junk: Bool?
    }

    struct DueTask: Encodable, Sendable {
        var id: String
        var summary: String
        var due: String
        var overdue: Bool
    }

    struct Draft: Encodable, Sendable {
        var id: String
        var to: String
        var subject: String
        var task: String?
        var wait: String?
        var refused: Bool?
    }

    struct StoppedMail: Encodable, Sendable {
        var id: String
        var to: String
        var subject: String
        var state: String
    }

    struct Wait: Encodable, Sendable {
        var id: String
        var who: String
        var summary: String
        var state: String
        var days: Int?
        var overdue: Bool
        var answered: [String]
        var undelivered: [String]
    }

    struct Day: Encodable, Sendable {
        var day: String
        var messages: Int?
    }

    struct RuleRun: Encodable, Sendable {
        var run: String
        var account: String
        var started: String
        var changes: Int
        var rules: [String]
    }

    struct Sender: Encodable, Sendable {
        var name: String
        var address: String
        var messages: Int
    }

    struct Bundle: Encodable, Sendable {
        var name: String
        var messages: Int
        var senders: Int
    }

    struct Persistent: Encodable, Sendable {
        var account: String
        var address: String
        var unsubscribed: String
        var messages: Int
        /// The command that makes the rule.
        var rule: String
    }

    struct StaleAccount: Encodable, Sendable {
        var account: String
        var lastSync: String?
    }

    var schema = "opus.briefing/1"
    var day: String
    var since: String
    var returned: [Mail]
    var answered: [Answer]
    var due: [DueTask]
    var drafts: [Draft]
    var stoppedMail: [StoppedMail]?
    var waiting: [Wait]
    var inbox: Int
    /// nil: none.
    var bundles: [Bundle]?
    var trend: [Day]
    var ruleRuns: [RuleRun]
    var unusedRules: [String]
    var newSenders: [Sender]
    /// nil: none.
    var stillSending: [Persistent]?
    var staleAccounts: [StaleAccount]
    /// nil: none.
    var endingLogins: [EndingLogin]?

    struct EndingLogin: Encodable, Sendable {
        var account: String
        var end: String
    }

    public init(_ briefing: Briefing, zone: ZoneClock) {
        day = briefing.day.description
        since = zone.rfc3339(briefing.since)
        returned = briefing.returned.map(Mail.init)
        answered = briefing.answered.map {
            Answer(
                id: $0.mail.id.rawValue, from: $0.mail.from, subject: $0.mail.subject, task: $0.task.rawValue,
                days: $0.days, isGuess: $0.isGuess, junk: $0.isInJunk ? true : nil)
        }
        due = briefing.due.map {
            DueTask(
                id: $0.id.rawValue, summary: $0.summary, due: $0.due.description, overdue: $0.isOverdue)
        }
        drafts = briefing.drafts.map {
            Draft(
                id: $0.id, to: $0.to, subject: $0.subject, task: $0.task?.rawValue, wait: $0.wait,
                refused: $0.isRefused ? true : nil)
        }
        stoppedMail =
            briefing.stopped.isEmpty
            ? nil
            : briefing.stopped.map {
                StoppedMail(id: $0.id, to: $0.to, subject: $0.subject, state: $0.state.rawValue)
            }
        waiting = briefing.waiting.map {
            Wait(
                id: $0.id.rawValue, who: $0.who, summary: $0.summary, state: $0.state.rawValue, days: $0.days,
                overdue: $0.isOverdue, answered: $0.answered, undelivered: $0.undelivered)
        }
        inbox = briefing.inbox
        bundles =
            briefing.bundles.isEmpty
            ? nil
            : briefing.bundles.map { Bundle(name: $0.name, messages: $0.messages, senders: $0.senders) }
        trend = briefing.trend.map { Day(day: $0.day.description, messages: $0.messages) }
        ruleRuns = briefing.ruleRuns.map {
            RuleRun(
                run: $0.id.description, account: $0.account.rawValue, started: zone.rfc3339($0.startedAt),
                changes: $0.changes, rules: $0.rules)
        }
        unusedRules = briefing.unusedRules
        newSenders = briefing.newSenders.map {
            Sender(name: $0.name, address: $0.address, messages: $0.messages)
        }
        stillSending =
            briefing.stillSending.isEmpty
            ? nil
            : briefing.stillSending.map {
                Persistent(
                    account: $0.account.rawValue, address: $0.address,
                    unsubscribed: zone.rfc3339($0.unsubscribedAt), messages: $0.messages,
                    rule: "opus rules new --from \($0.shortID) --then trash")
            }
        staleAccounts = briefing.staleAccounts.map {
            StaleAccount(account: $0.account.rawValue, lastSync: $0.lastSync.map { zone.rfc3339($0) })
        }
        let ending = briefing.endingLogins.map {
            EndingLogin(account: $0.account.rawValue, end: zone.rfc3339($0.end))
        }
        endingLogins = ending.isEmpty ? nil : ending
    }
}
