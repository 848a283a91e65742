extension Plan {
    /// Older messages that leave the inbox together with a newer one of their thread.
    public var covered: Set<EmailID> { Set(items.flatMap { $0.threadKeys.map(\.message) }) }
}

/// Counts of the actions in a plan.
public struct PlanTotals: Equatable, Sendable {
    public private(set) var messages = 0
    public private(set) var tasks = 0
    public private(set) var waitingFor = 0
    public private(set) var copied = 0
    public private(set) var saved = 0
    public private(set) var drafts = 0
    public private(set) var sends = 0
    public private(set) var archived = 0
    public private(set) var moved = 0
    public private(set) var trashed = 0
    public private(set) var deferred = 0
    public private(set) var marked = 0
    public private(set) var notices = 0
    public private(set) var alreadyDone = 0
    public private(set) var stays = 0

    public init(_ plan: Plan) {
        let covered = plan.covered
        for item in plan.items {
            messages += 1
            let taken = item.threadKeys.count + 1
            switch plan.moves(item) ? item.disposition : .keep {
            case .place(.archive): archived += taken
            case .place(.trash): trashed += taken
            case .place(.junk), .place(.move): moved += taken
            case .place(.deferUntil): deferred += taken
            case .place(.keep), .mark, .make, .tell: if !covered.contains(item.message) { stays += 1 }
            }
            count(item, plan.alreadyDone(item))
        }
    }

    private mutating func count(_ item: Plan.Item, _ isDone: [Bool]) {
        for (decision, isDone) in zip(item.decisions, isDone) {
            if isDone {
                alreadyDone += 1
                continue
            }
            switch decision.action {
            case .place: continue
            case .mark: marked += 1
            case .make(let make): count(make)
            case .tell: notices += 1
            }
        }
    }

    private mutating func count(_ make: Action.Make) {
        switch make {
        case .task: tasks += 1
        case .delegate, .waiting: waitingFor += 1
        case .letter, .vacation: break
        case .copy: copied += 1
        case .saveFiles(let saving): saved += saving.files.count
        }
        if let mail = make.mail {
            if mail.sending == .now { sends += 1 } else { drafts += 1 }
        }
    }

    /// Whether applying the plan has an effect. Notices count, because opus prints each of them once.
    public var hasChanges: Bool {
        tasks + waitingFor + notices + copied + saved + drafts + sends + archived + moved + trashed + deferred
            + marked > 0
    }
}
