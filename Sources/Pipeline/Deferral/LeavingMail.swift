import Models
import Planner
import Rules

/// The rules that a command applies after deferred mail came back.
public struct AppliedRules: Sendable {
    let library: RuleLibrary
    /// The ids of the rules; nil: all.
    var only: Set<String>?

    public init(_ library: RuleLibrary, only: Set<String>? = nil) {
        self.library = library
        self.only = only
    }
}

/// Mail of the inbox that the same command defers: by a rule, or until the delivery of its bundle.
struct LeavingMail: Sendable {
    let planner: TriagePlanner
    let bundling: Bundling

    /// The messages of these conversations that will be deferred.
    func messages(of threads: [ThreadID], _ account: AccountID, _ rules: AppliedRules) throws -> Set<EmailID>
    {
        var unlimited = SendAllowance.unlimited
        var plan = try planner.plan(
            for: account, rules: rules.library, limit: nil, sending: &unlimited, threads: threads)
        if let only = rules.only { plan.keepWhatIsDecided(by: only) }
        let deferred = plan.items.filter { item in
            if case .place(.deferUntil) = item.disposition { true } else { false }
        }
        return Set(deferred.map(\.message)).union(
            try bundling.preview(after: plan, besides: []).flatMap(\.messages))
    }
}
