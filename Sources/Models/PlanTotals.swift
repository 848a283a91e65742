extension Plan {
    /// Messages that leave the inbox with a newer one of their thread.
    public var covered: Set<EmailID> { Set(items.flatMap { $0.threadKeys.map(\.message) }) }
}

/// What a plan comes to, in numbers.
public struct PlanTotals: Equatable, Sendable {
    public private(set) var messages = 0
    public private(set) var tasks = 0
    public private(set) var waitingFor = 0
    public private(set) var saved = 0
    public private(set) var drafts = 0
    public private(set) var sends = 0
    public private(set) var archived = 0
    public private(set) var moved = 0
    public private(set) var trashed = 0
    public private(set) var deferred = 0
    public private(set) var marked = 0
    public private(set) var notices = 0
    public private(set) var alreadySo = 0
    public private(set) var stays = 0

    public init(_ plan: Plan) {
        let covered = plan.covered
        for item in plan.items {
            messages += 1
            let taken = item.threadKeys.count + 1
            switch plan.moves(item) ? item.disposition : .keep {
            case .archive: archived += taken
            case .trash: trashed += taken
            case .junk, .move: moved += taken
            case .deferUntil: deferred += taken
            case .keep, .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation, .letter,
                .waiting, .notify, .unsubscribe, .saveFiles:
                if !covered.contains(item.message) { stays += 1 }
            }
            count(item, plan.alreadySo(item))
        }
    }

    private mutating func count(_ item: Plan.Item, _ isSo: [Bool]) {
        for (decision, isSo) in zip(item.decisions, isSo) {
            if isSo {
                alreadySo += 1
                continue
            }
            switch decision.action {
            case .task: tasks += 1
            case .delegate(let delegation):
                waitingFor += 1
                if delegation.sending == .now { sends += 1 } else { drafts += 1 }
            case .vacation(let reply): if reply.sending == .now { sends += 1 } else { drafts += 1 }
            case .letter(let letter): if letter.sending == .now { sends += 1 } else { drafts += 1 }
            case .waiting: waitingFor += 1
            case .saveFiles(let saving): saved += saving.files.count
            case .notify, .unsubscribe: notices += 1
            case .label, .unlabel, .flag, .unflag, .mark: marked += 1
            case .keep, .archive, .trash, .junk, .move, .deferUntil: continue
            }
        }
    }

    /// Whether applying the plan changes anything. Notices count: they are told once.
    public var hasChanges: Bool {
        tasks + waitingFor + notices + saved + drafts + sends + archived + moved + trashed + deferred + marked
            > 0
    }
}
