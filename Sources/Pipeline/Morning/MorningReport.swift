public import Models

/// The result of a ``Morning``.
public struct MorningReport: Sendable {
    public internal(set) var syncs: [SyncReport] = []
    /// nil if no account was reached.
    public internal(set) var follow: FollowReport?
    public internal(set) var orders: [OrderReport] = []
    /// The mail that the screener moved, or in a dry run would move.
    public internal(set) var screened: [ScreenerPreview] = []
    /// Of a dry run: the bundles whose mail would wait for its delivery.
    public internal(set) var bundled: [BundlePreview] = []
    public internal(set) var runs: [RunReport] = []
    /// In a dry run: the plans that would be applied.
    public internal(set) var plans: [Plan] = []
    /// Why rules keep mail although they match: one of their actions cannot be made.
    public internal(set) var kept: [String] = []
    /// Whether triage was done for every account that was reached.
    public internal(set) var isTriaged = false
    /// The rules have errors, or their tests fail, so nothing was triaged.
    public internal(set) var hasBrokenRules = false
    /// The first failure of an account.
    public internal(set) var failure: Problem?

    public init() {}

    /// Whether the reached accounts have no new mail, and nothing was done.
    public var isIdle: Bool {
        isTriaged && runs.allSatisfy(\.didNothing) && plans.allSatisfy { !PlanTotals($0).hasChanges }
            && syncs.allSatisfy(\.isQuiet) && orders.allSatisfy(\.isQuiet) && screened.isEmpty
            && bundled.isEmpty
            && follow?.lines.isEmpty ?? true && follow?.held.isEmpty ?? true
    }

    /// Steps that wait: scheduled, or until the user confirms them. The last report of an account has all of
    /// its steps.
    public var later: [Step] {
        Dictionary(runs.map { ($0.account, $0.drain.later) }, uniquingKeysWith: { _, last in last })
            .sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// Task files that cannot be read, one line each.
    public var malformed: [String] { follow?.malformed ?? [] }

    /// The exit code of the command.
    public var exit: ExitStatus {
        let ofRuns = runs.reduce(ExitStatus.done) { $0.worse($1.exit) }
        if ofRuns != .done { return ofRuns }
        if orders.contains(where: \.hasFailures) { return .someFailed }
        if syncs.contains(where: { !$0.problems.isEmpty }) || !malformed.isEmpty || follow?.isBraked == true {
            return .someFailed
        }
        if let failure { return failure.exit }
        return hasBrokenRules ? .badData : .done
    }
}
