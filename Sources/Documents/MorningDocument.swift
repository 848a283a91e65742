public import Models
public import Pipeline

/// `opus.morning/1`
public struct MorningDocument: Encodable, Sendable {
    var schema = "opus.morning/1"
    var sync: [SyncDocument.Account]
    var tasks: [String]
    /// Actions that were skipped because the user could not be asked.
    var held: [String]
    var malformedTasks: [String]
    /// Deferred messages that are back in the inbox; nil if there are none.
    var returned: [Returned]?
    /// Orders that another program gave through the command mailboxes; nil if there are none.
    var orders: [OrderDocument]?
    /// Mail that the screener moved, or in a dry run would move; nil if there is none.
    var screened: [Screened]?
    /// The bundles whose mail would wait for its delivery in a dry run; nil when there are none.
    var bundled: [Bundled]?
    /// Why rules keep mail although they match; nil if there is none.
    var kept: [String]?
    /// The rules have errors or their tests fail, so nothing was triaged; nil if that is not so.
    var brokenRules: Bool?
    var runs: [RunDocument.Item]
    /// The plans that would be applied, in a dry run; nil in other runs.
    var plans: [PlanDocument]?

    struct Returned: Encodable, Sendable {
        var id: String
        var from: String
        var subject: String

        init(_ mail: ReturnedMail) { (id, from, subject) = (mail.id.rawValue, mail.from, mail.subject) }
    }

    struct Screened: Encodable, Sendable {
        var account: String
        var id: String
        var from: String
        var subject: String
        /// The sender was denied: the message goes to the trash.
        var denied: Bool
    }

    struct Bundled: Encodable, Sendable {
        var account: String
        var name: String
        var until: String
        var messages: [String]

        init(_ bundle: BundlePreview) {
            account = bundle.account.rawValue
            name = bundle.names.bundle.name
            until = bundle.until.word
            messages = bundle.messages.map(\.rawValue)
        }
    }

    public init(_ report: MorningReport, at now: Timestamp) {
        sync = report.syncs.map(SyncDocument.Account.init)
        let follow = report.follow
        brokenRules = report.hasBrokenRules ? true : nil
        tasks = follow?.lines ?? []
        held = follow?.held ?? []
        malformedTasks = follow?.malformed ?? []
        returned = follow.flatMap { $0.returned.isEmpty ? nil : $0.returned.map(Returned.init) }
        orders = report.orders.isEmpty ? nil : report.orders.flatMap(OrderDocument.all)
        let held = report.screened.flatMap { preview in
            preview.mails.map { one in
                Screened(
                    account: preview.account.rawValue, id: one.mail.id.rawValue, from: one.mail.from,
                    subject: one.mail.subject, denied: one.isDenied)
            }
        }
        screened = held.isEmpty ? nil : held
        bundled = report.bundled.isEmpty ? nil : report.bundled.map(Bundled.init)
        kept = report.kept.isEmpty ? nil : report.kept
        runs = report.runs.map(RunDocument.Item.init)
        plans = report.plans.isEmpty ? nil : report.plans.map { PlanDocument($0, at: now) }
    }
}
